import JournalStore

/// Searches a journal from its end.
struct NewestEntries {
    let reader: JournalReader

    /// The step or position from which ``EntryPages`` reads exactly the last `count` matching entries.
    ///
    /// - Parameters:
    ///   - count: The number of matching entries.
    ///   - stream: The stream; nil for all streams.
    ///   - step: The newest step to consider; nil for no limit.
    ///   - select: Returns the matching entries of a page, in their order.
    func start(
        ofLast count: Int, in stream: String?, upTo step: Int?,
        _ select: ([Entry]) throws(JournalError) -> [Entry]
    ) throws(JournalError) -> Int {
        var missing = count
        var start = 1
        func isEnough(_ page: [Entry]) throws(JournalError) -> Bool {
            for entry in try select(page) {
                missing -= 1
                start = stream == nil ? entry.position : entry.step
                if missing == 0 { return true }
            }
            return false
        }
        if let stream {
            var next = step
            while true {
                let page = try reader.entries(in: stream, from: next, limit: EntryPages.size, .backwards)
                guard let last = page.last, try !isEnough(page) else { return start }
                next = last.step - 1
            }
        }
        var newest = try newestPosition()
        while let upper = newest {
            let lower = max(0, upper - EntryPages.size)
            // The range has at most `upper - lower` entries. If it has fewer, the read goes past `upper`.
            let page = try reader.entries(after: lower, limit: upper - lower).filter { $0.position <= upper }
            if try isEnough(page.reversed()) { break }
            newest = try newestPosition(notAfter: lower)
        }
        return start
    }

    /// The position of the newest entry at or before `limit`; nil if there is none.
    ///
    /// A reader reads all streams only forwards, so this is a binary search: each position below the result is followed
    /// by an entry within the limit, the result itself is not.
    func newestPosition(notAfter limit: Int = .max) throws(JournalError) -> Int? {
        func hasNext(after position: Int) throws(JournalError) -> Bool {
            guard let next = try reader.entries(after: position, limit: 1).first else { return false }
            return next.position <= limit
        }
        guard limit > 0, try hasNext(after: 0) else { return nil }
        // Fast path, for the position before a full page: usually there is an entry at `limit` itself.
        if limit < .max, try hasNext(after: limit - 1) { return limit }
        var low = 0
        var high = limit == .max ? 1 : limit
        while limit == .max, try hasNext(after: high) {
            low = high
            high *= 2
        }
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if try hasNext(after: middle) { low = middle } else { high = middle }
        }
        return high
    }
}
