import JournalStore

extension Command {
    /// `export FILE [OUT]`
    static let export = Command(
        name: "export",
        summary: "Write a whole journal as text, one JSON object per line.",
        discussion: """
            The first line has the format, its version and the version of the schema. Then each row of each table has \
            a line, except those of the openings and the migrations. The last line has the number of rows. 'import' creates the same journal from this text. Without \
            OUT, the text goes to standard output.
            Damaged rows are exported as they are. So the journal is verified after that: if it is damaged, the text \
            is complete, but 'import' refuses it unless only an index is damaged, and the exit code is \
            \(ExitCode.damaged.rawValue).
            An app may write meanwhile; the text shows the journal at one moment. Like a backup, it is one long read.
            """,
        positionals: [
            .file,
            Positional(
                name: "OUT",
                help: "The file to create; it must not exist. Without OUT, or with -, standard output.",
                isOptional: true),
        ],
        keys: Transfer.keys.map(\.row),
        work: .reading { arguments, reader, output in
            let target = arguments[.out]
            guard !target.isEmpty, target != "-" else {
                // The export is JSON with or without --json, and standard output gets nothing else.
                try reader.export { try output.data($0) }
                try checkCanBeImported(reader)
                return .fine
            }
            let transfer = Transfer(
                source: reader.file, target: Platform.resolve(target) ?? target, report: try reader.export(to: target))
            if output.isJSON {
                try output.object(transfer, Transfer.keys)
            } else {
                try output.line("Exported to \(SafeText.escape(transfer.target)): \(transfer.words).")
            }
            try checkCanBeImported(reader)
            return .fine
        })

    /// Throws if the journal that was exported does not verify: an import verifies what it has read.
    private static func checkCanBeImported(_ reader: JournalReader) throws(JournalError) {
        // An import leaves damaged caches out, and makes the schema and the list of openings anew. A warning has reported
        // missing entries, and an import accepts what is left.
        let problems = try reader.verify().problems.filter {
            !$0.isOfCache && !$0.isOfMissingEntries && !$0.isOfSchema && !$0.isOfOpenings
        }
        guard let problem = problems.first(where: { $0.step != nil }) ?? problems.first else { return }
        throw JournalError(
            .corrupt,
            "The export is complete, but the journal is damaged (\(problem.message)). `import` refuses it, unless only "
                + "an index is damaged: an import makes new ones.",
            advice: JournalError.adviceToVerify, file: reader.file, stream: problem.stream, step: problem.step)
    }
}
