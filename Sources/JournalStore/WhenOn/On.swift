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
/// The first `On` whose event matches and whose guard is met counts. Its closures must be pure, like a reducer: every
/// replay calls them again.
public struct On<State: Equatable & Sendable, Event: Equatable & Sendable>: Sendable {
    /// A list of `On` can be made at each event, so an `On` stores nothing but this closure. It is made where the types
    /// are known.
    @usableFromInline
    typealias Reaction = @Sendable (Event, PayloadReader<Event>, inout State) -> OnVerdict

    /// Changes the state if it accepts the event.
    @usableFromInline let react: Reaction

    @usableFromInline
    init(react: @escaping Reaction) {
        self.react = react
    }

    /// Changes the state if one of several accepts the event: the first one.
    @inlinable
    static func reacts(
        _ list: [On], to event: Event, _ payloads: PayloadReader<Event>, _ state: inout State
    ) -> Bool {
        for on in list {
            if case .moves = on.react(event, payloads, &state) { return true }
        }
        return false
    }
}

/// Builds the list of ``On`` of a ``When``.
@resultBuilder public enum OnBuilder<State: Equatable & Sendable, Event: Equatable & Sendable> {
    /// A line of the list.
    @inlinable
    public static func buildExpression(_ line: On<State, Event>) -> On<State, Event> { line }

    /// The list.
    @inlinable
    public static func buildBlock(_ lines: On<State, Event>...) -> [On<State, Event>] { lines }

    /// Not possible: a list is the same at each event, so a condition is a ``Guard``.
    @available(*, unavailable, message: "a list of transitions has no conditions: use a Guard")
    public static func buildOptional(_ list: [On<State, Event>]?) -> On<State, Event> { On { _, _, _ in .otherEvent } }
}
