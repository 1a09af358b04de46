/// A row of a ``TransitionTable``: inputs, states, the next state, and an effect.
///
///     .login | .loggedOut => .loggingIn | loginEffect
public struct TransitionRow<Action: Sendable, State: Sendable, Environment>: Sendable {
    let input: TransitionPattern<Action>
    let state: TransitionPattern<State>
    let target: Target
    let effect: RowEffect

    enum Target: Sendable {
        case value(State)
        case function(@Sendable (State) -> State)
        case functionOfInput(@Sendable (Action, State) -> State)
    }

    enum RowEffect: Sendable {
        case none
        case value(Effect<Action>)
        case function(@Sendable (Action, Environment) -> Effect<Action>)

        static func + (left: RowEffect, right: Effect<Action>) -> RowEffect {
            switch left {
            case .none: .value(right)
            case .value(let effect): .value(effect + right)
            case .function(let effect): .function { effect($0, $1) + right }
            }
        }

        static func + (left: RowEffect, right: EnvironmentEffect<Action, Environment>) -> RowEffect {
            switch left {
            case .none: .function(right.effect)
            case .value(let effect): .function { effect + right.effect($0, $1) }
            case .function(let effect): .function { effect($0, $1) + right.effect($0, $1) }
            }
        }
    }

    /// Whether the row matches.
    func matches(_ input: Action, _ state: State) -> Bool {
        self.input.test(input) && self.state.test(state)
    }

    /// The next state.
    func next(_ input: Action, _ state: State) -> State {
        switch target {
        case .value(let next): next
        case .function(let function): function(state)
        case .functionOfInput(let function): function(input, state)
        }
    }
}

extension TransitionRow {
    /// A row for a case with a payload, which the next state and the effect get.
    ///
    /// ```swift
    /// .on(CasePath(Input.loginOK), from: [.loggingIn], to: { user, _ in .loggedIn(user) })
    /// ```
    ///
    /// - Parameters:
    ///   - path: the case.
    ///   - name: the case's name, for diagrams.
    ///   - state: the states that the row matches.
    ///   - target: returns the next state. It must be pure.
    ///   - effect: returns the effect for the payload and the environment. It must be pure.
    public static func on<Payload: Sendable>(
        _ path: CasePath<Action, Payload>, _ name: String? = nil, from state: TransitionPattern<State>,
        to target: @escaping @Sendable (Payload, State) -> State,
        effect: (@Sendable (Payload, Environment) -> Effect<Action>)? = nil
    ) -> TransitionRow {
        TransitionRow(
            input: .path(path, name: name), state: state,
            target: .functionOfInput { input, state in
                path.extract(from: input).map { target($0, state) } ?? state
            },
            effect: effect.map { effect in
                .function { input, environment in path.extract(from: input).map { effect($0, environment) } ?? .none }
            } ?? .none)
    }

    /// The same row in a table with another environment.
    func contramap<Whole>(
        environment part: @escaping @Sendable (Whole) -> Environment
    ) -> TransitionRow<Action, State, Whole> {
        let effect: TransitionRow<Action, State, Whole>.RowEffect =
            switch effect {
            case .none: .none
            case .value(let effect): .value(effect)
            case .function(let effect): .function { effect($0, part($1)) }
            }
        return with(effect)
    }

    /// The same row with another effect.
    func with<Other>(
        _ effect: TransitionRow<Action, State, Other>.RowEffect
    ) -> TransitionRow<Action, State, Other> {
        let target: TransitionRow<Action, State, Other>.Target =
            switch target {
            case .value(let next): .value(next)
            case .function(let function): .function(function)
            case .functionOfInput(let function): .functionOfInput(function)
            }
        return TransitionRow<Action, State, Other>(input: input, state: state, target: target, effect: effect)
    }
}

extension TransitionRow: CustomStringConvertible {
    /// The row without its effect: `login | loggedOut => loggingIn`.
    public var description: String { "\(input) | \(state) => \(targetText)" }

    /// The next state in diagrams.
    var targetText: String {
        if case .value(let next) = target { "\(next)" } else { "[function]" }
    }
}
