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
/// closures must be pure, like a reducer: every replay calls them again.
public struct When<State: Equatable & Sendable, Event: Equatable & Sendable, Output: Sendable>: Sendable {
    let states: TransitionPattern<State>
    /// What is executed in a state that matches.
    let output: @Sendable (State) -> Output?
    /// The transitions of a state that matches, for diagrams.
    let transitions: @Sendable (State) -> [On<State, Event>]
    /// Changes a state that matches if one of the transitions accepts the event.
    let react: @Sendable (Event, PayloadReader<Event>, inout State) -> Bool

    /// The list of transitions is made once.
    @inlinable
    init(
        _ states: TransitionPattern<State>, list: [On<State, Event>], output: @escaping @Sendable (State) -> Output?
    ) {
        self.init(states, output: output, transitions: { _ in list }) { event, payloads, state in
            On.reacts(list, to: event, payloads, &state)
        }
    }

    /// The list of transitions is made at each event.
    @inlinable
    init(
        _ states: TransitionPattern<State>, transitions: @escaping @Sendable (State) -> [On<State, Event>],
        output: @escaping @Sendable (State) -> Output?
    ) {
        self.init(states, output: output, transitions: transitions) { event, payloads, state in
            On.reacts(transitions(state), to: event, payloads, &state)
        }
    }

    @usableFromInline
    init(
        _ states: TransitionPattern<State>, output: @escaping @Sendable (State) -> Output?,
        transitions: @escaping @Sendable (State) -> [On<State, Event>],
        react: @escaping @Sendable (Event, PayloadReader<Event>, inout State) -> Bool
    ) {
        (self.states, self.output, self.transitions, self.react) = (states, output, transitions, react)
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
