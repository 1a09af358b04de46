/// A table as the file describes it, for operations on every table.
struct TableShape: Hashable {
    struct Column: Hashable {
        enum Kind: String { case integer = "INTEGER", text = "TEXT", blob = "BLOB" }

        var name: String
        var kind: Kind
    }

    var name: String
    var columns: [Column]
    /// The columns of its primary key or, without one, of its unique index, by which its rows are ordered; empty if it
    /// has neither, and they are ordered by the rowid.
    var order: [String]

    var quotedName: String { TableShape.quoted(name) }

    func has(_ column: String) -> Bool {
        columns.contains { $0.name == column }
    }

    static func quoted(_ name: String) -> String {
        "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }

    /// The journal's tables in the order of their creation. Other tables in the file are ignored.
    /// https://www.sqlite.org/pragma.html#pragfunc
    static func all(in connection: Connection) throws(DatabaseError) -> [TableShape] {
        let version = try connection.userVersion()
        let known = Set(try SchemaCheck.expected(version).filter { $0.kind == "table" }.map(\.name))
        let names = try connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY rowid")
            .all { $0.text(0) }.filter(known.contains)
        var tables: [TableShape] = []
        for name in names {
            var table = TableShape(name: name, columns: [], order: [])
            var keys: [(place: Int64, name: String)] = []
            try connection.prepare("SELECT name, type, pk FROM pragma_table_info(?) ORDER BY cid", name).forEach {
                row throws(DatabaseError) in
                guard let kind = Column.Kind(rawValue: row.text(1)) else {
                    throw .damagedRow("the column \(row.text(0)) of the table \(name) has an unknown type")
                }
                table.columns.append(Column(name: row.text(0), kind: kind))
                if row.integer(2) > 0 { keys.append((row.integer(2), row.text(0))) }
            }
            table.order = keys.sorted { $0.place < $1.place }.map(\.name)
            if table.order.isEmpty {
                table.order = try connection.prepare(
                    """
                    SELECT info.name FROM pragma_index_list(?) AS list JOIN pragma_index_info(list.name) AS info
                    WHERE list."unique" AND NOT list.partial AND info.name IS NOT NULL ORDER BY list.name, info.seqno
                    """, name
                ).all { $0.text(0) }
            }
            tables.append(table)
        }
        return tables
    }
}
