extension StateMachine {
    /// The machine as the text of a diagram: an arrow for each transition, with its event and its guard.
    ///
    /// Targets are in closures, so the machine is evaluated for each listed event in each listed state, and drawn by
    /// the names of their cases. A guard without a name is drawn as `[guard]`.
    ///
    /// - Parameters:
    ///   - format: the language.
    ///   - states: the states that arrows begin at. List several of a case if a guard depends on the payload.
    ///   - events: the events.
    public func diagram(_ format: DiagramFormat, states: [State], events: [Event]) -> String {
        var text = DiagramText(format)
        for state in states {
            for event in events {
                guard let (next, condition) = answers(to: event, in: state).lazy.compactMap(\.answer.move).first else {
                    continue
                }
                let label = [Self.name(of: event), condition.map { "[\($0.name ?? "guard")]" }]
                text.add(
                    from: Self.name(of: state), to: Self.name(of: next),
                    label: label.compactMap(\.self).joined(separator: " "))
            }
        }
        return text.finished
    }
}

extension StateMachine where State: CaseIterable, Event: CaseIterable {
    /// The machine as the text of a diagram, with every event in every state.
    ///
    /// - Parameter format: the language.
    public func diagram(_ format: DiagramFormat) -> String {
        diagram(format, states: Array(State.allCases), events: Array(Event.allCases))
    }
}
