import JournalStore

extension EffectRun.Status {
    /// Whether an effect with this status needs attention.
    var isProblem: Bool {
        [.failed, .parked, .orphaned].contains(self)
    }
}
