import JournalStore

extension Command {
    /// `backup FILE OUT`
    static let backup = Command(
        name: "backup",
        summary: "Copy a journal into one new file, also while an app writes it.",
        discussion: """
            The copy is verified and on the disk before it gets its name. Nothing is overwritten, and no folder is made.
            """,
        positionals: [.file, out],
        keys: keys.map(\.row),
        work: .reading { arguments, reader, output in
            let target = arguments[out]
            try await reader.backup(to: target)
            let copy = Copy(
                file: reader.file ?? "", target: Platform.resolve(target) ?? target,
                bytes: Platform.status(ofPath: target)?.size ?? 0)
            if output.isJSON {
                try output.object(copy, keys)
            } else {
                try output.line("Copied to \(SafeText.escape(copy.target)): \(Quantity.bytes(copy.bytes)), verified.")
            }
            return .fine
        })

    private struct Copy {
        var file: String
        var target: String
        var bytes: Int64
    }

    private static let out = Positional(name: "OUT", help: "The file to be made; nothing may stand there.")

    private static let keys: [Key<Copy>] = [
        Key("file", "the journal") { .text($0.file) },
        Key("copy", "the copy, absolute and without links") { .text($0.target) },
        Key("bytes", "the size of the copy") { .number($0.bytes) },
    ]
}
