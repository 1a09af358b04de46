extension StateMachine {
    /// Evaluates the machine for every listed event in every listed state: which states are never reached, which ``On``
    /// never counts because an earlier one does, and which `When` and `On` match nothing.
    ///
    /// ```swift
    /// #expect(elevator.review(states: states, events: events).isClean)
    /// ```
    ///
    /// - Parameters:
    ///   - states: the states: all that a test cares about. List several of a case if a guard depends on the payload.
    ///   - events: the events.
    public func review(states: [State], events: [Event]) -> TableReview<State> {
        var lines: [Place: String] = [:]
        var (matching, counting): (Set<Place>, Set<Place>) = ([], [])
        for state in states {
            for event in events {
                let answers = answers(to: event, in: state)
                for (place, _) in answers where lines[place] == nil {
                    lines[place] = "When \(Self.name(of: state)), the On at \(place.on)"
                }
                let moving = answers.filter { $0.answer.move != nil }.map(\.place)
                for place in moving { lines[place] = "When \(Self.name(of: state)) On \(Self.name(of: event))" }
                matching.formUnion(moving)
                counting.formUnion(moving.prefix(1))
            }
        }
        let unreachable = TableReview.unreachable(of: states, from: initial, by: events) { next($0, in: $1) }
        let unused = whens.indices.filter { when in !states.contains { whens[when].states.test($0) } }
        func rows(_ places: some Sequence<Place>) -> [TableReviewRow] {
            places.sorted().map { TableReviewRow(index: $0.when, text: lines[$0] ?? "") }
        }
        return TableReview(
            unreachableStates: unreachable,
            shadowedRows: rows(matching.subtracting(counting)),
            unmatchedRows: unused.map { TableReviewRow(index: $0, text: "When \(whens[$0].states)") }
                + rows(Set(lines.keys).subtracting(matching)))
    }
}

extension StateMachine where State: CaseIterable, Event: CaseIterable {
    /// Evaluates the machine for every event in every state.
    public func review() -> TableReview<State> {
        review(states: Array(State.allCases), events: Array(Event.allCases))
    }
}
