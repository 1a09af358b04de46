import JournalStore

extension Command {
    /// `log FILE`
    static let log = Command(
        name: "log",
        summary: "List the entries of a journal.",
        discussion: """
            Without --stream it lists the entries of all streams in the order they were committed. --type and --origin \
            may be given several times; an entry needs one of them.
            Times are in UTC unless they say otherwise: 2025-12-31, 2025-12-31T23:59:59Z, 2025-12-31T23:59:59+01:00.
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
                // Who follows wants to see it now; a list is gathered.
                if query.follows { try output.flush() }
            }
            if listing.isEmpty, !query.follows { try output.note("No entry matches.") }
            return .fine
        })
}

/// The options of `log`.
enum LogOptions {
    static let from = Option<Int>.count("from", "STEP", help: "Begin with this step of the stream.")
    static let to = Option<Int>.count("to", "STEP", help: "End with this step of the stream.")
    static let last = Option<Int>.count("last", short: "n", "N", help: "Only the last N of those that match.")
    static let origin = Option<Origin>.word(
        "origin", "ORIGIN", help: "Only what came from there.",
        Origin.allCases.map { ($0.description, $0) })
    static let type = Option<String>.text("type", "NAME", help: "Only the actions of this name: pay for {\"pay\":{}}.")
    static let text = Option<String>.text("grep", "TEXT", help: "Only the actions with this text in their JSON.")
    static let since = Option<Timestamp>.time("since", help: "Only what was committed at this time or later.")
    static let until = Option<Timestamp>.time("until", help: "Only what was committed at this time or before.")
    static let follow = Flag("follow", short: "f", help: "Go on with new entries until it is interrupted.")
}

extension OptionRow where Self == Option<String> {
    /// The stream that a command is about.
    static var stream: Self { .text("stream", "NAME", help: "Only this stream.") }
}
