// Reducers that do not fit, with a message that says what does: docs/compiler-messages.md.

extension Machine {
    /// The arguments in the wrong order.
    @available(*, unavailable, message: "a reducer gets the action first: '{ action, state, environment in … }'.")
    public init(
        _ name: String, version: Int = 1, initialState: State,
        reduce: @escaping @Sendable (inout State, Action, Environment) -> Effect<Action>
    ) {
        self.init(name, version: version, initialState: initialState, reducer: .empty)
    }

    /// The same with a step. Without this, an error in any closure with four arguments would say that three are expected.
    @available(*, unavailable, message: "a reducer gets the action first: '{ action, state, environment, step in … }'.")
    public init(
        _ name: String, version: Int = 1, initialState: State,
        reduce: @escaping @Sendable (inout State, Action, Environment, inout Step) -> Effect<Action>
    ) {
        self.init(name, version: version, initialState: initialState, reducer: .empty)
    }

    /// Work in the reducer instead of an effect.
    @available(
        *, unavailable, message: "a reducer cannot wait or throw. It returns work as an effect: 'return .run { … }'."
    )
    public init(
        _ name: String, version: Int = 1, initialState: State,
        reduce: @escaping @Sendable (Action, inout State, Environment) async throws -> Effect<Action>
    ) {
        self.init(name, version: version, initialState: initialState, reducer: .empty)
    }

    /// The same with a step.
    @available(
        *, unavailable, message: "a reducer cannot wait or throw. It returns work as an effect: 'return .run { … }'."
    )
    public init(
        _ name: String, version: Int = 1, initialState: State,
        reduce: @escaping @Sendable (Action, inout State, Environment, inout Step) async throws -> Effect<Action>
    ) {
        self.init(name, version: version, initialState: initialState, reducer: .empty)
    }

    /// The arguments in the wrong order.
    @available(
        *, unavailable, message: "a closure that only changes the state gets the state first: '{ state, action in … }'."
    )
    public init(
        _ name: String, version: Int = 1, initialState: State,
        update: @escaping @Sendable (Action, inout State) -> Void
    ) where Environment == Void {
        self.init(name, version: version, initialState: initialState, reducer: .empty)
    }
}
