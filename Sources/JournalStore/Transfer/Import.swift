/// Inserts the lines of an export as rows. Its errors name the line.
struct Import {
    enum Stage {
        case beginning
        case rows(schema: Int)
        case ended(schema: Int)
    }

    /// The maximum length of the first line.
    private static let longestHeader = 4096
    /// The maximum length of any line. A row has at most a gigabyte, and a line that is longer than this cannot be
    /// scanned.
    var longestLine = Int(UInt32.max)
    /// The most commas between the values of a line, and the length from which on they are counted.
    private static let (mostCommas, longLine) = (4096, 1 << 20)

    let database: JournalDatabase
    /// The file that is read, for errors; nil if the text comes from a callback.
    let source: String?
    /// The file that is made, for errors that do not concern a line.
    let target: String
    let now = Timestamp.now()
    var stage = Stage.beginning
    private var lines = ImportLines()
    var tables: [TableInsert] = []
    /// The index of the previous line's table, which is usually that of the next line too.
    var current = 0
    var number = 0
    var bytes = 0

    init(into database: JournalDatabase, at target: String, from source: String?) {
        (self.database, self.target, self.source) = (database, target, source)
    }

    mutating func take(_ piece: [UInt8]) throws(JournalError) {
        bytes += piece.count
        var lines = self.lines
        self.lines = ImportLines()
        try lines.add(piece) { line throws(JournalError) in try take(line) }
        self.lines = lines
        if case .beginning = stage, lines.rest.count > Import.longestHeader { throw notAnExport }
        guard lines.rest.count <= longestLine else { throw damaged("Line \(number + 1) is longer than any row.") }
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
            do throws(DatabaseError) { try database.endImport(ofSchema: schema, at: now) } catch {
                throw JournalError(error, file: error.concernsOneItem ? source : target, while: "importing")
            }
            return TransferReport(tables.map { ($0.table, $0.rows) }, bytes: bytes)
        }
    }

    private mutating func take(_ line: UnsafeBufferPointer<UInt8>) throws(JournalError) {
        number += 1
        if line.allSatisfy(JSONScan.isSpace) { return }
        guard line.count <= Import.longLine || Import.hasFewValues(line) else {
            throw damaged("Line \(number) has more values than a row.")
        }
        switch stage {
        case .beginning: try begin(line)
        case .rows(let schema): try takeRow(line, schema)
        case .ended: throw damaged("Line \(number) comes after the last line of the export.")
        }
    }

    /// Whether a line has about as many values as a row can have: each value that is scanned takes memory. A row is
    /// long because its texts are.
    private static func hasFewValues(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
        var (commas, isInText, isEscaped) = (0, false, false)
        for byte in line {
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\"") {
                isInText.toggle()
            } else if isInText {
                isEscaped = byte == UInt8(ascii: "\\")
            } else if byte == UInt8(ascii: ",") {
                commas += 1
            }
        }
        return commas <= mostCommas
    }

    // MARK: The first line

    private mutating func begin(_ line: UnsafeBufferPointer<UInt8>) throws(JournalError) {
        guard let document = try? JSONDocument(exported: line), document.kind(0) == .object else { throw notAnExport }
        var found: [String: ExportedValue] = [:]
        for key in document.children(0) {
            // A newer version may have members of other kinds.
            found[document.unchecked(text: key)] = ExportedValue(document, key + 1)
        }
        guard found[ExportFormat.header] == .text(Array(ExportFormat.name.utf8)),
            case .integer(let version)? = found["version"], version >= 1
        else { throw notAnExport }
        guard version <= ExportFormat.version else {
            throw newer("The export has format version \(version), this library knows \(ExportFormat.version).")
        }
        guard case .integer(let schema)? = found["schema"], schema >= 1 else { throw notAnExport }
        let known = Migration.all.last?.number ?? 0
        guard schema <= known else {
            throw newer("The export is of a journal with schema version \(schema), this library knows \(known).")
        }
        tables = try JournalError.at(target, "creating the tables") { () throws(DatabaseError) in
            try database.beginImport(ofSchema: Int(schema), at: now)
        }
        stage = .rows(schema: Int(schema))
    }
}
