/// Entries that are about to go into the table. Several go in with one statement: most of what one costs is to begin and to end it.
///
/// Handed on from transaction to transaction, so that none has to make room anew.
struct EntryRows {
    /// One entry; its text lies with those of the others.
    struct Row {
        let position: Int
        let stream: StreamID
        let step: Int
        let origin: Int
        let cause: Cause?
        let version: Int
        let cancelID: String?
        /// Where its digest begins, and its action behind that.
        let start: Int
        let actionLength: Int
    }

    /// How many go in with one statement at the most, and with the next smaller one.
    static let most = 16
    static let some = 4
    /// How many values a row has.
    static let columns = 12

    private(set) var rows: ContiguousArray<Row> = []
    /// Digests and actions, so that the statement can be lent them where they lie.
    private(set) var bytes: ContiguousArray<UInt8> = []

    private static let usualBytes = 1 << 14

    init() {
        rows.reserveCapacity(Self.most)
        bytes.reserveCapacity(Self.usualBytes)
    }

    /// Whether to write them before more come.
    var isFull: Bool { rows.count == Self.most || bytes.count > Self.usualBytes }

    mutating func append(_ entry: NewEntry, position: Int, step: Int, digest: Digest) {
        let start = bytes.count
        digest.withBytes { bytes.append(contentsOf: $0) }
        var action = entry.action
        action.withUTF8 { bytes.append(contentsOf: $0) }
        rows.append(
            Row(
                position: position, stream: entry.stream, step: step, origin: entry.origin.rawValue,
                cause: entry.cause, version: entry.version, cancelID: entry.cancelID, start: start,
                actionLength: bytes.count - start - Digest.length))
    }

    mutating func removeAll() {
        rows.removeAll(keepingCapacity: true)
        if bytes.count > Self.usualBytes {
            // A large action must not stay.
            self = EntryRows()
        } else {
            bytes.removeAll(keepingCapacity: true)
        }
    }
}
