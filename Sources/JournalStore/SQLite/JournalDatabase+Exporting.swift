/// Exports all rows of all tables as text, in one pass with one row in memory. Called inside a read transaction.
extension JournalDatabase {
    /// - Parameter write: called with each piece of the text.
    func export(_ write: ([UInt8]) throws -> Void) throws -> TransferReport {
        var text = ExportText()
        var bytes = 0
        func flush() throws {
            bytes += text.bytes.count
            try write(text.bytes)
            text.removeAll()
        }
        let schema = try connection.integer("PRAGMA user_version") ?? 0
        text.add(
            #"{"\#(ExportFormat.header)":"\#(ExportFormat.name)","version":\#(ExportFormat.version),"schema":\#(schema)}"#
        )
        text.add("\n")
        var counts: [(table: String, rows: Int)] = []
        for table in try ExportFormat.tables(in: connection) {
            let columns = ExportFormat.columns(of: table)
            let keys = columns.enumerated().map { ($0 == 0 ? "" : ",") + "\"\($1.name)\":" }
            let select = try connection.prepare(ExportFormat.select(columns, from: table))
            var rows = 0
            try select.forEachPlain { row in
                text.add(#"{"\#(table.name)":{"#)
                for (index, column) in columns.enumerated() {
                    text.add(keys[index])
                    text.add(row, Int32(index), column.kind)
                }
                text.add("}}\n")
                rows += 1
                if text.bytes.count >= 1 << 16 { try flush() }
            }
            counts.append((table.name, rows))
        }
        text.add(#"{"\#(ExportFormat.footer)":{"#)
        text.add(counts.map { "\"\($0.table)\":\($0.rows)" }.joined(separator: ","))
        text.add("}}\n")
        try flush()
        return TransferReport(counts, bytes: bytes)
    }
}

extension ExportFormat {
    fileprivate static func select(_ columns: [TableShape.Column], from table: TableShape) -> String {
        let names = columns.map { TableShape.quoted($0.name) }.joined(separator: ", ")
        let order = table.order.isEmpty ? "rowid" : table.order.map(TableShape.quoted).joined(separator: ", ")
        return "SELECT \(names) FROM \(table.quotedName) ORDER BY \(order)"
    }
}

extension ExportText {
    fileprivate mutating func add(_ row: Row, _ column: Int32, _ kind: TableShape.Column.Kind) {
        guard !row.isNull(column) else { return add("null") }
        switch kind {
        case .integer: add(row.integer(column))
        case .text: row.withText(column) { add(text: $0) }
        case .blob: row.withBytes(column) { add(hex: $0) }
        }
    }
}
