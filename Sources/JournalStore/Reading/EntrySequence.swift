/// The entries of a journal behind a position, and then each new one.
public struct EntrySequence: AsyncSequence, Sendable {
    /// What it gives.
    public typealias Element = Entry
    /// How it fails: as reading does.
    public typealias Failure = JournalError

    let reader: JournalReader
    let position: Int
    let interval: Duration

    /// Begins behind the position.
    public func makeAsyncIterator() -> Iterator {
        Iterator(reader: reader, position: position, interval: interval)
    }

    /// Goes through the entries, a page in memory at a time.
    public struct Iterator: AsyncIteratorProtocol {
        let reader: JournalReader
        var position: Int
        let interval: Duration
        private var page: ArraySlice<Entry> = []
        /// There was nothing behind the last page.
        private var isAtEnd = false

        private static var pageSize: Int { 256 }

        init(reader: JournalReader, position: Int, interval: Duration) {
            self.reader = reader
            self.position = position
            self.interval = interval
        }

        /// The next entry, as soon as it is committed; nil when the journal is closed or the task cancelled.
        public mutating func next() async throws(JournalError) -> Entry? {
            try await next(isolation: nil)
        }

        /// The next entry, as soon as it is committed; nil when the journal is closed or the task cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(JournalError) -> Entry? {
            while page.isEmpty {
                if Task.isCancelled { return nil }
                // Where each commit is told of, it need not be looked for.
                if isAtEnd, reader.hearsOfCommits, await !reader.wait(after: position, interval: interval) {
                    return nil
                }
                page = try reader.entries(after: position, limit: Self.pageSize)[...]
                isAtEnd = page.count < Self.pageSize
                if page.isEmpty, await !reader.wait(after: position, interval: interval) { return nil }
            }
            let entry = page.removeFirst()
            position = entry.position
            return entry
        }
    }
}
