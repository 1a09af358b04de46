/// A dump of all rows, for comparing two files.
extension JournalDatabase {
    private static let leftOut: Set = ["epoch", "last_transaction", "records_digest", "row_digest"]

    /// One line for each row of each table, in an order that does not depend on the file's layout. What only counts
    /// openings and transactions is left out, and the digests of rows: journals with the same lines behave in the same
    /// way.
    func lines() throws(DatabaseError) -> [String] {
        let tables = try connection.prepare(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('migration') ORDER BY name"
        ).all { $0.text(0) }
        var lines: [String] = []
        for table in tables {
            // https://www.sqlite.org/pragma.html#pragfunc
            let columns = try connection.prepare("SELECT name FROM pragma_table_info('\(table)')").all { $0.text(0) }
            let values = columns.filter { !Self.leftOut.contains($0) }.map { "quote(\"\($0)\")" }
            lines += try connection.prepare(
                "SELECT '\(table)|' || \(values.joined(separator: " || '|' || ")) FROM \"\(table)\" ORDER BY 1"
            ).all { $0.text(0) }
        }
        return lines
    }
}
