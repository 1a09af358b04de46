/// One step of the history, reduced again: its action and its results. No effect was run.
public struct ReplayedStep<Action: Sendable, State: Sendable>: Sendable {
    /// The entry as it is stored.
    public let entry: Entry
    /// Its action, or the one that the replayer was given in place of it.
    public let action: Action
    /// The state before it.
    public let before: State
    /// The state after it, as the reducer made it.
    public let after: State
    /// The actions that `.next` added to it, without those that the reducer rejected.
    public let cascade: [Action]
    /// Why the reducer rejected it; nil if it did not.
    public let rejection: String?
    /// Whether it was not reduced: an operator or the replayer skipped it, or an earlier step had cancelled the effect
    /// that sent the action.
    public let isSkipped: Bool
    /// The effects it returned, in order.
    public let effects: [ReplayedEffect]

    /// The step.
    public var step: Int { entry.step }
    /// The difference between the two states.
    public var changes: ValueDiff { ValueDiff(from: before, to: after) }

    /// - Throws: the step was skipped, and its action cannot be decoded.
    init(
        _ folded: FoldedStep<Action, State>, from before: State, _ program: Program<Action, State>,
        _ place: ErrorLocation
    ) throws(JournalError) {
        entry = folded.entry
        action = try program.action(of: folded, place)
        self.before = before
        after = folded.after
        cascade = folded.reduction.cascade
        rejection = if case .rejected(let reason) = folded.reduction.outcome { reason } else { nil }
        isSkipped = folded.reduction.outcome == .skipped
        effects = program.parts(of: folded, from: before).compactMap { ReplayedEffect($0, program) }
    }
}

extension ReplayedStep: CustomStringConvertible {
    /// The step, the stream, where and when the action came from, its name, and whether it was rejected or skipped.
    public var description: String {
        StepLine.text(step, of: entry.stream, entry.origin, at: entry.time, action: StoredName.ofCase(action))
            + StepLine.ending(isSkipped: isSkipped, rejection: rejection)
    }
}
