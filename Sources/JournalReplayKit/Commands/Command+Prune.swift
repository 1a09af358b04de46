import JournalStore

extension Command {
    /// `prune FILE --before STEP`
    static let prune = Command(
        name: "prune",
        summary: "Remove the entries of a stream up to the newest snapshot before a step.",
        discussion: """
            That snapshot becomes a base. The entries up to it are removed for good: earlier steps cannot be replayed \
            any more. What live effects need is kept; the records of ended effects are removed as well.
            """ + Writing.manners,
        positionals: [.file, .theStream],
        options: [.stream, before, .yes],
        keys: keys.map(\.row),
        work: .reading { arguments, reader, output in
            guard let step = arguments[before] else { throw UsageError("A step is missing: --before STEP.") }
            let stream = try arguments.theStream(reader)
            var done = Done(stream: stream, report: try reader.prunePlan(of: stream, before: step), isDone: false)
            if arguments[.yes] {
                done.report = try await reader.writing { try await $0.prune(stream, before: step) }
                done.isDone = true
            }
            if output.isJSON { try output.object(done, keys) } else { try output.line(done.sentence) }
            return .fine
        })

    private struct Done {
        var stream: String
        var report: PruneReport
        var isDone: Bool

        var sentence: String {
            let count = Quantity.counted(report.removedEntries, "entry", "entries")
            let kept =
                report.keptEntries > 0
                ? "; \(Quantity.grouped(report.keptEntries)) others are kept for live effects" : ""
            let place = "up to step \(report.base) of the stream '\(SafeText.escape(stream))'\(kept)."
            return isDone
                ? "Removed \(count) \(place)"
                : "Would remove \(count) \(place) Nothing was changed; add --yes to do it."
        }
    }

    private static let before = Option<Int>.count("before", "STEP", help: "The first step that must be kept.")

    private static let keys: [Key<Done>] = [
        Key("stream", "the stream") { .text($0.stream) },
        Key("base", "the step of the snapshot that becomes the base") { .number($0.report.base) },
        Key("removed", "the number of entries to remove") { .number($0.report.removedEntries) },
        Key("kept", "the number of entries up to the base that are kept because live effects need them") {
            .number($0.report.keptEntries)
        },
        Key("done", "whether it was done; false without --yes") { .bool($0.isDone) },
    ]
}
