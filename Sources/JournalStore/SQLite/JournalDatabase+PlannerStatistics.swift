extension JournalDatabase {
    /// The tables of ANALYZE and the statements that make them. A file from elsewhere can have something else by these
    /// names. https://www.sqlite.org/fileformat2.html#stat1tab
    private static let plannerStatistics = [
        (table: "sqlite_stat1", sql: "CREATE TABLE sqlite_stat1(tbl,idx,stat)"),
        (table: "sqlite_stat4", sql: "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)"),
    ]

    /// Deletes what ANALYZE has recorded about the tables of the journal. What it has recorded about others stays.
    ///
    /// SQLite goes by these numbers also when there are many more rows: with those of a young journal, it reads and
    /// sorts all entries for each page of a log.
    func forgetPlannerStatistics() throws(DatabaseError) {
        let tables = (DigestedTable.allCases.map(\.rawValue) + ["entry"]).map { "'\($0)'" }.joined(separator: ", ")
        do throws(DatabaseError) {
            var isFound = false
            for (table, sql) in Self.plannerStatistics {
                let found = try connection.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND sql = ?", sql)
                    .first { $0.integer(0) }
                if found == nil { continue }
                try connection.execute("DELETE FROM \(table) WHERE tbl IN (\(tables))")
                isFound = true
            }
            // This connection has read the old numbers, and reads them again. https://www.sqlite.org/lang_analyze.html
            if isFound { try connection.execute("ANALYZE sqlite_schema") }
        } catch  where error.isTornFile {
            // A damaged page of statistics is no reason to refuse the journal: no entry depends on it.
        }
    }
}
