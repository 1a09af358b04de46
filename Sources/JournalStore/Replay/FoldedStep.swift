/// One step of a fold and its result.
struct FoldedStep<Action: Sendable, State: Sendable>: Sendable {
    let entry: Entry
    /// Its action; nil if it was skipped, unless a hypothesis replaces its action.
    let action: Action?
    /// The state after the reducer. At a base the fold continues with the base's state instead.
    let after: State
    let reduction: Reduction<Action>
}

extension Program {
    /// The action of a step for those who show it.
    ///
    /// - Throws: the step was skipped, and its action cannot be decoded.
    func action(
        of folded: FoldedStep<Action, State>, _ place: ErrorLocation
    ) throws(JournalError) -> Action {
        if let action = folded.action { action } else { try action(of: folded.entry, place) }
    }
}

extension Transition {
    init(_ folded: FoldedStep<Action, State>, _ action: Action, from before: State, to after: State) {
        self.init(
            action, folded.reduction, stream: folded.entry.stream, step: folded.entry.step, time: folded.entry.time,
            origin: folded.entry.origin, from: before, to: after)
    }
}
