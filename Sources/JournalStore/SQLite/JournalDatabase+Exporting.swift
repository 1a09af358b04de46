/// Exports all rows of all tables as text, in one pass with one row in memory. Called inside a read transaction.
extension JournalDatabase {
    /// - Parameter write: called with each piece of the text.
    func export(_ write: ([UInt8]) throws -> Void) throws -> TransferReport {
        var text = JSONOutput(capacity: 1 << 17)
        defer { text.free() }
        var bytes = 0
        func flush() throws {
            bytes += text.count
            try write(Array(text.bytes))
            text.removeAll()
        }
        let schema = try userVersion()
        text.append(
            plain:
                #"{"\#(ExportFormat.header)":"\#(ExportFormat.name)","version":\#(ExportFormat.version),"schema":\#(schema)}"#
        )
        text.append(UInt8(ascii: "\n"))
        var counts: [(table: String, rows: Int)] = []
        for table in try ExportFormat.tables(in: connection) {
            let columns = ExportFormat.columns(of: table)
            let keys = columns.enumerated().map { ($0 == 0 ? "" : ",") + "\"\($1.name)\":" }
            let select = try connection.prepare(ExportFormat.select(columns, from: table))
            var rows = 0
            let begin = #"{"\#(table.name)":{"#
            try select.forEachPlain { row in
                text.append(plain: begin)
                for (index, column) in columns.enumerated() {
                    text.append(plain: keys[index])
                    text.append(row, Int32(index), column.kind)
                }
                text.append(plain: "}}\n" as StaticString)
                rows += 1
                if text.count >= 1 << 16 { try flush() }
            }
            counts.append((table.name, rows))
        }
        let rows = counts.map { "\"\($0.table)\":\($0.rows)" }.joined(separator: ",")
        text.append(plain: #"{"\#(ExportFormat.footer)":{\#(rows)}}"#)
        text.append(UInt8(ascii: "\n"))
        try flush()
        return TransferReport(counts, bytes: bytes)
    }
}

extension ExportFormat {
    fileprivate static func select(_ columns: [TableShape.Column], from table: TableShape) -> String {
        let values = columns.map { value(of: $0, in: table) }.joined(separator: ", ")
        let order = table.order.isEmpty ? "rowid" : table.order.map(TableShape.quoted).joined(separator: ", ")
        return "SELECT \(values) FROM \(table.quotedName) ORDER BY \(order)"
    }
}

extension JSONOutput {
    fileprivate mutating func append(_ row: Row, _ column: Int32, _ kind: TableShape.Column.Kind) {
        guard !row.isNull(column) else { return append(plain: "null" as StaticString) }
        switch kind {
        case .integer: append(number: row.integer(column))
        case .text: row.withText(column) { append(exported: $0.assumingMemoryBound(to: UInt8.self)) }
        case .blob: row.withBytes(column) { append(hex: $0.assumingMemoryBound(to: UInt8.self)) }
        }
    }
}
