/// The operators of transition tables bind weaker than `|`: a row is `(input | state) => (state | effect)`.
///
/// Not associative: where a comma between two rows is missing, this is what the compiler says first.
precedencegroup TransitionPrecedence {
    associativity: none
    lowerThan: AdditionPrecedence
    higherThan: RangeFormationPrecedence
}

/// Leads from inputs and states to the next state, in a row of a ``TransitionTable``.
infix operator => : TransitionPrecedence

/// The left side of a row: which inputs in which states.
public struct TransitionSource<Action: Sendable, State: Sendable>: Sendable {
    let input: TransitionPattern<Action>
    let state: TransitionPattern<State>
}

// Few types and few overloads: they decide how long a table takes to compile.

/// Matches inputs equal to a value, in states equal to a value.
public func | <Action: Sendable & Equatable, State: Sendable & Equatable>(
    input: Action, state: State
) -> TransitionSource<Action, State> { TransitionSource(input: .values([input]), state: .values([state])) }

/// Matches inputs equal to a value, in every state.
public func | <Action: Sendable & Equatable, State: Sendable>(
    input: Action, _: Anything
) -> TransitionSource<Action, State> { TransitionSource(input: .values([input]), state: .any) }

/// Matches inputs equal to a value, in states that meet a condition.
public func | <Action: Sendable & Equatable, State: Sendable>(
    input: Action, state: @escaping @Sendable (State) -> Bool
) -> TransitionSource<Action, State> { TransitionSource(input: .values([input]), state: .where(nil, state)) }

/// Matches inputs equal to a value, in states that match a pattern.
public func | <Action: Sendable & Equatable, State: Sendable>(
    input: Action, state: TransitionPattern<State>
) -> TransitionSource<Action, State> { TransitionSource(input: .values([input]), state: state) }

/// Matches every input, in states equal to a value.
public func | <Action: Sendable, State: Sendable & Equatable>(
    _: Anything, state: State
) -> TransitionSource<Action, State> { TransitionSource(input: .any, state: .values([state])) }

/// Matches every input, in every state.
public func | <Action: Sendable, State: Sendable>(
    _: Anything, _: Anything
) -> TransitionSource<Action, State> { TransitionSource(input: .any, state: .any) }

/// Matches every input, in states that meet a condition.
public func | <Action: Sendable, State: Sendable>(
    _: Anything, state: @escaping @Sendable (State) -> Bool
) -> TransitionSource<Action, State> { TransitionSource(input: .any, state: .where(nil, state)) }

/// Matches every input, in states that match a pattern.
public func | <Action: Sendable, State: Sendable>(
    _: Anything, state: TransitionPattern<State>
) -> TransitionSource<Action, State> { TransitionSource(input: .any, state: state) }

/// Matches inputs that meet a condition, in states equal to a value.
public func | <Action: Sendable, State: Sendable & Equatable>(
    input: @escaping @Sendable (Action) -> Bool, state: State
) -> TransitionSource<Action, State> { TransitionSource(input: .where(nil, input), state: .values([state])) }

/// Matches inputs that meet a condition, in every state.
public func | <Action: Sendable, State: Sendable>(
    input: @escaping @Sendable (Action) -> Bool, _: Anything
) -> TransitionSource<Action, State> { TransitionSource(input: .where(nil, input), state: .any) }

/// Matches inputs that meet a condition, in states that meet a condition.
public func | <Action: Sendable, State: Sendable>(
    input: @escaping @Sendable (Action) -> Bool, state: @escaping @Sendable (State) -> Bool
) -> TransitionSource<Action, State> { TransitionSource(input: .where(nil, input), state: .where(nil, state)) }

/// Matches inputs that meet a condition, in states that match a pattern.
public func | <Action: Sendable, State: Sendable>(
    input: @escaping @Sendable (Action) -> Bool, state: TransitionPattern<State>
) -> TransitionSource<Action, State> { TransitionSource(input: .where(nil, input), state: state) }

/// Matches inputs that match a pattern, in states equal to a value.
public func | <Action: Sendable, State: Sendable & Equatable>(
    input: TransitionPattern<Action>, state: State
) -> TransitionSource<Action, State> { TransitionSource(input: input, state: .values([state])) }

/// Matches inputs that match a pattern, in every state.
public func | <Action: Sendable, State: Sendable>(
    input: TransitionPattern<Action>, _: Anything
) -> TransitionSource<Action, State> { TransitionSource(input: input, state: .any) }

/// Matches inputs that match a pattern, in states that meet a condition.
public func | <Action: Sendable, State: Sendable>(
    input: TransitionPattern<Action>, state: @escaping @Sendable (State) -> Bool
) -> TransitionSource<Action, State> { TransitionSource(input: input, state: .where(nil, state)) }

/// Matches inputs that match a pattern, in states that match a pattern.
public func | <Action: Sendable, State: Sendable>(
    input: TransitionPattern<Action>, state: TransitionPattern<State>
) -> TransitionSource<Action, State> { TransitionSource(input: input, state: state) }
