// The lines after the first.

extension Import {
    mutating func takeRow(_ schema: Int) throws(JournalError) {
        let number = number
        let noJSON = damaged("Line \(number) is not valid JSON of an export.")
        let (tables, source) = (tables, source)
        var current = current
        var stage = stage
        try scanner.object({ _ in noJSON }) { scanner throws(JournalError) in
            if scanner.text.elementsEqual(ExportFormat.footer.utf8) {
                try Import.compare(&scanner, with: tables, line: number, source)
                stage = .ended(schema: schema)
                return
            }
            guard let table = Import.table(named: scanner.text, tables, &current) else {
                throw Import.damaged(
                    "Line \(number) names a table '\(Import.word(scanner.text))', which the schema does not have.",
                    source)
            }
            try Import.put(&scanner, into: table, line: number, source)
        }
        guard scanner.isAtEnd() else { throw noJSON }
        (self.current, self.stage) = (current, stage)
    }

    private static func table(named name: [UInt8], _ tables: [TableInsert], _ current: inout Int) -> TableInsert? {
        if !tables[current].table.utf8.elementsEqual(name) {
            guard let index = tables.firstIndex(where: { $0.table.utf8.elementsEqual(name) }) else { return nil }
            current = index
        }
        return tables[current]
    }

    private static func put(
        _ scanner: inout JSONScanner, into table: TableInsert, line: Int, _ source: String?
    ) throws(JournalError) {
        let noJSON = damaged("Line \(line) is not valid JSON of an export.", source)
        var expected = 0
        try scanner.object({ _ in noJSON }) { scanner throws(JournalError) in
            guard let place = table.place(of: scanner.text, expected: expected) else {
                throw damaged(
                    "Line \(line) has a column '\(word(scanner.text))', which the table '\(table.table)' lacks.",
                    source)
            }
            expected = place + 1
            guard let value = try? scanner.value() else { throw noJSON }
            let column = table.columns[place]
            guard table.bind(place, value, scanner.text) else {
                throw damaged(
                    "Line \(line): the value of the column '\(column.name)' must be \(column.kind.words).", source
                )
            }
        }
        if let missing = table.missing.first {
            throw damaged("Line \(line) has no column '\(missing)'.", source)
        }
        do throws(DatabaseError) { try table.run() } catch {
            guard error.concernsOneItem else { throw JournalError(error, file: source, while: "importing") }
            throw damaged("Line \(line) cannot be inserted (\(error.message)).", source)
        }
    }

    /// Compares the row counts in the last line with the rows that were read.
    private static func compare(
        _ scanner: inout JSONScanner, with tables: [TableInsert], line: Int, _ source: String?
    ) throws(JournalError) {
        let noJSON = damaged("Line \(line) is not valid JSON of an export.", source)
        var counted: [String: Int64] = [:]
        try scanner.object({ _ in noJSON }) { scanner throws(JournalError) in
            let name = String(decoding: scanner.text, as: UTF8.self)
            guard case .integer(let count)? = try? scanner.value() else { throw noJSON }
            counted[name] = count
        }
        for table in tables where counted[table.table] != Int64(table.rows) {
            throw damaged(
                "The table '\(table.table)' has \(table.rows) rows; line \(line) says \(counted[table.table] ?? 0).",
                source)
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
