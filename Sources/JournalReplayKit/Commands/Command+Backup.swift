import JournalStore

extension Command {
    /// `backup FILE OUT`
    static let backup = Command(
        name: "backup",
        summary: "Copy a journal to one new file, even while an app writes to it.",
        discussion: """
            The copy is verified and synced before it gets its name. No file is overwritten, and no folder is created.
            The copy is the same journal. To use both, add --detach: in the copy, live effects then wait for a \
            decision (status asked), as the original runs them, and new steps get other IDs and random numbers.
            """,
        positionals: [.file, .out],
        options: [detach],
        keys: keys.map(\.row),
        work: .reading { arguments, reader, output in
            let target = try Arguments.newFile(arguments[.out])
            let isDetached = arguments[detach]
            let omitted = try await reader.backUp(to: target, detached: isDetached)
            let copy = Copy(
                file: reader.file ?? "", target: Platform.resolve(target) ?? target,
                bytes: Platform.status(ofPath: target)?.size ?? 0, isDetached: isDetached, omitted: omitted)
            if output.isJSON {
                try output.object(copy, keys)
            } else {
                let verified = isDetached ? "verified, detached" : "verified"
                try output.line(
                    "Copied to \(SafeText.escape(copy.target)): \(Quantity.bytes(copy.bytes)), \(verified).")
            }
            warn(ofOmittedSnapshots: omitted, output)
            return .fine
        })

    /// Tells that a copy lacks snapshots that were damaged.
    static func warn(ofOmittedSnapshots count: Int, _ output: Output) {
        guard count > 0 else { return }
        let snapshots = Quantity.counted(count, "damaged snapshot was", "damaged snapshots were")
        output.warning("\(snapshots) left out. Nothing is lost: the states can be computed again.")
    }

    private struct Copy {
        var file: String
        var target: String
        var bytes: Int64
        var isDetached: Bool
        var omitted: Int
    }

    private static let detach = Flag("detach", help: "Make the copy a separate journal.")

    private static let keys: [Key<Copy>] = [
        Key("file", "the journal") { .text($0.file) },
        Key("copy", "the path of the copy, absolute and without links") { .text($0.target) },
        Key("bytes", "the size of the copy") { .number($0.bytes) },
        Key("detached", "whether the copy is a separate journal") { .bool($0.isDetached) },
        Key("omittedSnapshots", "the number of damaged snapshots that it lacks") { .number($0.omitted) },
    ]
}
