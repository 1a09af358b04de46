/// Inserts rows into one table, column by column, with the column names of an export.
final class TableInsert {
    let table: String
    let columns: [TableShape.Column]
    private let insert: Statement
    private var isBound: [Bool]
    private(set) var rows = 0

    init(_ table: TableShape, _ connection: Connection) throws(DatabaseError) {
        self.table = table.name
        let columns = ExportFormat.columns(of: table)
        self.columns = columns
        isBound = Array(repeating: false, count: columns.count)
        // The texts that exports leave out are empty in a new file.
        let names = table.columns.map { TableShape.quoted($0.name) }.joined(separator: ", ")
        let values = table.columns.map { columns.contains($0) ? "?" : "''" }.joined(separator: ", ")
        insert = try connection.prepare(
            "INSERT INTO \(table.quotedName) (\(names)) VALUES (\(values))", persistent: true)
    }

    /// The index of a column. The expected one is tried first.
    func place(of name: String, expected: Int) -> Int? {
        if columns.indices.contains(expected), columns[expected].name == name { return expected }
        return columns.firstIndex { $0.name == name }
    }

    /// - Returns: whether the column accepts such a value.
    func bind(_ place: Int, _ value: ExportedValue) -> Bool {
        let index = Int32(place) + 1
        isBound[place] = true
        switch (value, columns[place].kind) {
        case (.null, _): insert.bind(index, nil as Int64?)
        case (.integer(let number), .integer): insert.bind(index, number)
        case (.text(let text), .text), (.bytes(let text), .text): insert.bind(index, text: text)
        case (.text(let digits), .blob):
            guard let blob = ExportedValue.blob(digits) else { return false }
            insert.bind(index, blob)
        default: return false
        }
        return true
    }

    /// The columns that the row has no value for.
    var missing: [String] { columns.indices.filter { !isBound[$0] }.map { columns[$0].name } }

    /// Inserts the row.
    func run() throws(DatabaseError) {
        try insert.run()
        rows += 1
        for index in isBound.indices { isBound[index] = false }
    }
}

extension JournalDatabase {
    /// Creates the tables of a schema version, and an insert for each of them.
    func beginImport(ofSchema version: Int, at now: Timestamp) throws(DatabaseError) -> [TableInsert] {
        try Migrator().apply(Migration.all.filter { $0.number <= version }, to: connection, at: now)
        let tables = try ExportFormat.tables(in: connection).map { table throws(DatabaseError) in
            try TableInsert(table, connection)
        }
        try run(.begin)
        return tables
    }

    /// Commits the imported rows, then migrates to the newest schema.
    func endImport(ofSchema version: Int, at now: Timestamp) throws(DatabaseError) {
        try run(.commit)
        try Migrator().apply(Migration.all.filter { $0.number > version }, to: connection, at: now)
    }
}
