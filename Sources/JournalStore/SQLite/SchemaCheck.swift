/// Compares the schema of a file with that of its version, before any statement reads a table: what looks like a table
/// could be a view that never ends, and a trigger could change what is written.
struct SchemaCheck {
    struct Item: Hashable, Sendable {
        /// What its SQL creates: `table`, `index`, `view` or `trigger`; or `object`, if it is none of these.
        var kind: String
        var name: String
        /// The table that it belongs to, as far as its row tells.
        var table: String
        var sql: String

        /// SQLite executes the SQL of a row also if its type is `Trigger`. It has written the beginning of that SQL
        /// itself, so the SQL tells what the row is. https://www.sqlite.org/schematab.html
        fileprivate init(type: String, name: String, table: String, sql: String) {
            let beginnings = [
                ("CREATE TABLE ", "table"), ("CREATE VIRTUAL TABLE ", "table"), ("CREATE INDEX ", "index"),
                ("CREATE UNIQUE INDEX ", "index"), ("CREATE VIEW ", "view"), ("CREATE TRIGGER ", "trigger"),
            ]
            let created = beginnings.first { sql.utf8.starts(with: $0.0.utf8) }?.1
            // An index of a PRIMARY KEY or of UNIQUE has no SQL.
            kind = sql.isEmpty && type == "index" ? type : created ?? "object"
            if kind != type { kind = kind == "trigger" || kind == "view" ? kind : "object" }
            (self.name, self.table, self.sql) = (name, table, sql)
        }

        /// Whether a statement that calls a function of SQLite would read this instead. A table hides the table-valued
        /// function of its name, and a virtual table can be called like one.
        /// https://www.sqlite.org/vtab.html#tabfunc2
        fileprivate var hidesFunction: Bool {
            let name = name.lowercased()
            return name.hasPrefix("pragma_") || name == "json_each" || name == "json_tree"
        }
    }

    enum Difference: Hashable {
        case missing(Item)
        case changed(Item)
        case unknown(Item)
        /// An index that somebody has added to a table of the journal, and that can refuse what the journal writes, or
        /// make it fail.
        case restricting(Item)

        var message: String {
            switch self {
            case .missing(let item): "the \(item.kind) \(item.name) of the schema is missing"
            case .changed(let item): "the \(item.kind) \(item.name) of the schema was changed"
            case .unknown(let item): "the \(item.kind) \(item.name) is not part of the schema"
            case .restricting(let item):
                "the index \(item.name) on \(item.table) is not part of the schema, and is unique or has more than "
                    + "columns (`\(SchemaCheck.dropIndex(item.name))`)"
            }
        }

        /// Whether it was added, so that dropping it is all that is to be done.
        var isAddition: Bool {
            switch self {
            case .unknown, .restricting: true
            case .missing, .changed: false
            }
        }

        /// Whether a reader could read something other than the journal's tables, or miss an index that it names.
        var concernsReading: Bool {
            switch self {
            case .missing(let item), .changed(let item): item.kind == "table" || item.kind == "index"
            case .unknown(let item): item.hidesFunction
            case .restricting: false
            }
        }

        /// Whether a transaction that is about to begin could write something else than the journal's rows, or refuse
        /// these.
        var concernsTransactions: Bool {
            if case .unknown(let item) = self {
                item.kind == "trigger" || item.kind == "object" || item.hidesFunction
            } else {
                concernsWriting
            }
        }

        /// Whether something other than the journal's rows could be written, or these could be refused. Other tables
        /// and indexes are allowed.
        var concernsWriting: Bool {
            switch self {
            case .missing, .changed, .restricting: true
            case .unknown(let item):
                item.kind == "trigger" || item.kind == "view" || item.kind == "object" || item.hidesFunction
            }
        }
    }

    let expected: [Item]
    let found: [Item]
    /// The names of the added indexes that restrict what the journal can write.
    let restricting: Set<String>

    /// Whether an item is there as it should be.
    func isSound(_ name: String) -> Bool {
        expected.contains { $0.name == name && found.contains($0) }
    }

