// Whether a reducer is pure: the same action, state and step must give the same result.

extension Program {
    /// Where two results of the same step differ: paths, no values. Empty if they are equal.
    func differences(
        _ first: (reduction: Reduction<Action>, state: State), _ second: (reduction: Reduction<Action>, state: State)
    ) -> [String] {
        var places = differences(first.state, second.state)
        if first.reduction.outcome != second.reduction.outcome { places.append("outcome") }
        if first.reduction.isPlain && second.reduction.isPlain { return places }
        let (cascade, other) = (first.reduction.cascade, second.reduction.cascade)
        // NaN equals NaN here, as in states.
        let areSame = zip(cascade, other).allSatisfy { isSame($0, $1) || ValueDiff(from: $0, to: $1).isEmpty }
        if cascade.count != other.count || !areSame { places.append("cascade") }
        let (notes, others) = (first.reduction.effects.compactMap(note), second.reduction.effects.compactMap(note))
        for index in 0..<max(notes.count, others.count)
        where index >= notes.count || index >= others.count || notes[index] != others[index] {
            places.append("effects[\(index)]")
        }
        return places
    }

    /// Where two states differ: paths, no values.
    func differences(_ first: State, _ second: State) -> [String] {
        ReplayComparison<Action, State>.difference(first, second).map { change in
            change.path.isEmpty ? "state" : change.path.hasPrefix("[") ? "state\(change.path)" : "state.\(change.path)"
        }
    }
}

extension ErrorLocation {
    /// - Parameter places: what differs.
    func impureReducer(_ action: String, _ places: [String]) -> JournalError {
        error(
            .impureReducer,
            "The reducer was called twice with the action '\(action)', and the results differ in \(places.listed(3)).",
            advice: ErrorLocation.adviceForImpureReducer)
    }

    /// The state before a step was computed again, because something was rejected, and is another one.
    ///
    /// - Parameter places: what differs.
    func impureReducer(before places: [String]) -> JournalError {
        error(
            .impureReducer,
            "The state before this step was computed again, because the step rejects something, and differs in "
                + "\(places.listed(3)): an earlier step has two results.",
            advice: ErrorLocation.adviceForImpureReducer)
    }

    /// The state before a step has changed with the one after it.
    func changedObject(_ action: String) -> JournalError {
        error(
            .impureReducer,
            "The reducer has changed an object in the state with the action '\(action)': the state before the step, and "
                + "every copy that the app has, have changed too.",
            advice:
                "Use structs and enums in the state. A class is shared by all its copies, so a replay computes another "
                + "state. The steps of this store are reduced once from now on.")
    }

    private static let adviceForImpureReducer =
        "The reducer may use only its action, state, environment and step. Usual causes: Date() (use step.time), "
        + "UUID() (use step.uuid()), random numbers (use the step as the generator), the order of a Set or a "
        + "Dictionary (sort it), and globals or objects that change."
}
