import JournalStore

/// Goes through the entries of one stream, or of all in the order they were committed, a page in memory at a time.
struct EntryPages {
    let reader: JournalReader
    /// The stream; nil for all.
    let stream: String?
    /// The step, or over all streams the position, that the next page begins with.
    private(set) var next: Int
    /// The newest position seen.
    private(set) var position = 0

    static let size = 500

    init(_ reader: JournalReader, stream: String?, from start: Int = 1) {
        self.reader = reader
        self.stream = stream
        next = start
    }

    /// Empty behind the last one.
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