    /// The differences, those of the journal's own items first.
    var differences: [Difference] {
        let own = expected.compactMap { item -> Difference? in
            if found.contains(item) { return nil }
            return found.contains { $0.kind == item.kind && $0.name == item.name } ? .changed(item) : .missing(item)
        }
        return own + others.map { restricting.contains($0.name) ? .restricting($0) : .unknown($0) }
    }

    /// What the file has besides the journal's items.
    private var others: [Item] { SchemaCheck.others(found, expected) }

    private static func others(_ found: [Item], _ expected: [Item]) -> [Item] {
        found.filter { item in !expected.contains { $0.kind == item.kind && $0.name == item.name } }
    }

    /// The statement that removes an index.
    static func dropIndex(_ name: String) -> String { "DROP INDEX \(TableShape.quoted(name))" }
}

extension SchemaCheck {
    /// Compares with the schema that the migrations up to a version make.
    init(_ connection: Connection, version: Int = .max) throws(DatabaseError) {
        let expected = try SchemaCheck.expected(version)
        let found = try SchemaCheck.items(of: connection)
        var restricting: Set<String> = []
        let others = SchemaCheck.others(found, expected)
        // The file is refused then, and what is asked here would get its own answer.
        let canAsk = !others.contains(where: \.hidesFunction)
        if canAsk, others.contains(where: { $0.kind == "index" }) {
            for table in expected where table.kind == "table" {
                restricting.formUnion(try SchemaCheck.restrictingIndexes(of: table.name, in: connection))
            }
            restricting.subtract(expected.map(\.name))
        }
        (self.expected, self.found, self.restricting) = (expected, found, restricting)
    }

    /// The indexes of a table that are unique, or have more than columns: an expression, a condition, another program's
    /// collation. Such an index can refuse a row, or calls what only the program knows that made it.
    /// https://www.sqlite.org/pragma.html#pragma_index_xinfo
    private static func restrictingIndexes(
        of table: String, in connection: Connection
    ) throws(DatabaseError) -> [String] {
        try connection.prepare(
            """
            SELECT list.name FROM pragma_index_list(?1) AS list
            WHERE list.origin = 'c' AND (list."unique" OR list.partial OR EXISTS (
                SELECT 1 FROM pragma_index_xinfo(list.name) AS part
                WHERE part.cid = -2 OR part.coll NOT IN ('BINARY', 'NOCASE', 'RTRIM')))
            """, table
        ).all { $0.text(0) }
    }

    /// The schemas of new files, by version. Kept, because each opening compares with one.
    private static let schemas = Lock<[Int: [Item]]>([:])

    static func expected(_ version: Int = .max) throws(DatabaseError) -> [Item] {
        if let items = schemas.withLock({ $0[version] }) { return items }
        let fresh = try Connection(path: "", access: .memory)
        let migrations = Migration.all.filter { $0.number <= version }
        try Migrator().apply(migrations, to: fresh, at: Timestamp(microseconds: 0))
        let items = try items(of: fresh)
        schemas.withLock { $0[version] = items }
        return items
    }

    /// Without the tables of ANALYZE: https://www.sqlite.org/fileformat2.html#stat4tab
    ///
    /// One damaged bit can make a BLOB of a name. SQLite reads it all the same, but it is not what was written.
    private static func items(of connection: Connection) throws(DatabaseError) -> [Item] {
        try connection.prepare(
            """
            SELECT
                type, name, tbl_name,
                CASE WHEN 'blob' IN (typeof(type), typeof(name), typeof(tbl_name), typeof(sql))
                    THEN 'not a text' ELSE coalesce(sql, '') END
            FROM sqlite_schema
            WHERE NOT (
                type = 'table' AND name IN ('sqlite_stat1', 'sqlite_stat2', 'sqlite_stat3', 'sqlite_stat4')
                AND sql GLOB 'CREATE TABLE sqlite_stat[1-4](*')
            ORDER BY type, name
            """
        ).all { Item(type: $0.text(0), name: $0.text(1), table: $0.text(2), sql: $0.text(3)) }
    }
}
