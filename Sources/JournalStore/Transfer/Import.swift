/// Makes rows of the lines of an export. What it cannot make one of, it names by its line.
struct Import {
    enum Stage {
        case beginning
        case rows(schema: Int)
        case ended(schema: Int)
    }

    /// A first line is not longer than this.
    private static let longestHeader = 4096

    let database: JournalDatabase
    /// What is read, for errors; nil where it has no name.
    let source: String?
    let now = Timestamp.now()
    var stage = Stage.beginning
    private var lines = ImportLines()
    var tables: [TableInsert] = []
    /// The table of the line before: most often it is that of this one.
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
        if line.allSatisfy(JSONScan.isSpace) { return }
        switch stage {
        case .beginning: try begin(line)
        case .rows(let schema): try takeRow(line, schema)
        case .ended: throw damaged("Line \(number) stands behind the last line of the export.")
        }
    }

    // MARK: The first line

    private mutating func begin(_ line: UnsafeBufferPointer<UInt8>) throws(JournalError) {
        guard let document = try? JSONDocument(exported: line), document.kind(0) == .object else { throw notAnExport }
        var found: [String: ExportedValue] = [:]
        for key in document.children(0) {
            guard let value = ExportedValue(document, key + 1) else { throw notAnExport }
            found[document.unchecked(text: key)] = value
        }
        guard found[ExportFormat.header] == .text(Array(ExportFormat.name.utf8)),
            case .integer(let version)? = found["version"], case .integer(let schema)? = found["schema"], schema >= 1
        else {
            throw notAnExport
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
}
