/// One step of the past, reduced again: what went in, and what came out. Nothing was run.
public struct ReplayedStep<Action: Sendable, State: Sendable>: Sendable {
    /// The entry as it is stored.
    public let entry: Entry
    /// Its action; in a hypothesis the one that stands in for it.
    public let action: Action
    /// The state before it.
    public let before: State
    /// The state after it, as the reducer made it.
    public let after: State
    /// The actions that `.next` added to it.
    public let cascade: [Action]
    /// Why the reducer refused it; nil where it did not.
    public let rejection: String?
    /// Whether it was passed over, by an operator or by a hypothesis: it was not reduced.
    public let isSkipped: Bool
    /// What it returned, in order.
    public let effects: [ReplayedEffect]

    /// The step.
    public var step: Int { entry.step }
    /// What it changed.
    public var changes: ValueDiff { ValueDiff(from: before, to: after) }

    init(_ folded: FoldedStep<Action, State>, _ program: Program<Action, State>) {
        entry = folded.entry
        action = folded.action
        before = folded.before
        after = folded.after
        cascade = folded.reduction.cascade
        rejection = if case .rejected(let reason) = folded.reduction.outcome { reason } else { nil }
        isSkipped = folded.reduction.outcome == .skipped
        effects = program.effects(of: folded).map(ReplayedEffect.init)
    }
}

/// One of the effects that a step returned.
public struct ReplayedEffect: Hashable, Sendable, CustomStringConvertible {
    /// As the journal records it: `{"run":"charge","id":{"PaymentID":{"order":7}}}`.
    public let description: String

    init(_ note: EffectNote) {
        description = note.json
    }
}
