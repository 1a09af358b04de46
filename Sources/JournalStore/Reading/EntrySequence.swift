/// The entries of a journal after a position, and then each new entry.
public struct EntrySequence: AsyncSequence, Sendable {
    /// An entry.
    public typealias Element = Entry
    /// Thrown if the journal cannot be read.
    public typealias Failure = JournalError

    let reader: JournalReader
    let position: Int
    let interval: Duration
    /// The file; nil in the process that writes, which notices another file itself.
    let file: WatchedFile?
    let goesOn: @Sendable () -> Bool

    /// Starts after the position.
    public func makeAsyncIterator() -> Iterator {
        Iterator(reader: reader, position: position, interval: interval, file: file, goesOn: goesOn)
    }

    /// Iterates over the entries and holds one page in memory at a time.
    public struct Iterator: AsyncIteratorProtocol {
        let reader: JournalReader
        var position: Int
        let interval: Duration
        let file: WatchedFile?
        let goesOn: @Sendable () -> Bool
        private var page: ArraySlice<Entry> = []
        /// Whether the last page was the last one so far.
        private var isAtEnd = false

        private static var pageSize: Int { 256 }

        init(
            reader: JournalReader, position: Int, interval: Duration, file: WatchedFile?,
            goesOn: @escaping @Sendable () -> Bool
        ) {
            (self.reader, self.position, self.interval) = (reader, position, interval)
            (self.file, self.goesOn) = (file, goesOn)
        }

        /// The next entry, as soon as it is committed; nil when the journal is closed or the task is cancelled.
        ///
        /// - Throws: ``JournalError`` if the journal cannot be read, or another file has its name now.
        public mutating func next() async throws(JournalError) -> Entry? {
            try await next(isolation: nil)
        }

        /// The next entry, as soon as it is committed; nil when the journal is closed or the task is cancelled.
        ///
        /// - Throws: ``JournalError`` if the journal cannot be read, or another file has its name now.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(JournalError) -> Entry? {
            while page.isEmpty {
                if Task.isCancelled || !goesOn() { return nil }
                // If each commit is announced, wait for one instead of reading an empty page.
                if isAtEnd, reader.hearsOfCommits, await !reader.wait(after: position, interval: interval) {
                    return nil
                }
                page = try readPage()[...]
                isAtEnd = page.count < Self.pageSize && !page.fillsPage
                if page.isEmpty, await !reader.wait(after: position, interval: interval) { return nil }
            }
            let entry = page.removeFirst()
            position = entry.position
            return entry
        }

        /// The positions of another file would not fit.
        private func readPage() throws(JournalError) -> [Entry] {
            let found = try reader.page(after: position, limit: Self.pageSize)
            try file?.check()
            return found
        }
    }
}
