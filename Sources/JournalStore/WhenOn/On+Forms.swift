// The ways to write an `On`. Few, because each one is tried for each `On` of a machine. Inlinable, because in the app's
// code the types are known: generic code would take a microsecond for each `On` that is tried.

extension On {
    /// Makes a transition on events equal to a value.
    @inlinable
    public init(event: Event, transition: @escaping @Sendable () -> Move<State>) {
        self.init { found, _, state in
            guard found == event else { return .otherEvent }
            state = transition().state
            return .moves(nil)
        }
    }

    /// Makes a transition on events equal to a value, and passes the event on.
    @inlinable
    public init(event: Event, transition: @escaping @Sendable (Event) -> Move<State>) {
        self.init { found, _, state in
            guard found == event else { return .otherEvent }
            state = transition(found).state
            return .moves(nil)
        }
    }

    /// Makes a transition on events equal to a value if a guard is met.
    @inlinable
    public init(
        event: Event, guard condition: @escaping @Sendable () -> Guard,
        transition: @escaping @Sendable () -> Move<State>
    ) {
        self.init { found, _, state in
            guard found == event else { return .otherEvent }
            let condition = condition()
            guard condition.isMet else { return .stopped(condition) }
            state = transition().state
            return .moves(condition)
        }
    }

    /// Makes a transition on events equal to a value if a guard is met, and passes the event on.
    @inlinable
    public init(
        event: Event, guard condition: @escaping @Sendable (Event) -> Guard,
        transition: @escaping @Sendable (Event) -> Move<State>
    ) {
        self.init(condition, transition) { found, _ in found == event ? found : nil }
    }

    /// Makes a transition on the events of a case, and passes their payload on.
    ///
    /// - Parameters:
    ///   - constructor: the case's constructor, as `Event.personsHaveEntered(persons:)`.
    ///   - transition: returns where the payload leads.
    @inlinable
    public init<Payload>(
        event constructor: @escaping @Sendable (Payload) -> Event,
        transition: @escaping @Sendable (Payload) -> Move<State>
    ) {
        self.init { found, payloads, state in
            guard let payload = payloads.payload(of: found, in: constructor) else { return .otherEvent }
            state = transition(payload).state
            return .moves(nil)
        }
    }

    /// Makes a transition on the events of a case if a guard is met, and passes their payload on.
    ///
    /// - Parameters:
    ///   - constructor: the case's constructor, as `Event.personsHaveEntered(persons:)`.
    ///   - condition: returns the guard for the payload.
    ///   - transition: returns where the payload leads.
    @inlinable
    public init<Payload>(
        event constructor: @escaping @Sendable (Payload) -> Event,
        guard condition: @escaping @Sendable (Payload) -> Guard,
        transition: @escaping @Sendable (Payload) -> Move<State>
    ) {
        self.init(condition, transition) { found, payloads in payloads.payload(of: found, in: constructor) }
    }

    /// Makes a transition on each of several events, and passes the event on.
    @inlinable
    public init(events: OneOf<Event>, transition: @escaping @Sendable (Event) -> Move<State>) {
        let matches = events.matches
        self.init { found, _, state in
            guard matches(found) else { return .otherEvent }
            state = transition(found).state
            return .moves(nil)
        }
    }

    /// Makes a transition on each of several events if a guard is met, and passes the event on.
    @inlinable
    public init(
        events: OneOf<Event>, guard condition: @escaping @Sendable (Event) -> Guard,
        transition: @escaping @Sendable (Event) -> Move<State>
    ) {
        let matches = events.matches
        self.init(condition, transition) { found, _ in matches(found) ? found : nil }
    }

    /// - Parameter value: returns what the closures get from an event, or nil for another event.
    @inlinable
    init<Value>(
        _ condition: @escaping @Sendable (Value) -> Guard, _ transition: @escaping @Sendable (Value) -> Move<State>,
        value: @escaping @Sendable (Event, PayloadReader<Event>) -> Value?
    ) {
        self.init { found, payloads, state in
            guard let value = value(found, payloads) else { return .otherEvent }
            let condition = condition(value)
            guard condition.isMet else { return .stopped(condition) }
            state = transition(value).state
            return .moves(condition)
        }
    }
}
