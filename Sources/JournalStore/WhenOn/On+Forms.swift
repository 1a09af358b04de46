// The ways to write an `On`. Few, because each one is tried for each `On` of a machine.

extension On {
    /// Makes a transition on events equal to a value.
    public init(event: Event, transition: @escaping @Sendable () -> Move<State>) {
        self.init(trigger: .value(event), answer: .state(guard: nil, transition))
    }

    /// Makes a transition on events equal to a value, and passes the event on.
    public init(event: Event, transition: @escaping @Sendable (Event) -> Move<State>) {
        self.init(trigger: .value(event), answer: .stateOfEvent(guard: nil, transition))
    }

    /// Makes a transition on events equal to a value if a guard is met.
    public init(
        event: Event, guard condition: @escaping @Sendable () -> Guard,
        transition: @escaping @Sendable () -> Move<State>
    ) {
        self.init(trigger: .value(event), answer: .state(guard: condition, transition))
    }

    /// Makes a transition on events equal to a value if a guard is met, and passes the event on.
    public init(
        event: Event, guard condition: @escaping @Sendable (Event) -> Guard,
        transition: @escaping @Sendable (Event) -> Move<State>
    ) {
        self.init(trigger: .value(event), answer: .stateOfEvent(guard: condition, transition))
    }

    /// Makes a transition on the events of a case, and passes their payload on.
    ///
    /// - Parameters:
    ///   - constructor: the case's constructor, as `Event.personsHaveEntered(persons:)`.
    ///   - transition: returns where the payload leads.
    public init<Payload>(
        event constructor: @escaping @Sendable (Payload) -> Event,
        transition: @escaping @Sendable (Payload) -> Move<State>
    ) {
        self.init(
            trigger: .constructor,
            answer: .payload { event, payloads in
                guard let payload = payloads.payload(of: event, in: constructor) else { return .otherEvent }
                return .moves(transition(payload), nil)
            })
    }

    /// Makes a transition on the events of a case if a guard is met, and passes their payload on.
    ///
    /// - Parameters:
    ///   - constructor: the case's constructor, as `Event.personsHaveEntered(persons:)`.
    ///   - condition: returns the guard for the payload.
    ///   - transition: returns where the payload leads.
    public init<Payload>(
        event constructor: @escaping @Sendable (Payload) -> Event,
        guard condition: @escaping @Sendable (Payload) -> Guard,
        transition: @escaping @Sendable (Payload) -> Move<State>
    ) {
        self.init(
            trigger: .constructor,
            answer: .payload { event, payloads in
                guard let payload = payloads.payload(of: event, in: constructor) else { return .otherEvent }
                let condition = condition(payload)
                return condition.isMet ? .moves(transition(payload), condition) : .stopped(condition)
            })
    }

    /// Makes a transition on each of several events, and passes the event on.
    public init(events: OneOf<Event>, transition: @escaping @Sendable (Event) -> Move<State>) {
        self.init(trigger: .pattern(events.pattern), answer: .stateOfEvent(guard: nil, transition))
    }

    /// Makes a transition on each of several events if a guard is met, and passes the event on.
    public init(
        events: OneOf<Event>, guard condition: @escaping @Sendable (Event) -> Guard,
        transition: @escaping @Sendable (Event) -> Move<State>
    ) {
        self.init(trigger: .pattern(events.pattern), answer: .stateOfEvent(guard: condition, transition))
    }
}

/// Builds the list of ``On`` of a ``When``.
@resultBuilder public enum OnBuilder<State: Equatable & Sendable, Event: Equatable & Sendable> {
    /// A line of the list.
    public static func buildExpression(_ line: On<State, Event>) -> On<State, Event> { line }

    /// The list.
    public static func buildBlock(_ lines: On<State, Event>...) -> [On<State, Event>] { lines }
}
