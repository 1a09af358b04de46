import JournalStore

// For the commands that write. Without --yes they only report what they would do.

enum Writing {
    /// The end of a report about what would be done.
    static let remark = "Nothing was changed; add --yes to do it."

    /// For the acts that the process which holds the journal can carry out.
    static let operatorManners =
        "\nWithout --yes it only reports what it would do. With --yes the app that holds the journal does it at once, "
        + "through the socket next to it; if no app holds it, it is done in the file."

    static func report(_ notice: Notice) {
        // The documents list notices by their kinds. The code of the error can be that of a worse one.
        var error = notice.error
        error.code = JournalError.Code(rawValue: notice.kind.rawValue)
        let line = "Warning: \(SafeText.escape(error.description))\n"
        // A failure is ignored: there is nowhere left to report it.
        _ = Array(line.utf8).withUnsafeBytes { System.write($0, to: System.standardError) }
    }

    static let manners =
        "\nWithout --yes it only reports what it would do. With --yes it is refused while an app writes to the journal."
}

extension OptionRow where Self == Flag {
    static var yes: Flag { Flag("yes", short: "y", help: "Do it, not only report it.") }
    static var dryRun: Flag { Flag("dry-run", help: "Only report what would be done; the same as without --yes.") }
}

extension JournalReader {
    /// Throws while an app holds the journal: then it does not matter what else is wrong.
    func checkCanBeWritten() async throws {
        guard let file, try JournalHolder(of: file) != nil else { return }
        // The opening is refused with an error that names the holder.
        try await writing { _ in }
    }

    /// Opens the reader's journal for writing and passes it to `act`. Throws while an app holds the journal.
    func writing<Value>(_ act: (Journal) async throws -> Value) async throws -> Value {
        guard let file else { throw JournalError(.badArgument, "A journal in memory has no file.") }
        var options = Journal.Options()
        // Keep all snapshots: one that an operator took stays until the retention of the app drops it.
        options.retention.last = .max
        options.acceptsOperators = false
        options.isTool = true
        // What an opening reports it reports once: a copy after a failure, entries that are lost.
        options.report = { Writing.report($0) }
        let journal = try Journal(path: file, options: options)
        let value: Value
        do { value = try await act(journal) } catch {
            try? await journal.close()
            throw error
        }
        try await journal.close()
        return value
    }
}
