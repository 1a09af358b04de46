import JournalStore

extension JournalError {
    /// The same error for the output of `verify`, where the advice to run `verify` does not help.
    ///
    /// - Parameter canBeRead: whether the journal could be opened, so that `log` shows more of it.
    func verified(canBeRead: Bool) -> JournalError {
        guard advice.contains("journal-replay verify") else { return self }
        var error = self
        error.advice =
            canBeRead
            ? JournalError.adviceForKnownDamage
            : adviceForForeignWAL.map { "\($0) If that does not help, restore a backup." }
                ?? "Restore a backup, unless `log --json` still reads it."
        return error
    }

    /// What to do about damage that a command other than `verify` has met.
    static let adviceToVerify = "Run `verify` to see all damage, and restore a backup."

    /// What to do with a journal that is known to be damaged.
    static let adviceForKnownDamage =
        "Restore a backup. `log --json` writes the entries that can still be read."
}
