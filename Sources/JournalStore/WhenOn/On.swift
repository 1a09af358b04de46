/// What a machine does on an event, in the states of a ``When``.
///
/// ```swift
/// On(event: Event.personsHaveEntered(persons:)) { newPersons in
///     Move(to: State.open(persons: persons + newPersons))
/// }
/// On(event: Event.closeButtonWasPressed) {
///     Guard(predicate: persons < 10)
/// } transition: {
///     Move(to: State.closing(persons: persons))
/// }
/// ```
///
/// The first `On` whose event matches and whose guard is met counts. Its closures must be pure, as a reducer: every replay
/// calls them again.
public struct On<State: Equatable & Sendable, Event: Equatable & Sendable>: Sendable {
    /// Which events it matches. A list of these can be made at each event, so nothing is prepared here.
    enum Trigger: Sendable {
        case value(Event)
        case pattern(TransitionPattern<Event>)
        /// The answer knows: it reads the payload.
        case constructor
    }

    /// What it does with an event.
    enum Answer: Sendable {
        case state(guard: (@Sendable () -> Guard)?, @Sendable () -> Move<State>)
        case stateOfEvent(guard: (@Sendable (Event) -> Guard)?, @Sendable (Event) -> Move<State>)
        case payload(@Sendable (Event, PayloadReader<Event>) -> Verdict)
    }

    /// What came of an event.
    enum Verdict: Sendable {
        case otherEvent
        case stopped(Guard)
        case moves(Move<State>, Guard?)
    }

    let trigger: Trigger
    let answer: Answer

    /// - Parameter payloads: reads the payloads of events.
    func verdict(on event: Event, _ payloads: PayloadReader<Event>) -> Verdict {
        switch trigger {
        case .value(let value): if value != event { return .otherEvent }
        case .pattern(let pattern): if !pattern.test(event) { return .otherEvent }
        case .constructor: break
        }
        switch answer {
        case .state(nil, let move): return .moves(move(), nil)
        case .state(let condition?, let move):
            let condition = condition()
            return condition.isMet ? .moves(move(), condition) : .stopped(condition)
        case .stateOfEvent(let condition, let move):
            let condition = condition?(event)
            if let condition, !condition.isMet { return .stopped(condition) }
            return .moves(move(event), condition)
        case .payload(let answer): return answer(event, payloads)
        }
    }
}
