/// Inserts the lines of an export as rows. Its errors name the line.
struct Import {
    enum Stage {
        case beginning
        case rows(schema: Int)
        case ended(schema: Int)
    }

    /// The maximum length of the first line.
    private static let longestHeader = 4096

    let database: JournalDatabase
    /// The file that is read, for errors; nil if the text comes from a callback.
    let source: String?
    let now = Timestamp.now()
    var stage = Stage.beginning
    private var lines = ImportLines()
    var scanner = JSONScanner(UnsafeBufferPointer(start: nil, count: 0))
    var tables: [TableInsert] = []
    /// The index of the previous line's table, which is usually that of the next line too.
    var current = 0
    var number = 0
    var bytes = 0

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

    /// Ends the import after the last piece.
    mutating func end() throws(JournalError) -> TransferReport {
        var lines = self.lines
        self.lines = ImportLines()
        try lines.end { line throws(JournalError) in try take(line) }
        switch stage {
        case .beginning: throw notAnExport
        case .rows: throw damaged("The export is cut off after line \(number): its last line is missing.")
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
        case .ended: throw damaged("Line \(number) comes after the last line of the export.")
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
        tables = try JournalError.at(source, "creating the tables") { () throws(DatabaseError) in
            try database.beginImport(ofSchema: Int(schema), at: now)
        }
        stage = .rows(schema: Int(schema))
    }
}
