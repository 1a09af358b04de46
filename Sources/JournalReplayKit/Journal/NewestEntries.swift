import JournalStore

/// Looks at a journal from its end.
struct NewestEntries {
    let reader: JournalReader

    /// Where ``EntryPages`` has to begin, so that it gives the last entries that match and no more.
    ///
    /// - Parameters:
    ///   - count: how many are wanted.
    ///   - stream: the stream; nil for all.
    ///   - step: the newest step that counts; nil for all.
    func start(
        ofLast count: Int, in stream: String?, upTo step: Int?, _ matches: (Entry) -> Bool
    ) throws(JournalError) -> Int {
        var missing = count
        var start = 1
        func isEnough(_ page: [Entry]) -> Bool {
            for entry in page where matches(entry) {
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
                guard let last = page.last, !isEnough(page) else { return start }
                next = last.step - 1
            }
        }
        var newest = try newestPosition()
        while let upper = newest {
            let lower = max(0, upper - EntryPages.size)
            // So many positions hold no more entries than that.
            let page = try reader.entries(after: lower, limit: upper - lower).filter { $0.position <= upper }
            if isEnough(page.reversed()) { break }
            newest = try newestPosition(notAfter: lower)
        }
        return start
    }

    /// The position of the newest entry that is not after a position; nil where there is none.
    ///
    /// A reader only goes forwards over all streams, so the place is found by halving: from below it there is an entry to
    /// come that is not too late, from there on there is none.
    func newestPosition(notAfter limit: Int = .max) throws(JournalError) -> Int? {
        func hasNext(after position: Int) throws(JournalError) -> Bool {
            guard let next = try reader.entries(after: position, limit: 1).first else { return false }
            return next.position <= limit
        }
        guard limit > 0, try hasNext(after: 0) else { return nil }
        // Behind a full page the position itself is taken.
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
