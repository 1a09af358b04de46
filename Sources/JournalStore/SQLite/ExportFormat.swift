/// The text format of a journal: JSON Lines. `docs/decisions/export.md` describes it for other programs.
///
/// ```
/// {"format":"journal-store","version":1,"schema":1}
/// {"stream":{"id":1,"name":"cart-42",…}}
/// {"entry":{"position":1,"stream":1,"step":1,…}}
/// {"rows":{"writer":1,"stream":1,"entry":1,…}}
/// ```
enum ExportFormat {
    static let name = "journal-store"
    static let version = 1
    /// The keys of the first and the last line.
    static let header = "format"
    static let footer = "rows"

    /// The columns of texts that are not exported, because they describe the file and not its content: its path.
    private static let leftOut: [String: String] = ["writer": "path"]

    /// The tables that are exported: all but that of the migrations, which an import applies itself, and that of the
    /// openings, which are about processes and not about what happened in the machines.
    static func tables(in connection: Connection) throws(DatabaseError) -> [TableShape] {
        try TableShape.all(in: connection).filter { !["migration", "opening"].contains($0.name) }
    }

    /// The columns of a table that are exported.
    static func columns(of table: TableShape) -> [TableShape.Column] {
        table.columns.filter { leftOut[table.name] != $0.name }
    }

    /// The SQL expression of a column's exported value.
    ///
    /// The row digest of the writer is exported as it is with an empty path, which the row has in a new file. That of a
    /// damaged row stays, so that the damage is not hidden.
    static func value(of column: TableShape.Column, in table: TableShape) -> String {
        let writer = DigestedTable.writer
        guard table.name == writer.rawValue, column.name == "row_digest" else { return TableShape.quoted(column.name) }
        return "CASE WHEN \(writer.check) THEN \(writer.digest(["path": "''"])) ELSE row_digest END"
    }
}
