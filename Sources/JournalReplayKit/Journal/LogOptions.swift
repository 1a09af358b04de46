import JournalStore

/// The options of `log`.
enum LogOptions {
    static let from = Option<Int>.count("from", "STEP", help: "Begin with this step of the stream.")
    static let to = Option<Int>.count("to", "STEP", help: "End with this step of the stream.")
    static let last = Option<Int>.count("last", short: "n", "N", help: "Only the last N matching entries.")
    static let origin = Option<Origin>.word(
        "origin", "ORIGIN", help: "Only entries with this origin.",
        Origin.allCases.map { ($0.description, $0) }
    ).asList
    static let outcome = Option<StepRecord.Outcome?>.word(
        "outcome", "OUTCOME", help: "Only steps with this outcome.",
        [
            ("reduced", .reduced), ("rejected", .rejected), ("skipped", .skipped), ("cancelled", .cancelled),
            ("unsettled", nil),
        ]
    ).asList
    static let name = Option<String>.text(
        "name", "NAME", help: "Only actions with this name: pay for {\"pay\":{}}."
    ).asList
    static let text = Option<String>.text("grep", "TEXT", help: "Only actions with this text in their JSON.")
    static let since = Option<Timestamp>.time("since", help: "Only entries committed at this time or later.")
    static let until = Option<Timestamp>.time("until", help: "Only entries committed at this time or earlier.")
    static let follow = Flag(
        "follow", short: "f",
        help:
            "Then wait for new entries, until interrupted. With --outcome, an entry whose outcome is recorded more than five "
            + "seconds later is not listed.")
}
