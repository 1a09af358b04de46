/// The one type that speaks SQL for the journal: batches in, rows out. Owned by whoever holds its lock.
///
/// What it offers is small on purpose: another engine could stand here and nothing above would notice.
final class JournalDatabase {
    let connection: Connection
    private var prepared: [Statement?] = Array(repeating: nil, count: Query.allCases.count)

    init(_ connection: Connection) {
        self.connection = connection
    }

    /// The statement, prepared at its first use and kept.
    func statement(_ query: Query) throws(DatabaseError) -> Statement {
        if let ready = prepared[query.rawValue] { return ready }
        let fresh = try connection.prepare(query.sql, persistent: true)
        prepared[query.rawValue] = fresh
        return fresh
    }

    func run(_ query: Query) throws(DatabaseError) {
        try statement(query).run()
    }

    /// Undoes what the transaction has done; some errors have undone it already.
    func rollback() {
        guard connection.isInTransaction else { return }
        // A ROLLBACK does not fail in a way that leaves the transaction: https://www.sqlite.org/lang_transaction.html
        try? run(.rollback)
    }

    /// A read transaction: one consistent view. Refuses a file that a newer library has migrated meanwhile.
    func read<Value>(
        _ body: () throws(DatabaseError) -> Value
    ) throws(DatabaseError) -> Value {
        try run(.beginRead)
        defer { rollback() }
        let version = try statement(.userVersion).first { Int($0.integer(0)) } ?? 0
        let known = Migration.all.last?.number ?? 0
        guard version <= known else { throw DatabaseError.newerSchema(found: version, known: known) }
        return try body()
    }

    /// Changes when another connection has committed: https://www.sqlite.org/pragma.html#pragma_data_version
    func dataVersion() throws(DatabaseError) -> Int64 {
        try statement(.dataVersion).first { $0.integer(0) } ?? 0
    }
}
