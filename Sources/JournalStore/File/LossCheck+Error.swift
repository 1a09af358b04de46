extension LossCheck {
    /// The error that nothing can be compared.
    ///
    /// - Parameter isNew: whether the sidecar is new, and not damaged.
    static func nothingRemembered(_ file: String, isNew: Bool) -> JournalError {
        JournalError(
            .acknowledgedEntriesLost,
            isNew
                ? "Its -lock file is new, so it is unknown whether entries are missing."
                : "Its -lock file has lost what it remembered, so it is unknown whether entries are missing.",
            advice: isNew
                ? "If a copy was put here, do nothing. Otherwise keep that file next to the journal."
                : "The next opening writes it anew. Compare the newest entries with what your app knows.",
            file: file)
    }

    /// The error that the sidecar is damaged, or another file has its name.
    static func damagedSidecar(_ file: String) -> JournalError {
        let lock = Sidecar.path(besides: file)
        return JournalError(
            .acknowledgedEntriesLost,
            "\(lock) is damaged, or is not the lock file of a journal: it is unknown whether entries are missing.",
            advice: "If this is the only problem, \(renaming(lock))", file: file)
    }

    /// The error that a newer version of the library wrote the sidecar.
    ///
    /// - Parameter isOpening: whether the journal was to be opened for writing. A reader works, but cannot compare.
    static func newerSidecar(_ file: String, isOpening: Bool) -> JournalError {
        let message = "A newer version of the library wrote \(Sidecar.path(besides: file))"
        return JournalError(
            .newerSchema, message + (isOpening ? "." : ": it is unknown whether entries are missing."),
            advice: "Update this program" + (isOpening ? "; the file was not touched." : "."), file: file)
    }

    /// The error that an opening has not finished replacing the file by a copy.
    static func replacing(_ file: String) -> JournalError {
        JournalError(
            .inputOutput,
            "After an I/O error a verified copy is put in the place of this file, and that is not finished.",
            advice:
                "Nothing is lost. Leave all files beside it as they are, also \(Sidecar.path(besides: file)), and open "
                + "the journal with its app: that goes on.", file: file)
    }

    /// How a journal is opened whose sidecar is damaged.
    static func renaming(_ lock: String) -> String {
        "rename it to \(lock)-old and open the journal again. That opening cannot notice missing entries."
    }

    /// What is missing, and what to do; nil if nothing is.
    static func error(_ verdict: Verdict, file: String) -> JournalError? {
        let accept =
            "restore a backup (move the file, its -wal, its -shm and its -lock away first), or open it with "
            + "`lostEntries = .accept`."
        let allowed = "The machine was restarted and the journal was written with NORMAL durability, which allows this."
        let lock = Sidecar.path(besides: file)
        func lost(_ message: String, _ advice: String) -> JournalError {
            JournalError(.acknowledgedEntriesLost, message, advice: advice, file: file)
        }
        switch verdict {
        case .complete: return nil
        case .lostRecords(let excused):
            return lost(
                "The newest acknowledged transaction is missing: changes of effects, remembered steps or cancels are "
                    + "gone.",
                excused ? allowed : "The WAL was damaged, or an older copy was put here: " + accept)
        case .lost(let expected, let found, let excused):
            return lost(
                "\(expected - found) acknowledged \(expected - found == 1 ? "entry is" : "entries are") missing: "
                    + "the file ends at position \(found), \(lock) remembers \(expected).",
                excused ? allowed : "The WAL was damaged, or an older copy was put here: " + accept)
        case .otherHistory(let position):
            return lost(
                "The entry at position \(position) is not the one that was acknowledged there.",
                "Another copy of this journal was put here: " + accept)
        case .otherJournal(let entries):
            return lost(
                "This is not the journal that was here before: \(lock) remembers one with \(entries) "
                    + "\(entries == 1 ? "entry" : "entries").",
                "If that one was removed on purpose, remove \(lock) as well; otherwise " + accept)
        }
    }
}
