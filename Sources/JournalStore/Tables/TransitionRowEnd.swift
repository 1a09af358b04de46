/// What a row can end with.
///
/// If the comma after it is missing, the compiler reads the input of the next row as its member. Without an answer here
/// it would try every overload of `|` for ten seconds and then give up; with it, the message comes at once.
@dynamicMemberLookup
public protocol TransitionRowEnd {}

extension TransitionRowEnd {
    /// Not a member: an effect has no member of this name.
    @available(*, unavailable, message: "an effect has no such member; in a table, a comma is missing before it")
    public subscript(dynamicMember member: String) -> Self { self }
}

extension Effect: TransitionRowEnd {}
extension EnvironmentEffect: TransitionRowEnd {}

// These complete the types of two rows without a comma, so that it is the only error. Both rows are rejected anyway, by
// the unavailable member and by the precedence of `=>`.

/// Completes the types of two rows between which a comma is missing.
public func | <Action: Sendable, State: Sendable, Environment>(
    row: TransitionTarget<Action, State, Environment>, _: State
) -> TransitionTarget<Action, State, Environment> {
    row
}

/// Completes the types of two rows between which a comma is missing.
public func | <Action: Sendable, State: Sendable, Environment>(
    row: TransitionTarget<Action, State, Environment>, _: Anything
) -> TransitionTarget<Action, State, Environment> {
    row
}

/// Completes the types of two rows between which a comma is missing.
public func | <Action: Sendable, State: Sendable, Environment>(
    row: TransitionTarget<Action, State, Environment>, _: (State) -> Bool
) -> TransitionTarget<Action, State, Environment> {
    row
}

/// Completes the types of two rows between which a comma is missing.
public func | <Action: Sendable, State: Sendable, Environment>(
    row: TransitionTarget<Action, State, Environment>, _: TransitionPattern<State>
) -> TransitionTarget<Action, State, Environment> {
    row
}

/// Completes the types of two rows between which a comma is missing.
public func => <Action: Sendable, State: Sendable, Environment>(
    row: TransitionRow<Action, State, Environment>, _: State
) -> TransitionRow<Action, State, Environment> {
    row
}

/// Completes the types of two rows between which a comma is missing.
public func => <Action: Sendable, State: Sendable, Environment>(
    row: TransitionRow<Action, State, Environment>, _: TransitionTarget<Action, State, Environment>
) -> TransitionRow<Action, State, Environment> {
    row
}
