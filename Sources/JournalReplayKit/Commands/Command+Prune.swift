import JournalStore

extension Command {
    /// `prune FILE --before STEP`
    static let prune = Command(
        name: "prune",
        summary: "Remove the entries of a stream before a step, as far as a snapshot stands in.",
        discussion: """
            The newest snapshot before the step becomes a base, and what is before it is removed for good: the past cannot \
            be replayed from there. What running effects need stays; the records of those that have ended go as well.
            """ + Writing.manners,
        positionals: [.file],
        options: [.theStream, before, .yes],
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
                ? "; \(Quantity.grouped(report.keptEntries)) before it stay for running effects" : ""
            let place = "up to step \(report.base) of the stream '\(SafeText.escape(stream))'\(kept)."
            return isDone
                ? "Removed \(count) \(place)"
                : "Would remove \(count) \(place) Nothing was changed; add --yes to do it."
        }
    }

    private static let before = Option<Int>.count("before", "STEP", help: "The first step that must stay.")

    private static let keys: [Key<Done>] = [
        Key("stream", "the stream") { .text($0.stream) },
        Key("base", "the step whose snapshot stands in for what is before") { .number($0.report.base) },
        Key("removed", "how many entries are removed") { .number($0.report.removedEntries) },
        Key("kept", "how many entries up to the base stay, because running effects need them") {
            .number($0.report.keptEntries)
        },
        Key("done", "whether it was done, or only told") { .bool($0.isDone) },
    ]
}
