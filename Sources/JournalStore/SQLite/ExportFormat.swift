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

    /// The columns that are not exported, because they describe the file and not its content: its path, and the digest of
    /// the row with the path.
    static let leftOut: [String: Set<String>] = ["writer": ["path", "row_digest"]]

    /// The tables that are exported: all but that of the migrations, which an import applies itself, and that of the openings,
    /// which are about processes and not about what happened in the machines.
    static func tables(in connection: Connection) throws(DatabaseError) -> [TableShape] {
        try TableShape.all(in: connection).filter { !["migration", "opening"].contains($0.name) }
    }

    /// The columns of a table that are exported.
    static func columns(of table: TableShape) -> [TableShape.Column] {
        table.columns.filter { !(leftOut[table.name]?.contains($0.name) ?? false) }
    }
}
