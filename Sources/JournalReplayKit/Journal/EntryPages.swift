import JournalStore

/// Reads the entries of one stream, or of all streams in commit order, with one page in memory at a time. Passes over what is damaged.
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

    /// How many places in a row may be unreadable.
    private static let patience = 10_000

    /// Reads the next page; it is empty after the last entry.
    mutating func page(_ unreadable: inout Unreadable) throws(JournalError) -> [Entry] {
        do throws(JournalError) { return try page(EntryPages.size) } catch {
            guard error.isDamage else { throw error }
            return try readablePage(unless: error, &unreadable)
        }
    }

    /// Reads a page entry by entry.
    ///
    /// - Parameter error: thrown if nothing more can be read.
    private mutating func readablePage(
        unless error: JournalError, _ unreadable: inout Unreadable
    ) throws(JournalError) -> [Entry] {
        var entries: [Entry] = []
        var missed = 0
        var isEnd = false
        while entries.count < EntryPages.size, !isEnd {
            do throws(JournalError) {
                let found = try page(1)
                unreadable.entries += missed
                missed = 0
                if found.isEmpty { isEnd = true }
                entries += found
            } catch {
                guard error.isDamage else { throw error }
                missed += 1
                next += 1
                isEnd = missed > EntryPages.patience
            }
        }
        unreadable.entries += missed
        // If all that follows is damaged, the next call throws.
        guard !entries.isEmpty || missed == 0 && position > 0 else { throw error }
        return entries
    }

    private mutating func page(_ limit: Int) throws(JournalError) -> [Entry] {
        let entries =
            if let stream {
                try reader.entries(in: stream, from: next, limit: limit)
            } else {
                try reader.entries(after: next - 1, limit: limit)
            }
        if let last = entries.last {
            next = (stream == nil ? last.position : last.step) + 1
            position = last.position
        }
        return entries
    }
}
