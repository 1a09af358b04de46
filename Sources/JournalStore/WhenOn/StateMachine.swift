/// A state machine in the When/On language: what it executes in which state, and which events lead from one state to
/// the next.
///
/// ```swift
/// let elevator = StateMachine<State, Event, Output>(initial: .open(persons: 0)) {
///     When(state: State.open(persons:)) { _ in
///         Execute.noOutput
///     } transitions: { persons in
///         On(event: Event.personsHaveEntered(persons:)) { newPersons in
///             Move(to: State.open(persons: persons + newPersons))
///         }
///         On(event: Event.closeButtonWasPressed) {
///             Guard(predicate: persons < 10)
///         } transition: {
///             Move(to: State.closing(persons: persons))
///         }
///     }
///     When(state: State.closing(persons:)) { persons in
///         Execute(output: Output.close(speed: persons > 5 ? 1 : 2))
///     } transitions: { _ in
///         On(event: Event.doorHasLocked) {
///             Move(to: State.closed)
///         }
///     }
/// }
/// let machine = Machine("elevator", elevator, runtime: runtime)
/// ```
///
/// The output of the first ``When`` that matches a state is executed when the state is entered. For an event, the
/// ``On`` of all `When` that match the state are tried in order; the first whose event matches and whose guard is met
/// counts. An event that none accepts is rejected: its step stays in the journal as rejected, and executes nothing.
public struct StateMachine<State: Equatable & Sendable, Event: Equatable & Sendable, Output: Sendable>: Sendable {
    /// Where the machine begins.
    public let initial: State
    let whens: [When<State, Event, Output>]
    private let index: WhenIndex<State, Event, Output>

    /// Creates a state machine.
    ///
    /// - Parameters:
    ///   - initial: where it begins.
    ///   - whens: the list of ``When``.
    public init(initial: State, @WhenBuilder<State, Event, Output> _ whens: () -> [When<State, Event, Output>]) {
        self.initial = initial
        self.whens = whens()
        index = WhenIndex(self.whens)
    }

    /// The output that is executed when a state is entered.
    public func output(for state: State) -> Output? {
        index.output(for: state)
    }

    /// The state after an event; nil if the machine rejects the event in this state.
    public func next(_ event: Event, in state: State) -> State? {
        var next = state
        return reacts(to: event, &next) ? next : nil
    }

    /// Changes the state, and returns true, if the machine accepts an event.
    func reacts(to event: Event, _ state: inout State) -> Bool {
        index.reacts(to: event, &state)
    }
}
