/// What an export wrote, or an import read.
public struct TransferReport: Hashable, Sendable {
    /// The streams of the journal.
    public internal(set) var streams = 0
    /// The entries of all streams.
    public internal(set) var entries = 0
    /// The rows of all tables.
    public internal(set) var rows = 0
    /// The length of the text.
    public internal(set) var bytes = 0
    /// How many damaged snapshots an import left out. They are not among the rows.
    package private(set) var omittedSnapshots = 0

    mutating func omit(snapshots: Int) {
        omittedSnapshots += snapshots
        rows -= snapshots
    }
}

extension TransferReport: CustomStringConvertible {
    /// All counts in one line.
    public var description: String {
        [
            streams.counted("stream", "streams"), entries.counted("entry", "entries"), rows.counted("row", "rows"),
            bytes.counted("byte", "bytes"),
        ].joined(separator: ", ")
    }
}

extension TransferReport {
    init(_ counts: [(table: String, rows: Int)], bytes: Int) {
        for (table, rows) in counts {
            self.rows += rows
            if table == "stream" { streams = rows }
            if table == "entry" { entries = rows }
        }
        self.bytes = bytes
    }
}
