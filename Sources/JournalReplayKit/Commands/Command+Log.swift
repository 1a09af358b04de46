import JournalStore

extension Command {
    /// `log FILE`
    static let log = Command(
        name: "log",
        summary: "List the entries of a journal.",
        discussion: """
            Without --stream, the entries of all streams are listed in the order they were committed. --type and \
            --origin may be given several times; each selects the entries that match any of its values.
            Times without a zone are in UTC: 2025-12-31, 2025-12-31T23:59:59Z, 2025-12-31T23:59:59+01:00.
            """,
        positionals: [.file],
        options: [.stream, LogOptions.from, LogOptions.to, LogOptions.last, LogOptions.origin, LogOptions.type]
            + [LogOptions.text, LogOptions.since, LogOptions.until, LogOptions.follow],
        keys: EntryRow.keys.map(\.row),
        work: .reading { arguments, reader, output in
            let query = try LogQuery(arguments, reader)
            var listing = Listing(
                output, keys: EntryRow.keys, columns: EntryRow.columns(withStream: arguments[.stream] == nil))
            try await query.run(reader) { page throws(Output.Failure) in
                try listing.write(page.map(EntryRow.init))
                // With --follow, show entries at once; otherwise the output is buffered.
                if query.follows { try output.flush() }
            }
            if listing.isEmpty, !query.follows { try output.note("No entry matches.") }
            return .fine
        })
}

enum LogOptions {
    static let from = Option<Int>.count("from", "STEP", help: "Begin with this step of the stream.")
    static let to = Option<Int>.count("to", "STEP", help: "End with this step of the stream.")
    static let last = Option<Int>.count("last", short: "n", "N", help: "Only the last N matching entries.")
    static let origin = Option<Origin>.word(
        "origin", "ORIGIN", help: "Only entries with this origin.",
        Origin.allCases.map { ($0.description, $0) })
    static let type = Option<String>.text("type", "NAME", help: "Only actions with this name: pay for {\"pay\":{}}.")
    static let text = Option<String>.text("grep", "TEXT", help: "Only actions with this text in their JSON.")
    static let since = Option<Timestamp>.time("since", help: "Only entries committed at this time or later.")
    static let until = Option<Timestamp>.time("until", help: "Only entries committed at this time or earlier.")
    static let follow = Flag("follow", short: "f", help: "Then wait for new entries, until interrupted.")
}

extension OptionRow where Self == Option<String> {
    /// The stream to which a list is limited.
    static var stream: Self { .text("stream", "NAME", help: "Only this stream.") }
}
