internal import CJournalSQLite

/// Ends a statement that would never end by itself.
///
/// Pages of a damaged tree can refer to the same page again: with twenty levels, a file of a few pages seems to have
/// more rows than anybody could read. And what looks like a table can be a view that never ends.
struct WorkLimit {
    /// The database; nil in memory, where nothing is limited.
    var path: String?
    /// Whether the schema is not known yet: what is executed may then be anything, however large the file is.
    var isOfUnknownSchema = false
    /// How often the progress handler was called since the current statement began: once for each ``interval`` of
    /// instructions.
    var calls: Int32 = 0

    /// https://www.sqlite.org/c3ref/progress_handler.html
    static let interval: Int32 = 100_000
    /// The number of rows after which the size of the file is asked for: rarely, because it is a system call.
    static let rowsBetweenChecks = 1 << 16
    /// The calls of the progress handler that are always allowed.
    private static let leastCalls: Int32 = 200
    /// Many more than a statement of this library executes for the bytes of a row.
    private static let instructionsForByte: Int64 = 100
    /// No row of a table or an index takes fewer bytes. https://www.sqlite.org/fileformat2.html#b_tree_pages
    private static let leastBytesOfRow: Int64 = 4

    /// Called by the progress handler.
    ///
    /// - Returns: whether the statement may go on.
    mutating func mayGoOn() -> Bool {
        calls += 1
        guard calls > WorkLimit.leastCalls else { return true }
        guard !isOfUnknownSchema else { return false }
        guard let bytes else { return true }
        return Int64(calls) * Int64(WorkLimit.interval) / WorkLimit.instructionsForByte <= bytes
    }

    /// Whether the file has room for so many rows.
    func hasRoom(forRows count: Int) -> Bool {
        guard let bytes else { return true }
        return Int64(count) <= bytes / WorkLimit.leastBytesOfRow
    }

    /// The bytes of the database and of its WAL; nil if they are not known, as of a file that was moved.
    private var bytes: Int64? {
        guard let path, let file = Platform.status(ofPath: path) else { return nil }
        return WorkLimit.bytes(of: file)
            + (Platform.status(ofPath: FileBeside.wal.path(of: path)).map(WorkLimit.bytes) ?? 0)
    }

    /// The bytes that a file can hold. A file can be made to seem large without taking room on the disk. But a file system
    /// that compresses needs less room for it, and some tell that room seconds later, or never.
    private static func bytes(of file: FileStatus) -> Int64 {
        if file.allocated == 0 { return file.size }
        return min(file.size, file.allocated.multipliedSaturating(by: 64).addingSaturating(1 << 28))
    }
}

extension DatabaseError {
    /// The error of a statement that did more than the file has rows for.
    static let endless = DatabaseError(
        code: SQLITE_CORRUPT, message: "pages of a table or an index refer to the same page again",
        during: "reading rows")
}
