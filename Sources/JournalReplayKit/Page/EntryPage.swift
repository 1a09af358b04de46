import JournalStore

/// Some entries of all streams, with the records of their outcomes.
struct EntryPage {
    let entries: [Entry]
    private let records: [Place: StepRecord]

    private struct Place: Hashable {
        var stream: StreamID
        var step: Int
    }

    /// Reads the entries after a position.
    ///
    /// - Parameter last: the last position that is wanted.
    init(_ reader: JournalReader, after position: Int, upTo last: Int = .max, limit: Int) throws(JournalError) {
        entries = try reader.entries(after: position, limit: limit).filter { $0.position <= last }
        guard let end = entries.last?.position else {
            records = [:]
            return
        }
        records = Dictionary(
            try reader.stepRecords(at: position + 1...end).map { (Place(stream: $0.stream, step: $0.step), $0) },
            uniquingKeysWith: { first, _ in first })
    }

    /// What is recorded of an entry.
    func record(of entry: Entry, _ stream: StreamID) -> StepRecord? {
        records[Place(stream: stream, step: entry.step)]
    }
}
