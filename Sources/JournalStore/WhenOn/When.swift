/// What a machine executes in a state or in several, and which transitions lead from there.
///
/// ```swift
/// When(state: State.closing(persons:)) { persons in
///     Execute(output: Output.close(speed: persons > 5 ? 1 : 2))
/// } transitions: { _ in
///     On(event: Event.doorHasLocked) {
///         Move(to: State.closed)
///     }
/// }
/// ```
///
/// A list of transitions that gets the payload of the state is made at each event; one that does not is made once. All
/// closures must be pure, as a reducer: every replay calls them again.
public struct When<State: Equatable & Sendable, Event: Equatable & Sendable, Output: Sendable>: Sendable {
    /// The list of ``On``.
    enum Transitions: Sendable {
        case fixed([On<State, Event>])
        case of(@Sendable (State) -> [On<State, Event>])
    }

    let states: TransitionPattern<State>
    /// Called only for states that match.
    let execute: @Sendable (State) -> Execute<Output>
    let transitions: Transitions

    func transitions(in state: State) -> [On<State, Event>] {
        switch transitions {
        case .fixed(let list): list
        case .of(let list): list(state)
        }
    }
}

extension When {
    /// Applies to states equal to a value.
    public init(
        state: State, execute: @escaping @Sendable () -> Execute<Output>,
        @OnBuilder<State, Event> transitions: () -> [On<State, Event>] = { [] }
    ) {
        self.init(states: .values([state]), execute: { _ in execute() }, transitions: .fixed(transitions()))
    }

    /// Applies to the states of a case, and passes their payload on.
    ///
    /// - Parameters:
    ///   - constructor: the case's constructor, as `State.open(persons:)`.
    ///   - execute: returns what is executed when such a state is entered.
    ///   - transitions: the list of ``On`` for a payload.
    public init<Payload>(
        state constructor: @escaping @Sendable (Payload) -> State,
        execute: @escaping @Sendable (Payload) -> Execute<Output>,
        @OnBuilder<State, Event> transitions: @escaping @Sendable (Payload) -> [On<State, Event>]
    ) {
        let payloads = PayloadReader<State>()
        self.init(
            constructor, payloads, execute,
            .of { state in
                payloads.payload(of: state, in: constructor).map(transitions) ?? []
            })
    }

    /// Applies to the states of a case. Its transitions do not depend on the payload, so their list is made once.
    public init<Payload>(
        state constructor: @escaping @Sendable (Payload) -> State,
        execute: @escaping @Sendable (Payload) -> Execute<Output>,
        @OnBuilder<State, Event> transitions: () -> [On<State, Event>] = { [] }
    ) {
        self.init(constructor, PayloadReader(), execute, .fixed(transitions()))
    }

    /// Applies to several states, and passes the state on.
    public init(
        states: OneOf<State>, execute: @escaping @Sendable (State) -> Execute<Output>,
        @OnBuilder<State, Event> transitions: @escaping @Sendable (State) -> [On<State, Event>]
    ) {
        self.init(states: states.pattern, execute: execute, transitions: .of(transitions))
    }

    /// Applies to several states. Its transitions do not depend on the state, so their list is made once.
    public init(
        states: OneOf<State>, execute: @escaping @Sendable (State) -> Execute<Output>,
        @OnBuilder<State, Event> transitions: () -> [On<State, Event>] = { [] }
    ) {
        self.init(states: states.pattern, execute: execute, transitions: .fixed(transitions()))
    }

    private init<Payload>(
        _ constructor: @escaping @Sendable (Payload) -> State, _ payloads: PayloadReader<State>,
        _ execute: @escaping @Sendable (Payload) -> Execute<Output>, _ transitions: Transitions
    ) {
        self.init(
            states: .case(constructor),
            execute: { payloads.payload(of: $0, in: constructor).map(execute) ?? .noOutput },
            transitions: transitions)
    }
}

/// Builds the list of ``When`` of a ``StateMachine``.
@resultBuilder
public enum WhenBuilder<
    State: Equatable & Sendable, Event: Equatable & Sendable, Output: Sendable
> {
    /// A line of the list.
    public static func buildExpression(_ line: When<State, Event, Output>) -> When<State, Event, Output> { line }

    /// The list.
    public static func buildBlock(_ lines: When<State, Event, Output>...) -> [When<State, Event, Output>] { lines }
}
