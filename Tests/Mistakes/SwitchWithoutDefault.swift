import JournalStore

// Later versions may add a status: a `switch` needs `@unknown default`.
func isAtWork(_ run: EffectRun) -> Bool {
    // error: switch covers known cases, but 'EffectRun.Status' may have additional unknown values
    switch run.status {
    case .running, .delayed, .waiting: true
    case .asked, .parked, .orphaned, .cancelling, .completed, .failed, .cancelled, .evicted, .discarded: false
    }
}
