import JournalStore

extension Command {
    /// `migrate FILE`
    static let migrate = Command(
        name: "migrate",
        summary: "Migrate an older journal to the schema of this version.",
        discussion: "An app does this itself when it opens the journal." + Writing.manners,
        positionals: [.file],
        options: [.yes],
        keys: keys.map(\.row),
        work: .reading { arguments, reader, output in
            let from = try reader.statistics().schemaVersion
            var done = Done(file: reader.file ?? "", from: from, to: JournalReader.schemaVersion, isDone: false)
            if done.from < done.to, arguments[.yes] {
                // Opening the journal for writing migrates it.
                try await reader.writing { _ in }
                done.isDone = true
            }
            if output.isJSON { try output.object(done, keys) } else { try output.line(done.sentence) }
            return .fine
        })

    private struct Done {
        var file: String
        var from: Int
        var to: Int
        var isDone: Bool

        var sentence: String {
            if from == to { return "The schema is already version \(to), the newest: there is nothing to do." }
            return isDone
                ? "Migrated from version \(from) of the schema to version \(to)."
                : "Would migrate from version \(from) of the schema to version \(to). \(Writing.remark)"
        }
    }

    private static let keys: [Key<Done>] = [
        Key("file", "the journal") { .text($0.file) },
        Key("from", "the previous version of its schema") { .number($0.from) },
        Key("to", "the newest version of the schema") { .number($0.to) },
        Key("done", "whether the journal was migrated") { .bool($0.isDone) },
    ]
}
