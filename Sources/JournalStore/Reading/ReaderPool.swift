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
        if let value = try readAlone(body) { return value }
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

    /// Lends a connection that may copy the whole database into another file. The body may run more than once.
    func copy(_ body: (Connection) throws(JournalError) -> Void) throws(JournalError) {
        if try readAlone({ database throws(JournalError) in try body(database.connection) }) != nil { return }
        let connection = try JournalError.at(file, "opening for the copy") { () throws(DatabaseError) in
            try JournalDatabase.openForCopying(file, vfs: vfs)
        }
        try body(connection)
    }

    /// Lends a connection for one long read that cannot be begun anew.
    ///
    /// - Throws: what the body throws; or that somebody opened a file that nobody had open, so that what was read need not fit.
    func once<Value>(_ body: (JournalDatabase) throws -> Value) throws -> Value {
        let before = stamp
        guard before.isWhole else { return try body(try open()) }
        let database = try JournalError.at(file, "opening for reading") { () throws(DatabaseError) in
            JournalDatabase(try Connection(path: file, access: .inspect, vfs: vfs))
        }
        let value = try body(database)
        guard stamp == before else {
            throw JournalError(
                .busy, "An app opened the journal while it was read.", advice: "Do it again.", file: file)
        }
        return value
    }

    // MARK: A file that nobody has open

    /// What tells whether a file was touched.
    private struct Stamp: Hashable {
        var status: FileStatus?
        /// Whether all there is stands in the file itself.
        var isWhole: Bool
    }

    private var stamp: Stamp {
        func size(_ suffix: String) -> Int64? { Platform.status(ofPath: file + suffix)?.size }
        return Stamp(
            status: Platform.status(ofPath: file),
            isWhole: size("-shm") == nil && (size("-wal") ?? 0) == 0 && size("-journal") == nil)
    }

    /// Reads a file that stands there without a WAL and without a -shm, as the `sqlite3` shell leaves it when it was the last
    /// to close it. SQLite reads a WAL database only where both are or can be made, and a reader makes nothing. But the file
    /// is whole then, and can be read as it stands, as long as nobody opens it meanwhile: that is looked at afterwards.
    ///
    /// - Returns: nil where the file is open somewhere, so that it is to be read in the ordinary way.
    private func readAlone<Value>(
        _ body: (JournalDatabase) throws(JournalError) -> Value
    ) throws(JournalError) -> Value? {
        for _ in 0..<3 {
            let before = stamp
            guard before.isWhole else { return nil }
            do throws(JournalError) {
                let database = try JournalError.at(file, "opening for reading") { () throws(DatabaseError) in
                    JournalDatabase(try Connection(path: file, access: .inspect, vfs: vfs))
                }
                let value = try body(database)
                if stamp == before { return value }
            } catch {
                // What was wrong may come from somebody who wrote meanwhile.
                if stamp == before { throw error }
            }
        }
        return nil
    }

    private func open() throws(JournalError) -> JournalDatabase {
        do throws(DatabaseError) {
            return try JournalDatabase.openForReading(file, vfs: vfs)
        } catch {
            throw JournalError(error, file: file, while: "opening for reading")
        }
    }
}
