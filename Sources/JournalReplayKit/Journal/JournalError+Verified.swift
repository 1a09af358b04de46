import JournalStore

extension JournalError {
    /// The same error for the output of `verify`, where the advice to run `verify` does not help.
    var verified: JournalError {
        guard advice.contains("journal-replay verify") else { return self }
        var error = self
        error.advice = JournalError.adviceForDamage
        return error
    }

    /// What to do with a journal that is known to be damaged.
    static let adviceForDamage =
        "Restore a backup. `journal-replay log --json` writes the entries that can still be read."
}
