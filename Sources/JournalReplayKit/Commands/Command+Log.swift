import JournalStore

extension Command {
    /// `log FILE`
    static let log = Command(
        name: "log",
        summary: "List the entries of a journal.",
        discussion: """
            Without STREAM, the entries of all streams are listed in the order they were committed. Several \
            --name, --origin or --outcome select the entries that match any of them.
            OUTCOME is empty for a step that was reduced. A rejected or skipped step did not change the state. A step \
            is unsettled until its outcome is recorded: moments after it, or when an app opens the stream next.
            On a terminal only the beginning of an action of more than 4,000 bytes is shown; `show` prints all of it.
            A time is absolute, in UTC without a zone: 2025-12-31, 2025-12-31T23:59:59Z, 2025-12-31T23:59:59+01:00; or \
            a span before now: 45s, 10m, 2h30m, 3d, 1w. A date alone is the beginning of its day, and a time without \
            seconds that of its minute: --until 2025-12-31 leaves out that day.
            """,
        positionals: [.file, .stream],
        options: [.stream, LogOptions.from, LogOptions.to, LogOptions.last, LogOptions.origin, LogOptions.name]
            + [LogOptions.outcome, LogOptions.text, LogOptions.since, LogOptions.until, LogOptions.follow],
        keys: EntryRow.listed.map(\.row),
        work: .reading { arguments, reader, output in
            let query = try LogQuery(arguments, reader)
            let columns = EntryRow.columns(
                withStream: try arguments.namedStream() == nil, cutsLong: System.isTerminal(System.standardOutput))
            var listing = Listing(output, keys: EntryRow.listed, columns: columns)
            let unreadable = try await query.run(reader, warn: { output.warning($0.description) }) {
                page throws(Output.Failure) in
                try listing.write(page)
                // With --follow, show entries at once; otherwise the output is buffered.
                if query.follows { try output.flush() }
            }
            if query.follows, System.isClosed(System.standardOutput) { return .closedPipe }
            if listing.isEmpty, !query.follows {
                let near = try query.nearName(reader).map { " Did you mean --name '\($0)'?" }
                let pruned = try query.prunedStep(reader).map { " The entries up to step \($0) were pruned." }
                try output.note("No entry matches." + (near ?? "") + (pruned ?? ""))
            }
            if let error = unreadable.error(reader.file) { throw error }
            return .fine
        })
}
