import JournalStore

extension JournalError {
    /// Whether only the replay of a step fails: what is stored can be shown all the same.
    var isOfReplay: Bool { code != .inputOutput && code != .cancelled }
}
