// The ways to write a `When`. Inlinable for the same reason as those of `On`.

extension When {
    /// Applies to states equal to a value.
    @inlinable
    public init(
        state: State, execute: @escaping @Sendable () -> Execute<Output>,
        @OnBuilder<State, Event> transitions: () -> [On<State, Event>] = { [] }
    ) {
        self.init(.values([state]), list: transitions()) { _ in execute().output }
    }

    /// Applies to the states of a case, and passes their payload on.
    ///
    /// - Parameters:
    ///   - constructor: the case's constructor, as `State.open(persons:)`.
    ///   - execute: returns what is executed when such a state is entered.
    ///   - transitions: the list of ``On`` for a payload.
    @inlinable
    public init<Payload>(
        state constructor: @escaping @Sendable (Payload) -> State,
        execute: @escaping @Sendable (Payload) -> Execute<Output>,
        @OnBuilder<State, Event> transitions: @escaping @Sendable (Payload) -> [On<State, Event>]
    ) {
        let payloads = PayloadReader<State>()
        self.init(.case(constructor)) { state in
            payloads.payload(of: state, in: constructor).map(transitions) ?? []
        } output: { state in
            payloads.payload(of: state, in: constructor).flatMap { execute($0).output }
        }
    }

    /// Applies to the states of a case. Its transitions do not depend on the payload, so their list is made once.
    @inlinable
    public init<Payload>(
        state constructor: @escaping @Sendable (Payload) -> State,
        execute: @escaping @Sendable (Payload) -> Execute<Output>,
        @OnBuilder<State, Event> transitions: () -> [On<State, Event>] = { [] }
    ) {
        let payloads = PayloadReader<State>()
        self.init(.case(constructor), list: transitions()) { state in
            payloads.payload(of: state, in: constructor).flatMap { execute($0).output }
        }
    }

    /// Applies to several states, and passes the state on.
    @inlinable
    public init(
        states: OneOf<State>, execute: @escaping @Sendable (State) -> Execute<Output>,
        @OnBuilder<State, Event> transitions: @escaping @Sendable (State) -> [On<State, Event>]
    ) {
        self.init(states.pattern, transitions: transitions) { execute($0).output }
    }

    /// Applies to several states. Its transitions do not depend on the state, so their list is made once.
    @inlinable
    public init(
        states: OneOf<State>, execute: @escaping @Sendable (State) -> Execute<Output>,
        @OnBuilder<State, Event> transitions: () -> [On<State, Event>] = { [] }
    ) {
        self.init(states.pattern, list: transitions()) { execute($0).output }
    }
}
