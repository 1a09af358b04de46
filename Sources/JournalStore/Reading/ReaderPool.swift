/// A pool of connections for reading. Each is lent to one caller at a time and kept for the next.
final class ReaderPool: Sendable {
    /// A connection of the pool. `@unchecked`: it moves between threads only through locks, one owner at a time.
    struct Pooled: @unchecked Sendable {
        let database: JournalDatabase
        /// The file at the pool's path just before it was opened.
        fileprivate let identity: FileIdentity?
    }

    /// A connection that reads the database file alone, as it was at a stamp. `@unchecked`: as ``Pooled``.
    private struct Alone: @unchecked Sendable {
        let stamp: Stamp
        let database: JournalDatabase
    }

    /// As many as can be in use at once, and some more.
    private static let kept = max(4, 2 * Platform.processors)

    let file: String
    private let vfs: String?
    /// Whether this process writes the journal: its file then has a WAL.
    private let isWrittenHere: Bool
    private let idle = Lock<[Pooled]>([])
    private let alone = Lock<Alone?>(nil)
    private let pins = Lock<[ObjectIdentifier: Pin]>([:])

    private struct Pin {
        weak var connection: PinnedConnection?
    }

    init(file: String, vfs: String?, isWrittenHere: Bool) {
        (self.file, self.vfs, self.isWrittenHere) = (file, vfs, isWrittenHere)
    }

    func borrow<Value>(_ body: (JournalDatabase) throws(JournalError) -> Value) throws(JournalError) -> Value {
        if !isWrittenHere, let value = try readAlone(body) { return value }
        let pooled: Pooled
        do throws(JournalError) {
            pooled = try take()
        } catch {
            // The journal was closed meanwhile.
            if isWrittenHere, let value = try readAlone(body) { return value }
            throw error
        }
        let value = try body(pooled.database)
        // A connection that threw is not returned to the pool: the next caller opens a new one.
        giveBack(pooled)
        return value
    }

    /// Takes a connection out of the pool, for a caller that returns it.
    func take() throws(JournalError) -> Pooled {
        let identity = Platform.status(ofPath: file)?.identity
        while let waiting = idle.withLock({ $0.popLast() }) {
            // After the file was replaced, its old connections would go on reading the old one.
            if identity == nil || waiting.identity == identity { return waiting }
        }
        return Pooled(database: try open(), identity: identity)
    }

    func giveBack(_ pooled: Pooled) {
        idle.withLock { if $0.count < ReaderPool.kept { $0.append(pooled) } }
    }

    /// Closes the connections that wait for a caller. The next read opens another one.
    func closeIdle() {
        // They are closed without the lock.
        _ = idle.withLock { idle in
            defer { idle = [] }
            return idle
        }
    }

    /// Lends a connection that may copy the whole database into another file. The body can run more than once.
    func copy(_ body: (Connection) throws(JournalError) -> Void) throws(JournalError) {
        if try readAlone({ database throws(JournalError) in try body(database.connection) }) != nil { return }
        let connection = try JournalError.at(file, "opening for the copy") { () throws(DatabaseError) in
            try JournalDatabase.openForCopying(file, vfs: vfs)
        }
        try body(connection)
    }

    /// Lends a connection for one long read that cannot be repeated.
    ///
    /// - Throws: what the body throws, or ``JournalError`` if an app opened a closed file during the read, which makes
    ///   the result unreliable.
    func once<Value>(_ body: (JournalDatabase) throws -> Value) throws -> Value {
        let before = stamp
        guard before.isWhole else { return try body(try open()) }
        let database = try openAlone()
        let value = Result { try body(database) }
        // What was read can be of two moments, which looks like damage.
        if case .failure(let error) = value, (error as? JournalError)?.code != .corrupt { throw error }
        guard stamp == before else {
            throw JournalError(
                .busy, "An app opened the journal while it was being read.", advice: "Try again.", file: file)
        }
        return try value.get()
    }

    // MARK: Pinned connections

    func add(_ connection: PinnedConnection) {
        pins.withLock { $0[ObjectIdentifier(connection)] = Pin(connection: connection) }
    }

    func remove(_ connection: PinnedConnection) {
        pins.withLock { $0[ObjectIdentifier(connection)] = nil }
    }

    /// Ends the transactions of pinned connections: they would hold back the checkpoint of a closing.
    func releasePins() {
        let pinned = pins.withLock { Array($0.values) }
        for pin in pinned { pin.connection?.release() }
    }

    // MARK: A file that no process has open

    /// Changes when the file is written.
    private struct Stamp: Hashable {
        var status: FileStatus?
        /// Whether the database file is complete without a WAL or a rollback journal.
        var isWhole: Bool

        /// Whether a write from now on certainly gives the file another time: the clock of a file system is coarse.
        var isOld: Bool {
            guard let status else { return false }
            return status.modified < (Timestamp.now().microseconds - 1_000_000).multipliedSaturating(by: 1_000)
        }
    }

    private var stamp: Stamp {
        func size(_ part: FileBeside) -> Int64? { Platform.status(ofPath: part.path(of: file))?.size }
        return Stamp(
            status: Platform.status(ofPath: file),
            isWhole: size(.shm) == nil && (size(.wal) ?? 0) == 0 && size(.rollback) == nil)
    }

    /// Reads a file that has no WAL and no -shm, as the `sqlite3` shell leaves it if it is the last to close it. SQLite
    /// opens a WAL database only if both exist or can be created, and a reader creates nothing. But then the file is
    /// complete and can be read as it is, unless a process opens it meanwhile, which is checked afterwards.
    ///
    /// - Returns: nil if a process has the file open, so that it must be read in the ordinary way.
    private func readAlone<Value>(
        _ body: (JournalDatabase) throws(JournalError) -> Value
    ) throws(JournalError) -> Value? {
        for _ in 0..<3 {
            let before = stamp
            guard before.isWhole else { return nil }
            do throws(JournalError) {
                let database = try takeAlone(before)
                let value = try body(database)
                if stamp == before {
                    if before.isOld { alone.withLock { $0 = Alone(stamp: before, database: database) } }
                    return value
                }
            } catch {
                // The error may come from a write that ran meanwhile.
                if stamp == before { throw error }
            }
        }
        return nil
    }

    /// The connection of an earlier read if the file has not changed since, or another one. To open one takes ten times
    /// as long as a short read.
    private func takeAlone(_ stamp: Stamp) throws(JournalError) -> JournalDatabase {
        let last = alone.withLock { $0.take() }
        if let last, last.stamp == stamp { return last.database }
        return try openAlone()
    }

    /// A connection that reads the file as it is.
    private func openAlone() throws(JournalError) -> JournalDatabase {
        try JournalError.at(file, "opening for reading") { () throws(DatabaseError) in
            JournalDatabase(try Connection(path: file, access: .inspect, vfs: vfs))
        }
    }

    private func open() throws(JournalError) -> JournalDatabase {
        try JournalError.at(file, "opening for reading") { () throws(DatabaseError) in
            try JournalDatabase.openForReading(file, vfs: vfs)
        }
    }
}
