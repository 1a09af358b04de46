/// Migrates a database to the newest schema, or says why it must not be touched.
struct Migrator {
    /// "JSto": the application ID that marks the file as a journal, also for `file(1)`.
    static let applicationID: Int64 = 0x4A53_746F

    var migrations = Migration.all

    /// The schema that a file says it has.
    struct SchemaState: Hashable {
        var applicationID: Int64
        var version: Int
        /// Whether it has no table, view or index.
        var isEmpty: Bool
        /// The digests of the migrations it records, by number.
        var applied: [Int: Digest] = [:]
    }

    enum Refusal: Error, Hashable {
        case foreign(applicationID: Int64)
        case newer(found: Int, known: Int)
        case edited(name: String)
        /// The file does not record a migration that its version includes.
        case missing(name: String)
    }

    /// The migrations to apply, oldest first. Does no I/O.
    func plan(for found: SchemaState) throws(Refusal) -> [Migration] {
        if found.isEmpty && found.applicationID == 0 { return migrations }
        try checkOwner(found)
        for migration in migrations where migration.number <= found.version {
            guard let digest = found.applied[migration.number] else { throw .missing(name: migration.name) }
            guard digest == migration.digest else { throw .edited(name: migration.name) }
        }
        return migrations.filter { $0.number > found.version }
    }

    /// Checks that the file is a journal, and not one of a newer library.
    func checkOwner(_ found: SchemaState) throws(Refusal) {
        guard found.applicationID == Migrator.applicationID else { throw .foreign(applicationID: found.applicationID) }
        let known = migrations.last?.number ?? 0
        guard found.version <= known else { throw .newer(found: found.version, known: known) }
    }

    func find(in connection: Connection) throws(DatabaseError) -> SchemaState {
        var found = try header(of: connection)
        if found.applicationID == Migrator.applicationID,
            try connection.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'migration'") == 1
        {
            try connection.prepare("SELECT number, digest FROM migration").forEach { row throws(DatabaseError) in
                found.applied[Int(row.integer(0))] = try row.digest(1)
            }
        }
        return found
    }

    func header(of connection: Connection) throws(DatabaseError) -> SchemaState {
        SchemaState(
            applicationID: try connection.integer("PRAGMA application_id") ?? 0,
            version: Int(try connection.integer("PRAGMA user_version") ?? 0),
            isEmpty: try connection.integer("SELECT count(*) FROM sqlite_schema") == 0)
    }

    /// Applies each migration in its own transaction, together with its record, the version and the application ID:
    /// after a crash at any moment a migration is applied completely or not at all.
    func apply(_ pending: [Migration], to connection: Connection, at now: Timestamp) throws(DatabaseError) {
        for migration in pending {
            try connection.transaction { () throws(DatabaseError) in
                try connection.execute(migration.sql)
                try connection.run(
                    "INSERT INTO migration (number, name, digest, applied) VALUES (?, ?, ?, ?)", migration.number,
                    migration.name, migration.digest, now)
                // Both are part of the transaction: https://www.sqlite.org/pragma.html#pragma_user_version
                try connection.execute("PRAGMA user_version = \(migration.number)")
                try connection.execute("PRAGMA application_id = \(Migrator.applicationID)")
            }
        }
    }

    /// The schema of a new file, as SQLite stores it. ``JournalReader/verify()`` compares with it.
    func expectedSchema() throws(DatabaseError) -> [SchemaItem] {
        let connection = try Connection(path: "", access: .memory)
        try apply(migrations, to: connection, at: Timestamp(microseconds: 0))
        return try Migrator.schema(of: connection)
    }

    struct SchemaItem: Hashable {
        var kind: String
        var name: String
        var sql: String
    }

    static func schema(of connection: Connection) throws(DatabaseError) -> [SchemaItem] {
        try connection.prepare(
            """
            SELECT type, name, coalesce(sql, '') FROM sqlite_schema
            WHERE name NOT LIKE 'sqlite_stat%' ORDER BY type, name
            """
        ).all { SchemaItem(kind: $0.text(0), name: $0.text(1), sql: $0.text(2)) }
    }
}

extension Connection {
    /// Uses BEGIN IMMEDIATE: a DEFERRED transaction that becomes a write later fails at once, whatever the timeout.
    /// https://www.sqlite.org/lang_transaction.html
    func transaction<Value>(_ body: () throws(DatabaseError) -> Value) throws(DatabaseError) -> Value {
        try execute("BEGIN IMMEDIATE")
        do {
            let value = try body()
            try execute("COMMIT")
            return value
        } catch {
            // Some errors roll back by themselves.
            if isInTransaction { try? execute("ROLLBACK") }
            throw error
        }
    }
}
