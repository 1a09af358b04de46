import JournalStore

// The few commands that write: they say what they would do, and do it with --yes.

enum Writing {
    static let manners =
        "\nWithout --yes it only says what it would do. It is refused while an app holds the journal."
}

extension OptionRow where Self == Flag {
    static var yes: Flag { Flag("yes", short: "y", help: "Do it.") }
}

extension JournalReader {
    /// Writes the journal that this reads. Refused while an app holds it.
    func writing<Value>(_ act: (Journal) async throws -> Value) async throws -> Value {
        guard let file else { throw JournalError(.badArgument, "A journal in memory has no file.") }
        var options = Journal.Options()
        // What somebody asks for stays, until the app's own snapshots push it out.
        options.retention.last = .max
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
