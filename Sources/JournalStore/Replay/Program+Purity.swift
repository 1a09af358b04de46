// Whether a reducer is pure: the same action, state and step must give the same result.

extension Program {
    /// Where two results of the same step differ: paths, no values. Empty if they are equal.
    func differences(
        _ first: (reduction: Reduction<Action>, state: State), _ second: (reduction: Reduction<Action>, state: State)
    ) -> [String] {
        var places = ReplayComparison<Action, State>.difference(first.state, second.state).map { change in
            change.path.isEmpty ? "state" : change.path.hasPrefix("[") ? "state\(change.path)" : "state.\(change.path)"
        }
        if first.reduction.outcome != second.reduction.outcome { places.append("outcome") }
        if first.reduction.isPlain && second.reduction.isPlain { return places }
        let (cascade, other) = (first.reduction.cascade, second.reduction.cascade)
        if cascade.count != other.count || !zip(cascade, other).allSatisfy(isSame) { places.append("cascade") }
        let (notes, others) = (first.reduction.effects.compactMap(note), second.reduction.effects.compactMap(note))
        for index in 0..<max(notes.count, others.count)
        where index >= notes.count || index >= others.count || notes[index] != others[index] {
            places.append("effects[\(index)]")
        }
        return places
    }

    /// Throws if the machine cannot be opened, whatever the journal contains.
    func check(file: String?, stream: String?) throws(JournalError) {
        guard version > 0 else {
            throw JournalError(
                .badArgument, "The machine's version is \(version).", advice: "Versions begin with 1.", file: file,
                stream: stream)
        }
        guard ambiguousHandlers.isEmpty else {
            throw JournalError(
                .badArgument, "There are two handlers for \(ambiguousHandlers.joined(separator: ", ")).",
                advice: "Give each use of a reducer a scope: `contramap(action:scope:)`.", file: file, stream: stream)
        }
        try checkTypes(file: file, stream: stream)
    }

    /// Throws if the machine's state or action is a class: what a journal stores must not change without an action.
    private func checkTypes(file: String?, stream: String?) throws(JournalError) {
        for (what, type) in [("state", State.self as Any.Type), ("action", Action.self)] where type is AnyObject.Type {
            throw JournalError(
                .notAValue, "The \(what) of the machine '\(name)' is a class, '\(type)'.",
                advice: "Use a struct or an enum: a class can change without an action, and no replay would see that.",
                file: file, stream: stream)
        }
    }
}

extension ErrorLocation {
    /// - Parameter places: what differs.
    func impureReducer(_ action: String, _ places: [String]) -> JournalError {
        error(
            .impureReducer,
            "The reducer was called twice with the action '\(action)', and the results differ in \(places.listed(3)).",
            advice:
                "It may use only its action, state, environment and step. Usual causes: Date() (use step.time), UUID() (use "
                + "step.uuid()), random numbers (use the step as the generator), the order of a Set or a Dictionary (sort it), and "
                + "globals or objects that change.")
    }
}
