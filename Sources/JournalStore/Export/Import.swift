/// Makes rows of the lines of an export. What it cannot make one of, it names by its line.
struct Import {
    private enum Stage {
        case beginning
        case rows(schema: Int)
        case ended(schema: Int)
    }

    /// A first line is not longer than this.
    private static let longestHeader = 4096

    private let database: JournalDatabase
    /// What is read, for errors; nil where it has no name.
    private let source: String?
    private let now = Timestamp.now()
    private var stage = Stage.beginning
    private var lines = ImportLines()
    private var scanner = JSONScanner(UnsafeBufferPointer(start: nil, count: 0))
    private var tables: [TableInsert] = []
    /// The table of the line before: most often it is that of this one.
    private var current = 0
    private var number = 0
    private var bytes = 0

    init(into database: JournalDatabase, from source: String?) {
        self.database = database
        self.source = source
    }

    mutating func take(_ piece: [UInt8]) throws(JournalError) {
        bytes += piece.count
        var lines = self.lines
        self.lines = ImportLines()
        try lines.add(piece) { line throws(JournalError) in try take(line) }
        self.lines = lines
        if case .beginning = stage, lines.rest.count > Import.longestHeader { throw notAnExport }
    }

    /// There is no more.
    mutating func end() throws(JournalError) -> TransferReport {
        var lines = self.lines
        self.lines = ImportLines()
        try lines.end { line throws(JournalError) in try take(line) }
        switch stage {
        case .beginning: throw notAnExport
        case .rows: throw damaged("The export is cut off behind line \(number): its last line is missing.")
        case .ended(let schema):
            try JournalError.at(source, "importing") { () throws(DatabaseError) in
                try database.endImport(ofSchema: schema, at: now)
            }
            return TransferReport(tables.map { ($0.table, $0.rows) }, bytes: bytes)
        }
    }

    private mutating func take(_ line: UnsafeBufferPointer<UInt8>) throws(JournalError) {
        number += 1
        scanner.begin(line)
        if scanner.isAtEnd() { return }
        switch stage {
        case .beginning: try begin()
        case .rows(let schema): try takeRow(schema)
        case .ended: throw damaged("Line \(number) stands behind the last line of the export.")
        }
    }

    // MARK: The first line

    private mutating func begin() throws(JournalError) {
        var isOurs = false
        var found: [String: Int64] = [:]
        let refusal = notAnExport
        try scanner.object({ _ in refusal }) { scanner throws(JournalError) in
            let key = String(decoding: scanner.text, as: UTF8.self)
            guard let value = try? scanner.value() else { throw refusal }
            if key == ExportFormat.header {
                isOurs = value == .text && scanner.text.elementsEqual(ExportFormat.name.utf8)
            }
            if case .integer(let number) = value { found[key] = number }
        }
        guard isOurs, scanner.isAtEnd(), let version = found["version"], let schema = found["schema"], schema >= 1
        else {
            throw refusal
        }
        guard version <= ExportFormat.version else {
            throw newer("The export has format version \(version), this library knows \(ExportFormat.version).")
        }
        let known = Migration.all.last?.number ?? 0
        guard schema <= known else {
            throw newer("The export is of a journal with schema version \(schema), this library knows \(known).")
        }
        tables = try JournalError.at(source, "making the tables") { () throws(DatabaseError) in
            try database.beginImport(ofSchema: Int(schema), at: now)
        }
        stage = .rows(schema: Int(schema))
    }

    // MARK: Rows

    private mutating func takeRow(_ schema: Int) throws(JournalError) {
        let number = number
        let noJSON = damaged("Line \(number) is no JSON of an export.")
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
                    "Line \(number) is of a table '\(Import.word(scanner.text))', which the schema does not have.",
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
        let noJSON = damaged("Line \(line) is no JSON of an export.", source)
        var expected = 0
        try scanner.object({ _ in noJSON }) { scanner throws(JournalError) in
            guard let place = table.place(of: scanner.text, expected: expected) else {
                throw damaged(
                    "Line \(line) has a column '\(word(scanner.text))', which the table '\(table.table)' does not have.",
                    source)
            }
            expected = place + 1
            guard let value = try? scanner.value() else { throw noJSON }
            let column = table.columns[place]
            guard table.bind(place, value, scanner.text) else {
                throw damaged(
                    "Line \(line): the column '\(column.name)' takes no such value, it is \(column.kind.words).", source
                )
            }
        }
        if let missing = table.missing.first {
            throw damaged("Line \(line) has no column '\(missing)'.", source)
        }
        do throws(DatabaseError) { try table.run() } catch {
            guard error.concernsOneItem else { throw JournalError(error, file: source, while: "importing") }
            throw damaged("Line \(line) does not fit what is there (\(error.message)).", source)
        }
    }

    /// The last line counts the rows of each table.
    private static func compare(
        _ scanner: inout JSONScanner, with tables: [TableInsert], line: Int, _ source: String?
    ) throws(JournalError) {
        let noJSON = damaged("Line \(line) is no JSON of an export.", source)
        var counted: [String: Int64] = [:]
        try scanner.object({ _ in noJSON }) { scanner throws(JournalError) in
            let name = String(decoding: scanner.text, as: UTF8.self)
            guard case .integer(let count)? = try? scanner.value() else { throw noJSON }
            counted[name] = count
        }
        for table in tables where counted[table.table] != Int64(table.rows) {
            throw damaged(
                "The table '\(table.table)' has \(table.rows) rows, and line \(line) says \(counted[table.table] ?? 0).",
                source)
        }
    }

    // MARK: Errors

    private var notAnExport: JournalError {
        JournalError(
            .notAnExport, number == 0 && bytes == 0 ? "There is nothing in it." : "This is no export of a journal.",
            advice: "Give it what `journal-replay export` wrote.", file: source)
    }

    private func newer(_ message: String) -> JournalError {
        JournalError(.newerSchema, message, advice: "Update this program.", file: source)
    }

    private func damaged(_ message: String) -> JournalError { Import.damaged(message, source) }

    private static func damaged(_ message: String, _ source: String?) -> JournalError {
        JournalError(
            .damagedExport, message, advice: "Nothing was made of it. Export the journal again.", file: source)
    }

    /// A name out of a file that may hold anything.
    private static func word(_ bytes: [UInt8]) -> String {
        String(String(decoding: bytes, as: UTF8.self).prefix(40))
    }
}

extension TableShape.Column.Kind {
    /// What it takes, in words.
    fileprivate var words: String {
        switch self {
        case .integer: "a whole number"
        case .text: "a text"
        case .blob: "a text of hexadecimal digits"
        }
    }
}
