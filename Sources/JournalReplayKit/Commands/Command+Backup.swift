import JournalStore

extension Command {
    /// `backup FILE OUT`
    static let backup = Command(
        name: "backup",
        summary: "Copy a journal into one new file, also while an app writes it.",
        discussion: """
            The copy is verified and on the disk before it gets its name. Nothing is overwritten, and no folder is made.
            A copy is the same journal. One that is to be opened beside it needs --detach: effects that have not ended are \
            asked about there, as they go on here, and steps to come have other IDs and random numbers.
            """,
        positionals: [.file, .out],
        options: [detach],
        keys: keys.map(\.row),
        work: .reading { arguments, reader, output in
            let target = arguments[.out]
            let isDetached = arguments[detach]
            try await reader.backup(to: target, detached: isDetached)
            let copy = Copy(
                file: reader.file ?? "", target: Platform.resolve(target) ?? target,
                bytes: Platform.status(ofPath: target)?.size ?? 0, isDetached: isDetached)
            if output.isJSON {
                try output.object(copy, keys)
            } else {
                let verified = isDetached ? "verified, detached" : "verified"
                try output.line(
                    "Copied to \(SafeText.escape(copy.target)): \(Quantity.bytes(copy.bytes)), \(verified).")
            }
            return .fine
        })

    private struct Copy {
        var file: String
        var target: String
        var bytes: Int64
        var isDetached: Bool
    }

    private static let detach = Flag("detach", help: "Make the copy a journal of its own.")

    private static let keys: [Key<Copy>] = [
        Key("file", "the journal") { .text($0.file) },
        Key("copy", "the copy, absolute and without links") { .text($0.target) },
        Key("bytes", "the size of the copy") { .number($0.bytes) },
        Key("detached", "whether it is a journal of its own") { .bool($0.isDetached) },
    ]
}
