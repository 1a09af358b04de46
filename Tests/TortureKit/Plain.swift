import CJournalSQLite

/// Reads a file with plain SQLite, as the `sqlite3` shell does.
final class Plain {
    private var handle: OpaquePointer?

    /// Nil if the file cannot be opened yet.
    init?(_ path: String) {
        guard sqlite3_open_v2(path, &handle, SQLITE_OPEN_READONLY, nil) == SQLITE_OK else {
            sqlite3_close_v2(handle)
            return nil
        }
    }

    deinit { sqlite3_close_v2(handle) }

    /// The first column of each row; empty if the file cannot be read at the moment.
    func rows(_ sql: String) -> [String] {
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else { return [] }
        var rows: [String] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            rows.append(sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? "")
        }
        return rows
    }
}
