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
        let areSame = zip(cascade, other).allSatisfy { isSame(Optional($0), $1) }
        if cascade.count != other.count || !areSame { places.append("cascade") }
        let (effects, others) = (first.reduction.effects.filter(isNoted), second.reduction.effects.filter(isNoted))
        for index in 0..<max(effects.count, others.count)
        where index >= effects.count || index >= others.count || !isSame(effects[index], others[index]) {
            places.append("effects[\(index)]")
        }
        return places
    }

    private func isNoted(_ part: Effect<Action>.Part) -> Bool { note(part) != nil }

    /// Whether two effects are equal, as far as that can be known: closures are not compared.
    private func isSame(_ one: Effect<Action>.Part, _ other: Effect<Action>.Part) -> Bool {
        guard note(one) == note(other) else { return false }
        guard case .run(let one) = one, case .run(let other) = other else { return true }
        return one.delay == other.delay && one.retry == other.retry && one.priority == other.priority
            && isSame(one.cancel, other.cancel) && isSame(one.orphan, other.orphan)
            && isSame(one.restart.action, other.restart.action) && one.restart.kind == other.restart.kind
            && isSame(one.failure?.action, other.failure?.action) && isSame(one.work, other.work)
    }

    private func isSame(_ one: Effect<Action>.Work, _ other: Effect<Action>.Work) -> Bool {
        switch (one, other) {
        case (.described(let one, _), .described(let other, _)): ValueDiff(from: one.value, to: other.value).isEmpty
        case (.timer(let plan, let one), .timer(let otherPlan, let other)):
            plan == otherPlan && isSame(Optional(one), Optional(other))
        case (.message(let one), .message(let other)): one == other
        default: true
        }
    }

    private func isSame(_ one: Action?, _ other: Action?) -> Bool {
        guard let one, let other else { return one == nil && other == nil }
        return isSame(one, other) || ValueDiff(from: one, to: other).isEmpty
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
