import JournalStore

extension Command {
    /// `export FILE [OUT]`
    static let export = Command(
        name: "export",
        summary: "Write all that a journal holds as text, one JSON object a line.",
        discussion: """
            The first line names the format, its version and that of the schema; then comes a line for each row of each \
            table; the last line counts them. 'import' makes the same journal of it. Without OUT it goes to standard \
            output.
            An app may go on writing meanwhile; the text is of one moment. Like a backup it is one long read.
            """,
        positionals: [
            .file,
            Positional(
                name: "OUT",
                help: "The file to be made; nothing may stand there. Standard output where it is left out, or -.",
                isOptional: true),
        ],
        keys: Transfer.keys.map(\.row),
        work: .reading { arguments, reader, output in
            let target = arguments[.out]
            guard !target.isEmpty, target != "-" else {
                // The data is JSON whatever is asked for, and nothing else goes there.
                try reader.export { try output.data($0) }
                return .fine
            }
            let transfer = Transfer(
                source: reader.file, target: Platform.resolve(target) ?? target, report: try reader.export(to: target))
            if output.isJSON {
                try output.object(transfer, Transfer.keys)
            } else {
                try output.line("Exported to \(SafeText.escape(transfer.target)): \(transfer.words).")
            }
            return .fine
        })
}
