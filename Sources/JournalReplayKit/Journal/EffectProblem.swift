import JournalStore

extension EffectRun.Status {
    /// Whether somebody should look at an effect of this status.
    var isProblem: Bool {
        [.failed, .parked, .orphaned].contains(self)
    }
}
