/// A recorded effect with the texts that identify it outside of the journal.
package struct ListedRun: Hashable, Sendable {
    /// The stream's name.
    package let stream: String
    package let run: EffectRun
    /// When the step that returned the effect was committed; nil if its entry was pruned.
    package let committed: Timestamp?
    /// What the effect passes to outside services; nil if its entry was pruned.
    package let idempotencyKey: String?
    /// The dispatch ID of the step at the start of its chain of causes, if the caller gave one.
    package let dispatchID: String?
}

/// An intervention with what it was done to.
package struct ListedIntervention: Hashable, Sendable {
    /// The stream's name.
    package let stream: String
    package let intervention: Intervention
    /// The name of the effect; nil for a step.
    package let effect: String?
    /// The action of the step; nil for an effect, or if its entry was pruned.
    package let action: String?
}
