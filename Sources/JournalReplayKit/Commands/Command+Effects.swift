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
            for stream in try arguments[.stream].map({ [$0] }) ?? reader.streams().map(\.name) {
                _ = try reader.stream(stream)
                try reader.forEachPage(ofEffectsIn: stream) { page in
                    try listing.write(
                        page.filter { wanted.isEmpty || wanted.contains($0.status) }
                            .map { RunRow(stream: stream, run: $0) })
                }
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

extension JournalReader {
    /// Visits the recorded effects of a stream in the order of their steps, with one page in memory at a time.
    fileprivate func forEachPage(ofEffectsIn stream: String, _ visit: ([EffectRun]) throws -> Void) throws {
        var place = (step: -1, ordinal: -1)
        while true {
            let page = try effectRuns(of: stream, after: place, limit: 500)
            guard let last = page.last else { return }
            try visit(page)
            place = (last.step, last.ordinal)
        }
    }
}
