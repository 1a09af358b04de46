import JournalStore

extension Command {
    /// `prune FILE --before STEP`
    static let prune = Command(
        name: "prune",
        summary: "Remove the entries of a stream up to the newest snapshot before a step.",
        discussion: """
            A state can only be computed from a snapshot before it. So prune looks for the newest snapshot before STEP \
            (of a settled step), makes it a base, and removes the entries up to it for good; the entries after it \
            stay, also those before STEP. If no snapshot is newer than the last base, there is nothing to remove: \
            'snapshots' lists them, 'snapshot' takes one. States before the base cannot be computed any more.
            A STEP after the end of the stream means its last step; the newest entry always stays.
            The entries that live effects need are kept: those from the snapshot before an effect's step up to that \
            step. If there is no entry to remove, nothing is changed. The records of ended effects are removed as well.
            The entries and records up to the new base are checked first. If an entry is damaged or missing, or a record or the old base is damaged, nothing is \
            removed, unless --accept-damage is there. A damaged snapshot cannot become the base.
            """ + Writing.manners,
        positionals: [.file, .theStream],
        options: [.stream, before, acceptDamage, .yes],
        keys: keys.map(\.row),
        work: .reading { arguments, reader, output in
            guard let step = arguments[before] else { throw UsageError("A step is missing: --before STEP.") }
            let stream = try arguments.theStream(reader)
            if arguments[.yes] { try await reader.checkCanBeWritten() }
            let report = try reader.prunePlan(in: stream, before: step, acceptingDamage: arguments[acceptDamage])
            let first = min(step, try reader.stream(stream).headStep)
            var done = Done(stream: stream, before: first, report: report, isDone: false)
            if arguments[.yes] {
                done.report = try await reader.writing {
                    try await $0.prune(stream, before: step, acceptingDamage: arguments[acceptDamage])
                }
                done.isDone = done.report.removedEntries > 0
            }
            if output.isJSON { try output.object(done, keys) } else { try output.line(done.sentence) }
            return .fine
        })

    private struct Done {
        var stream: String
        /// The first step that must be kept.
        var before: Int
        var report: PruneReport
        var isDone: Bool

        var sentence: String {
            let (base, name) = (report.base, "the stream '\(SafeText.escape(stream))'")
            let newest =
                base < before
                ? "the newest snapshot before step \(before) is of step \(base)"
                : "its base is of step \(base), which is not before step \(before)"
            let entries = Quantity.counted(report.keptEntries, "entry", "entries")
            let kept =
                report.keptEntries > 0
                ? " \(entries) up to that step \(report.keptEntries == 1 ? "is" : "are") kept for live effects." : ""
            guard report.removedEntries > 0 else {
                let gone = base < before ? " The entries up to that step were removed before." : ""
                return "Nothing to remove in \(name): \(newest)." + (kept.isEmpty ? gone : kept)
                    + " Nothing was changed."
            }
            let count = Quantity.counted(report.removedEntries, "entry", "entries")
            return "\(isDone ? "Removed" : "Would remove") \(count) up to step \(base) of \(name): \(newest).\(kept)"
                + (isDone ? "" : " " + Writing.remark)
        }
    }

    private static let before = Option<Int>.count(
        "before", "STEP", help: "The first step that must be kept. Steps before it can stay, too."
    ).asRequired

    private static let acceptDamage = Flag(
        "accept-damage",
        help: "Remove also entries and records that are damaged. Afterwards nothing tells of the damage.")

    private static let keys: [Key<Done>] = [
        Key("stream", "the stream") { .text($0.stream) },
        Key("base", "the step of the snapshot that becomes the base; null if there is no entry to remove") {
            .number($0.report.removedEntries > 0 ? $0.report.base : nil)
        },
        Key("removed", "the number of entries to remove") { .number($0.report.removedEntries) },
        Key("kept", "the number of entries up to the base that are kept because live effects need them") {
            .number($0.report.keptEntries)
        },
        Key("done", "whether it was done; false without --yes, or if there is no entry to remove") { .bool($0.isDone) },
    ]
}
