/// A connection for many short reads that follow each other. They share a transaction, which lasts a few milliseconds at
/// most while there are reads: a longer one would hold back checkpoints.
final class PinnedConnection: Sendable {
    /// `@unchecked`: used only while the lock is held.
    private struct Held: @unchecked Sendable {
        var database: JournalDatabase
        var begun: ContinuousClock.Instant
    }

    private static let longest = Duration.milliseconds(10)

    private let pool: ReaderPool
    private let held = Lock<Held?>(nil)

    var file: String { pool.file }

    init(_ pool: ReaderPool) {
        self.pool = pool
        pool.add(self)
    }

    deinit {
        release()
        pool.remove(self)
    }

    func read<Value: Sendable>(
        _ body: (JournalDatabase) throws(JournalError) -> Value
    ) throws(JournalError) -> Value {
        try held.withLock { held throws(JournalError) in
            let now = ContinuousClock.now
            if let old = held, now - old.begun > Self.longest {
                old.database.rollback()
                held = nil
                try begin(&held, on: old.database, now)
            } else if held == nil {
                try begin(&held, on: try pool.take(), now)
            }
            guard let database = held?.database else { throw JournalError(.closed, "There is no connection.") }
            do throws(JournalError) {
                return try body(database)
            } catch {
                // Not returned to the pool.
                database.rollback()
                held = nil
                throw error
            }
        }
    }

    private func begin(
        _ held: inout Held?, on database: JournalDatabase, _ now: ContinuousClock.Instant
    ) throws(JournalError) {
        try JournalError.at(file, "reading") { () throws(DatabaseError) in try database.beginRead() }
        held = Held(database: database, begun: now)
    }

    /// Ends the transaction.
    func release() {
        held.withLock { held in
            if let database = held?.database {
                database.rollback()
                pool.giveBack(database)
            }
            held = nil
        }
    }
}
