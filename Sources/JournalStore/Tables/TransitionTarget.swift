/// The right side of a row with an effect.
public struct TransitionTarget<Action: Sendable, State: Sendable, Environment>: Sendable {
    let target: TransitionRow<Action, State, Environment>.Target
    let effect: TransitionRow<Action, State, Environment>.RowEffect
}

/// Leads to a state, with an effect.
public func | <Action: Sendable, State: Sendable, Environment>(
    next: State, effect: Effect<Action>
) -> TransitionTarget<Action, State, Environment> {
    TransitionTarget(target: .value(next), effect: .value(effect))
}

/// Leads to a state, with an effect that depends on the environment.
public func | <Action: Sendable, State: Sendable, Environment>(
    next: State, effect: EnvironmentEffect<Action, Environment>
) -> TransitionTarget<Action, State, Environment> {
    TransitionTarget(target: .value(next), effect: .function(effect.effect))
}

/// Leads to the state that a function returns, with an effect.
public func | <Action: Sendable, State: Sendable, Environment>(
    next: @escaping @Sendable (State) -> State, effect: Effect<Action>
) -> TransitionTarget<Action, State, Environment> {
    TransitionTarget(target: .function(next), effect: .value(effect))
}

/// Leads to the state that a function returns, with an effect that depends on the environment.
public func | <Action: Sendable, State: Sendable, Environment>(
    next: @escaping @Sendable (State) -> State, effect: EnvironmentEffect<Action, Environment>
) -> TransitionTarget<Action, State, Environment> {
    TransitionTarget(target: .function(next), effect: .function(effect.effect))
}

/// Adds an effect to the right side of a row: `=> .loggedOut | logEffect + .cancel(id: "login")`.
public func + <Action: Sendable, State: Sendable, Environment>(
    target: TransitionTarget<Action, State, Environment>, effect: Effect<Action>
) -> TransitionTarget<Action, State, Environment> {
    TransitionTarget(target: target.target, effect: target.effect + effect)
}

/// Adds an effect that depends on the environment to the right side of a row:
/// `=> .loggedOut | logoutEffect + logEffect`.
public func + <Action: Sendable, State: Sendable, Environment>(
    target: TransitionTarget<Action, State, Environment>, effect: EnvironmentEffect<Action, Environment>
) -> TransitionTarget<Action, State, Environment> {
    TransitionTarget(target: target.target, effect: target.effect + effect)
}

// MARK: - Rows

/// A row that leads to a state, without an effect.
public func => <Action: Sendable, State: Sendable, Environment>(
    source: TransitionSource<Action, State>, next: State
) -> TransitionRow<Action, State, Environment> {
    TransitionRow(input: source.input, state: source.state, target: .value(next), effect: .none)
}

/// A row that leads to the state that a function returns, without an effect. The function must be pure.
public func => <Action: Sendable, State: Sendable, Environment>(
    source: TransitionSource<Action, State>, next: @escaping @Sendable (State) -> State
) -> TransitionRow<Action, State, Environment> {
    TransitionRow(input: source.input, state: source.state, target: .function(next), effect: .none)
}

/// A row with an effect.
public func => <Action: Sendable, State: Sendable, Environment>(
    source: TransitionSource<Action, State>, next: TransitionTarget<Action, State, Environment>
) -> TransitionRow<Action, State, Environment> {
    TransitionRow(input: source.input, state: source.state, target: next.target, effect: next.effect)
}
