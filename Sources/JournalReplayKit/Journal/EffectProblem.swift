import JournalStore

extension EffectRun.Status {
    /// Whether an effect with this status needs attention: it has failed, or waits for a person.
    var isProblem: Bool {
        [.failed, .asked, .parked, .orphaned].contains(self)
    }
}
