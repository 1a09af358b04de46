import JournalStore

/// An export or an import that is done.
struct Transfer {
    var source: String?
    var target: String
    var report: TransferReport

    static let keys: [Key<Transfer>] = [
        Key("from", "what was read, absolute and without links; null for standard input") { .text($0.source) },
        Key("to", "what was made, absolute and without links") { .text($0.target) },
        Key("streams", "how many streams it has") { .number($0.report.streams) },
        Key("entries", "how many entries it has") { .number($0.report.entries) },
        Key("rows", "how many rows of all tables it has") { .number($0.report.rows) },
        Key("textBytes", "the length of the text") { .number($0.report.bytes) },
    ]

    /// What was written or read, in words.
    var words: String {
        [
            Quantity.counted(report.streams, "stream", "streams"),
            Quantity.counted(report.entries, "entry", "entries"),
            Quantity.bytes(Int64(report.bytes)) + " of text",
        ].joined(separator: ", ")
    }
}
