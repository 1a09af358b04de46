import JournalStore

extension JournalOpening {
    /// Whether the journal was there before.
    var isRestart: Bool { number > 1 }
}
