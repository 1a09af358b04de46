/// Migrates a database to the newest schema, or says why it must not be touched.
struct Migrator {
    /// "JSto": the application ID that marks the file as a journal, also for `file(1)`.
    static let applicationID: Int64 = 0x4A53_746F

    var migrations = Migration.all

    /// The schema that a file says it has.
    struct SchemaState: Hashable {
        var applicationID: Int64
        var version: Int
        /// Whether it has no table, view or index. False if the header alone says that it is a journal.
        var isEmpty: Bool
        /// The encoding of its texts, if it is empty.
        var encoding = SchemaState.usualEncoding
        /// The digests of the migrations it records, by number.
        var applied: [Int: Digest] = [:]
        /// What differs from the schema of that version.
        var differences: [SchemaCheck.Difference] = []

        static let usualEncoding = "UTF-8"
    }

    /// A migration that a file records.
    struct Applied {
        var number: Int
        var digest: Digest
    }

    enum Refusal: Error, Hashable {
        case foreign(applicationID: Int64)
        /// An empty file whose texts have another encoding, which the row digests would depend on.
        case encoded(String)
        case newer(found: Int, known: Int)
        /// The file has tables, but its version is one from before the first.
        case noVersion(found: Int)
        case edited(name: String)
        /// The file does not record a migration that its version includes.
        case missing(name: String)
        case altered(SchemaCheck.Difference)
    }

    /// The migrations to apply, oldest first. Does no I/O.
    ///
    /// - Parameter writing: whether the file is opened for writing.
    func plan(for found: SchemaState, writing: Bool) throws(Refusal) -> [Migration] {
        if found.isEmpty && found.applicationID == 0 {
            guard found.encoding == SchemaState.usualEncoding else { throw .encoded(found.encoding) }
            return migrations
        }
        try checkOwner(found)
        // Without a version nothing says what the tables must be, so nothing would be compared.
        guard found.isEmpty || found.version > 0 else { throw .noVersion(found: found.version) }
        let harm = found.differences.first { $0.concernsReading || writing && $0.concernsWriting }
        for migration in migrations where migration.number <= found.version {
            guard let digest = found.applied[migration.number] else {
                if let harm { throw .altered(harm) }
                throw .missing(name: migration.name)
            }
            guard digest == migration.digest else { throw .edited(name: migration.name) }
        }
        if let harm { throw .altered(harm) }
        return migrations.filter { $0.number > found.version }
    }

    /// Checks that the file is a journal, and not one of a newer library.
    func checkOwner(_ found: SchemaState) throws(Refusal) {
        guard found.applicationID == Migrator.applicationID else { throw .foreign(applicationID: found.applicationID) }
        let known = migrations.last?.number ?? 0
        guard found.version <= known else { throw .newer(found: found.version, known: known) }
    }

    /// Reads the schema, and no table that is not what it should be.
    func find(in connection: Connection) throws(DatabaseError) -> SchemaState {
        connection.work.pointee.isOfUnknownSchema = true
        defer { connection.work.pointee.isOfUnknownSchema = false }
        var found = try header(of: connection)
        guard found.applicationID == Migrator.applicationID,
            let known = migrations.last?.number, (1...known).contains(found.version)
        else { return found }
        let check = try SchemaCheck(connection, version: found.version)
        found.differences = check.differences
        if check.isSound("migration") {
            try connection.prepare(DigestedTable.migration.select).forEach { row throws(DatabaseError) in
                let applied = try Applied(row)
                found.applied[applied.number] = applied.digest
            }
        }
        return found
    }

    func header(of connection: Connection) throws(DatabaseError) -> SchemaState {
        let applicationID = try connection.integer("PRAGMA application_id") ?? 0
        let version = try connection.userVersion()
        let isJournal = applicationID == Migrator.applicationID && version > 0
        // To count, SQLite parses the whole schema, which takes longer than all else that is done to look at a file.
        let isEmpty = isJournal ? false : try connection.integer("SELECT count(*) FROM sqlite_schema") == 0
        var found = SchemaState(applicationID: applicationID, version: version, isEmpty: isEmpty)
        // https://www.sqlite.org/pragma.html#pragma_encoding
        if isEmpty { found.encoding = try connection.prepare("PRAGMA encoding").first { $0.text(0) } ?? "" }
        return found
    }

    /// Applies each migration in its own transaction, together with its record, the version and the application ID:
    /// after a crash at any moment a migration is applied completely or not at all.
    func apply(_ pending: [Migration], to connection: Connection, at now: Timestamp) throws(DatabaseError) {
        for migration in pending {
            try connection.transaction { () throws(DatabaseError) in
                try connection.execute(migration.sql)
                try connection.run(
                    DigestedTable.migration.insert, migration.number, migration.name, migration.digest, now)
                // Both are part of the transaction: https://www.sqlite.org/pragma.html#pragma_user_version
                try connection.execute("PRAGMA user_version = \(migration.number)")
                try connection.execute("PRAGMA application_id = \(Migrator.applicationID)")
            }
        }
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
