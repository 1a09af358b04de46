import JournalStore

/// A finished export or import.
struct Transfer {
    var source: String?
    var target: String
    var report: TransferReport

    static let keys: [Key<Transfer>] = [
        Key("from", "the path that was read, absolute and without links; null for standard input") { .text($0.source) },
        Key("to", "the path that was created, absolute and without links") { .text($0.target) },
        Key("streams", "the number of streams") { .number($0.report.streams) },
        Key("entries", "the number of entries") { .number($0.report.entries) },
        Key("rows", "the number of rows of all tables") { .number($0.report.rows) },
        Key("omittedSnapshots", "the number of damaged snapshots that were left out") {
            .number($0.report.omittedSnapshots)
        },
        Key("textBytes", "the length of the text") { .number($0.report.bytes) },
    ]

    /// The contents that were transferred, in words.
    var words: String {
        [
            Quantity.counted(report.streams, "stream", "streams"),
            Quantity.counted(report.entries, "entry", "entries"),
            Quantity.bytes(Int64(report.bytes)) + " of text",
        ].joined(separator: ", ")
    }
}
