/// Compares the schema of a file with that of its version, before any statement reads a table: what looks like a table
/// could be a view that never ends, and a trigger could change what is written.
struct SchemaCheck {
    struct Item: Hashable, Sendable {
        var kind: String
        var name: String
        var sql: String
    }

    enum Difference: Hashable {
        case missing(Item)
        case changed(Item)
        case unknown(Item)

        var message: String {
            switch self {
            case .missing(let item): "the \(item.kind) \(item.name) of the schema is missing"
            case .changed(let item): "the \(item.kind) \(item.name) of the schema was changed"
            case .unknown(let item): "the \(item.kind) \(item.name) is not part of the schema"
            }
        }

        /// Whether a reader could read something other than the journal's tables, or miss an index that it names.
        var concernsReading: Bool {
            switch self {
            case .missing(let item), .changed(let item): item.kind == "table" || item.kind == "index"
            case .unknown: false
            }
        }

        /// Whether something other than the journal's rows could be written. Tables and indexes of others are let be.
        var concernsWriting: Bool {
            switch self {
            case .missing, .changed: true
            case .unknown(let item): item.kind == "trigger" || item.kind == "view"
            }
        }
    }

    let expected: [Item]
    let found: [Item]

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
        let others = found.filter { item in !expected.contains { $0.kind == item.kind && $0.name == item.name } }
        return own + others.map { .unknown($0) }
    }
}

extension SchemaCheck {
    /// Compares with the schema that the migrations up to a version make.
    init(_ connection: Connection, version: Int = .max) throws(DatabaseError) {
        expected = try SchemaCheck.expected(version)
        found = try SchemaCheck.items(of: connection)
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
    private static func items(of connection: Connection) throws(DatabaseError) -> [Item] {
        try connection.prepare(
            """
            SELECT type, name, coalesce(sql, '') FROM sqlite_schema
            WHERE NOT (type = 'table' AND name IN ('sqlite_stat1', 'sqlite_stat2', 'sqlite_stat3', 'sqlite_stat4'))
            ORDER BY type, name
            """
        ).all { Item(kind: $0.text(0), name: $0.text(1), sql: $0.text(2)) }
    }
}
