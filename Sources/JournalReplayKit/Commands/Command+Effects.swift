import JournalStore

extension Command {
    /// `effects FILE`
    static let effects = Command(
        name: "effects",
        summary: "List the effects that a journal records.",
        discussion: """
            An effect is written as its step and its ordinal among the effects of that step: 17.0 is the first effect \
            of step 17. Streams are listed in the order of their creation, effects in the order of their steps.
            --status may be given several times; it selects the effects with any of these statuses.
            """,
        positionals: [.file],
        options: [.stream, status],
        keys: RunRow.keys.map(\.row),
        work: .reading { arguments, reader, output in
            let wanted = Set(arguments.all(status).flatMap(\.self))
            var listing = Listing(
                output, keys: RunRow.keys, columns: RunRow.columns(withStream: arguments[.stream] == nil))
            try reader.forEachEffect(of: arguments[.stream]) { page in
                try listing.write(
                    page.filter { wanted.isEmpty || wanted.contains($0.run.status) }
                        .map { RunRow(stream: $0.stream, run: $0.run) })
            }
            if listing.isEmpty { try output.note("No effect matches.") }
            return .fine
        })

    private static let status = Option<[EffectRun.Status]>.word(
        "status", "STATUS",
        help: "Only effects with this status; live selects all effects that have not ended.",
        [("live", EffectRun.Status.allCases.filter { !$0.isFinal })]
            + EffectRun.Status.allCases.map { ($0.rawValue, [$0]) })
}
