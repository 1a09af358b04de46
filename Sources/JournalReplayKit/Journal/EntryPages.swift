import JournalStore

/// Reads the entries of one stream, or of all streams in commit order, with one page in memory at a time.
struct EntryPages {
    let reader: JournalReader
    /// The stream; nil for all streams.
    let stream: String?
    /// Where the next page begins: a step of the stream, or a position if all streams are read.
    private(set) var next: Int
    /// The newest position that was read.
    private(set) var position = 0

    static let size = 500

    init(_ reader: JournalReader, stream: String?, from start: Int = 1) {
        self.reader = reader
        self.stream = stream
        next = start
    }

    /// Reads the next page; it is empty after the last entry.
    mutating func page() throws(JournalError) -> [Entry] {
        let entries =
            if let stream {
                try reader.entries(in: stream, from: next, limit: EntryPages.size)
            } else {
                try reader.entries(after: next - 1, limit: EntryPages.size)
            }
        if let last = entries.last {
            next = (stream == nil ? last.position : last.step) + 1
            position = last.position
        }
        return entries
    }
}
