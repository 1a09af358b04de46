/// Entries to be inserted. One statement inserts several, because most of its cost is to start and to end it.
///
/// Passed on from transaction to transaction, to reuse its memory.
struct EntryRows {
    /// One entry. Its digest and action are in the shared buffer.
    struct Row {
        let position: Int
        let stream: StreamID
        let step: Int
        let origin: Int
        let cause: Cause?
        let version: Int
        let cancelID: String?
        /// The offset of its digest in the buffer; its action follows.
        let start: Int
        let actionLength: Int
    }

    /// The numbers of rows that the largest and the next smaller statement insert.
    static let most = 16
    static let some = 4
    /// The number of values in a row.
    static let columns = 12

    private(set) var rows: ContiguousArray<Row> = []
    /// Digests and actions in one buffer, to be bound without copying.
    private(set) var bytes: ContiguousArray<UInt8> = []

    private static let usualBytes = 1 << 14

    init() {
        rows.reserveCapacity(Self.most)
        bytes.reserveCapacity(Self.usualBytes)
    }

    /// Whether the rows must be inserted before more are appended.
    var isFull: Bool { rows.count == Self.most || bytes.count > Self.usualBytes }

    mutating func append(_ entry: NewEntry, position: Int, step: Int, digest: Digest) {
        let start = bytes.count
        digest.withBytes { bytes.append(contentsOf: $0) }
        var action = entry.action
        action.withUTF8 { bytes.append(contentsOf: $0) }
        rows.append(
            Row(
                position: position, stream: entry.stream, step: step, origin: entry.storedOrigin.rawValue,
                cause: entry.cause, version: entry.version, cancelID: entry.cancelID, start: start,
                actionLength: bytes.count - start - Digest.length))
    }

    mutating func removeAll() {
        rows.removeAll(keepingCapacity: true)
        if bytes.count > Self.usualBytes {
            // Frees the memory of a large action.
            self = EntryRows()
        } else {
            bytes.removeAll(keepingCapacity: true)
        }
    }
}
