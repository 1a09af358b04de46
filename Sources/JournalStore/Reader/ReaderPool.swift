/// Connections that read. Each is lent to one caller at a time, and kept for the next.
final class ReaderPool: Sendable {
    /// A connection that waits. It crosses from one thread to another only through the pool's lock, one owner at a time,
    /// so it is never shared.
    private struct Idle: @unchecked Sendable {
        let database: JournalDatabase
    }

    private static let kept = 4

    let file: String
    private let vfs: String?
    private let idle = Lock<[Idle]>([])

    init(file: String, vfs: String?) {
        self.file = file
        self.vfs = vfs
    }

    func borrow<Value>(
        _ body: (JournalDatabase) throws(JournalError) -> Value
    ) throws(JournalError) -> Value {
        let database: JournalDatabase
        if let waiting = idle.withLock({ $0.popLast() }) {
            database = waiting.database
        } else {
            database = try open()
        }
        let value = try body(database)
        // After an error it is not kept: the next one begins with a fresh one.
        let idle = Idle(database: database)
        self.idle.withLock { if $0.count < ReaderPool.kept { $0.append(idle) } }
        return value
    }

    private func open() throws(JournalError) -> JournalDatabase {
        do throws(DatabaseError) {
            return try JournalDatabase.openForReading(file, vfs: vfs)
        } catch {
            throw JournalError(error, file: file, while: "opening for reading")
        }
    }
}
