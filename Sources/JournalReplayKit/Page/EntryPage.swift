import JournalStore

/// Some entries of all streams, with the records of their outcomes.
struct EntryPage {
    let entries: [Entry]
    /// Whether there were no more entries.
    let isLast: Bool
    private let records: [Place: StepRecord]

    private struct Place: Hashable {
        var stream: StreamID
        var step: Int
    }

    /// Reads the entries after a position.
    ///
    /// - Parameter last: the last position that is wanted.
    init(_ reader: JournalReader, after position: Int, upTo last: Int = .max, limit: Int) throws(JournalError) {
        let found = try reader.page(after: position, limit: limit)
        isLast = found.count < limit && !found.fillsPage
        entries = found.filter { $0.position <= last }
        guard let end = entries.last?.position else {
            records = [:]
            return
        }
        records = Dictionary(
            try reader.stepRecords(at: position + 1...end).map { (Place(stream: $0.stream, step: $0.step), $0) },
            uniquingKeysWith: { first, _ in first })
    }

    /// Reads the entries of a stream from a step on.
    ///
    /// - Parameter last: the last position that is wanted.
    init(_ reader: JournalReader, of stream: String, from step: Int, upTo last: Int, limit: Int) throws(JournalError) {
        let found = try reader.page(in: stream, from: step, limit: limit)
        isLast = found.count < limit && !found.fillsPage
        entries = found.filter { $0.position <= last }
        var records: [Place: StepRecord] = [:]
        var next = step
        while let end = entries.last?.step, next <= end {
            let page = try reader.stepRecords(
                of: stream, from: next, through: end, bytes: JournalReader.pageBytes)
            for record in page {
                records[Place(stream: record.stream, step: record.step)] = record
            }
            guard let newest = page.last?.step else { break }
            next = newest + 1
        }
        self.records = records
    }

    /// What is recorded of an entry.
    func record(of entry: Entry, _ stream: StreamID) -> StepRecord? {
        records[Place(stream: stream, step: entry.step)]
    }
}

/// The entries that a page shows, some at a time: of a single stream by its steps, otherwise those of all streams.
struct PageEntries {
    private static let size = 2_048

    private let reader: JournalReader
    private let stream: String?
    private let last: Int
    /// The step or the position with which the next entries begin.
    private var place: Int

    /// - Parameter last: the last position that is wanted.
    init(
        _ reader: JournalReader, _ streams: PageStreams, _ options: PageOptions, upTo last: Int
    ) throws(JournalError) {
        (self.reader, self.last) = (reader, last)
        let only = options.streams.count == 1 ? streams.rows.first?.info : nil
        stream = only?.name
        place =
            if let only {
                try options.firstStep(reader, of: only)
            } else {
                try options.firstPosition(reader, upTo: last) { streams.number($0) != nil }
            }
    }

    /// The next entries; nil after the last.
    mutating func next() throws(JournalError) -> EntryPage? {
        let page: EntryPage
        if let stream {
            page = try EntryPage(reader, of: stream, from: place, upTo: last, limit: PageEntries.size)
        } else {
            page = try EntryPage(reader, after: place - 1, upTo: last, limit: PageEntries.size)
        }
        guard let end = page.entries.last else { return nil }
        place = (stream == nil ? end.position : end.step) + 1
        return page
    }
}
