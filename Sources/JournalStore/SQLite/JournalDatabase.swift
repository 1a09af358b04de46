/// The only type that runs SQL for the journal. Not safe to share: its owner guards each use with a lock.
///
/// Its interface is small on purpose, so that another database engine could replace SQLite here.
final class JournalDatabase {
    let connection: Connection
    private var prepared: [Statement?] = Array(repeating: nil, count: Query.allCases.count)

    init(_ connection: Connection) {
        self.connection = connection
    }

    /// The prepared statement of a query: prepared at its first use and kept.
    func statement(_ query: Query) throws(DatabaseError) -> Statement {
        if let ready = prepared[query.rawValue] { return ready }
        let fresh = try connection.prepare(query.sql, persistent: true)
        prepared[query.rawValue] = fresh
        return fresh
    }

    func run(_ query: Query) throws(DatabaseError) {
        try statement(query).run()
    }

    /// Rolls the transaction back, unless an error has done that already.
    func rollback() {
        guard connection.isInTransaction else { return }
        // A ROLLBACK that fails does not leave the transaction open: https://www.sqlite.org/lang_transaction.html. One that
        // could not be prepared, for lack of memory, does.
        try? run(.rollback)
    }

    /// Runs the body in a read transaction, on one consistent view. Throws if a newer library has migrated the file.
    func read<Value>(_ body: () throws(DatabaseError) -> Value) throws(DatabaseError) -> Value {
        try beginRead()
        defer { rollback() }
        return try body()
    }

    /// Begins a transaction that only reads; ``rollback()`` ends it.
    func beginRead() throws(DatabaseError) {
        try run(.beginRead)
        do throws(DatabaseError) {
            let version = try userVersion()
            let known = Migration.all.last?.number ?? 0
            guard version <= known else { throw DatabaseError.newerSchema(found: version, known: known) }
        } catch {
            rollback()
            throw error
        }
    }

    /// The number of the last migration.
    func userVersion() throws(DatabaseError) -> Int { try connection.userVersion(statement(.userVersion)) }

    /// Changes with the schema: https://www.sqlite.org/pragma.html#pragma_schema_version
    func schemaVersion() throws(DatabaseError) -> Int64? { try connection.integer("PRAGMA schema_version") }

    /// Changes when another connection commits: https://www.sqlite.org/pragma.html#pragma_data_version
    func dataVersion() throws(DatabaseError) -> Int64 {
        try statement(.dataVersion).first { $0.integer(0) } ?? 0
    }
}
