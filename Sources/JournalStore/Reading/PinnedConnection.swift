/// A connection for many short reads that follow each other. They share a transaction, which lasts a few milliseconds
/// at most while there are reads: a longer one would hold back checkpoints.
final class PinnedConnection: Sendable {
    private struct Held: Sendable {
        var pooled: ReaderPool.Pooled
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
                old.pooled.database.rollback()
                held = nil
                pool.giveBack(old.pooled)
            }
            if held == nil { try begin(&held, on: try pool.take(), now) }
            guard let database = held?.pooled.database else { throw JournalError(.closed, "There is no connection.") }
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
        _ held: inout Held?, on pooled: ReaderPool.Pooled, _ now: ContinuousClock.Instant
    ) throws(JournalError) {
        try JournalError.at(file, "reading") { () throws(DatabaseError) in try pooled.database.beginRead() }
        held = Held(pooled: pooled, begun: now)
    }

    /// Ends the transaction.
    func release() {
        held.withLock { held in
            if let pooled = held?.pooled {
                pooled.database.rollback()
                pool.giveBack(pooled)
            }
            held = nil
        }
    }
}
