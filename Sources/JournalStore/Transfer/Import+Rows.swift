// The lines after the first.

extension Import {
    mutating func takeRow(_ line: UnsafeBufferPointer<UInt8>, _ schema: Int) throws(JournalError) {
        guard let document = try? JSONDocument(exported: line), document.kind(0) == .object else { throw noJSON }
        for key in document.children(0) {
            let name = document.unchecked(text: key)
            if name == ExportFormat.footer {
                try compare(document, key + 1)
                stage = .ended(schema: schema)
                continue
            }
            if tables[current].table != name {
                guard let index = tables.firstIndex(where: { $0.table == name }) else {
                    throw damaged("Line \(number) names a table '\(name.prefix(40))', which an export does not have.")
                }
                current = index
            }
            try put(document, key + 1, into: tables[current])
        }
    }

    private var noJSON: JournalError { damaged("Line \(number) is not valid JSON of an export.") }

    private func put(_ document: JSONDocument, _ row: Int, into table: TableInsert) throws(JournalError) {
        guard document.kind(row) == .object else { throw noJSON }
        var expected = 0
        for key in document.children(row) {
            let name = document.unchecked(text: key)
            guard let place = table.place(of: name, expected: expected) else {
                throw damaged(
                    "Line \(number) has a column '\(name.prefix(40))', which the table '\(table.table)' lacks.")
            }
            expected = place + 1
            guard let value = ExportedValue(document, key + 1) else { throw noJSON }
            let column = table.columns[place]
            guard table.bind(place, value) else {
                throw damaged("Line \(number): the value of the column '\(column.name)' must be \(column.kind.words).")
            }
        }
        if let missing = table.missing.first { throw damaged("Line \(number) has no column '\(missing)'.") }
        do throws(DatabaseError) { try table.run() } catch {
            guard error.concernsOneItem else { throw JournalError(error, file: target, while: "importing") }
            throw damaged("Line \(number) cannot be inserted (\(error.message)).")
        }
    }

    /// Compares the row counts in the last line with the rows that were read.
    private func compare(_ document: JSONDocument, _ rows: Int) throws(JournalError) {
        guard document.kind(rows) == .object else { throw noJSON }
        var counted: [String: Int64] = [:]
        for key in document.children(rows) {
            guard case .integer(let count)? = ExportedValue(document, key + 1) else { throw noJSON }
            counted[document.unchecked(text: key)] = count
        }
        for table in tables {
            guard let count = counted[table.table] else {
                throw damaged("Line \(number) does not say how many rows the table '\(table.table)' has.")
            }
            guard count == Int64(table.rows) else {
                let found = table.rows.counted("row", "rows")
                throw damaged("The table '\(table.table)' has \(found); line \(number) says \(count).")
            }
        }
    }
}

extension TableShape.Column.Kind {
    /// The values that a column takes, in words.
    fileprivate var words: String {
        switch self {
        case .integer: "a whole number"
        case .text: "a text"
        case .blob: "a text of hexadecimal digits"
        }
    }
}
