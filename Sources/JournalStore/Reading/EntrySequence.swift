/// The entries of a journal after a position, and then each new entry.
public struct EntrySequence: AsyncSequence, Sendable {
    /// An entry.
    public typealias Element = Entry
    /// Thrown if the journal cannot be read.
    public typealias Failure = JournalError

    let reader: JournalReader
    let position: Int
    let interval: Duration

    /// Starts after the position.
    public func makeAsyncIterator() -> Iterator {
        Iterator(reader: reader, position: position, interval: interval)
    }

    /// Iterates over the entries and holds one page in memory at a time.
    public struct Iterator: AsyncIteratorProtocol {
        let reader: JournalReader
        var position: Int
        let interval: Duration
        private var page: ArraySlice<Entry> = []
        /// Whether the last page was the last one so far.
        private var isAtEnd = false

        private static var pageSize: Int { 256 }

        init(reader: JournalReader, position: Int, interval: Duration) {
            (self.reader, self.position, self.interval) = (reader, position, interval)
        }

        /// The next entry, as soon as it is committed; nil when the journal is closed or the task is cancelled.
        ///
        /// - Throws: ``JournalError`` if the journal cannot be read.
        public mutating func next() async throws(JournalError) -> Entry? {
            try await next(isolation: nil)
        }

        /// The next entry, as soon as it is committed; nil when the journal is closed or the task is cancelled.
        ///
        /// - Throws: ``JournalError`` if the journal cannot be read.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(JournalError) -> Entry? {
            while page.isEmpty {
                if Task.isCancelled { return nil }
                // If each commit is announced, wait for one instead of reading an empty page.
                if isAtEnd, reader.hearsOfCommits, await !reader.wait(after: position, interval: interval) {
                    return nil
                }
                page = try reader.page(after: position, limit: Self.pageSize)[...]
                isAtEnd = page.count < Self.pageSize && !page.fillsPage
                if page.isEmpty, await !reader.wait(after: position, interval: interval) { return nil }
            }
            let entry = page.removeFirst()
            position = entry.position
            return entry
        }
    }
}
