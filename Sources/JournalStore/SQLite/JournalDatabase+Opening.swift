/// Opens and configures the journal's connections.
extension JournalDatabase {
    /// Reads the header of a file, without touching the file, its folder or its locks.
    static func inspect(_ path: String, vfs: String?) throws(DatabaseError) -> Migrator.SchemaState {
        try Migrator().header(of: Connection(path: path, access: .inspect, vfs: vfs))
    }

    static func openForReading(_ path: String, vfs: String?) throws(DatabaseError) -> JournalDatabase {
        let connection = try openForCopying(path, vfs: vfs)
        // Makes every SQL statement read-only. https://www.sqlite.org/pragma.html#pragma_query_only
        try connection.execute("PRAGMA query_only = ON")
        return JournalDatabase(connection)
    }

    /// Opens without query_only, which forbids VACUUM INTO; the journal itself is opened read-only all the same.
    static func openForCopying(_ path: String, vfs: String?) throws(DatabaseError) -> Connection {
        // Who may write the -shm may also make it: a writer of this process shares it with this reader.
        let isGuest = !Platform.actsAsOwner(ofPath: path) && !Platform.isWritable(file: FileBeside.shm.path(of: path))
        let connection = try Connection(path: path, access: isGuest ? .readAsGuest : .read, vfs: vfs)
        connection.setBusyTimeout(milliseconds: 5_000)
        return connection
    }

    /// Opens the connection that writes. Does not read the schema or change the file yet.
    static func openForWriting(
        _ path: String?, vfs: String?, busyTimeout: Duration
    ) throws(DatabaseError) -> JournalDatabase {
        let connection = try Connection(path: path ?? "", access: path == nil ? .memory : .write, vfs: vfs)
        let database = JournalDatabase(connection)
        database.setBusyTimeout(busyTimeout)
        return database
    }

    /// The timeout is finite: a writer never waits forever. https://www.sqlite.org/c3ref/busy_timeout.html
    func setBusyTimeout(_ timeout: Duration) {
        connection.setBusyTimeout(milliseconds: Int32(clamping: timeout.inMicroseconds / 1_000))
    }

    /// Applies the pending migrations, then the journal's own settings.
    func prepareForWriting(
        _ pending: [Migration], durability: Durability, at now: Timestamp, inMemory: Bool
    ) throws(DatabaseError) {
        // The schema is always written durably: FULL syncs at every commit.
        try connection.execute("PRAGMA synchronous = FULL")
        // On macOS only a full sync empties the cache of the drive. https://www.sqlite.org/pragma.html#pragma_fullfsync
        try connection.execute("PRAGMA fullfsync = ON")
        // Without it a power loss during a checkpoint could damage the file.
        // https://www.sqlite.org/pragma.html#pragma_checkpoint_fullfsync
        try connection.execute("PRAGMA checkpoint_fullfsync = ON")
        try Migrator().apply(pending, to: connection, at: now)
        guard !inMemory else { return }
        // In WAL mode readers and the writer do not wait for each other. https://www.sqlite.org/wal.html
        guard try connection.text("PRAGMA journal_mode = WAL") == "wal" else {
            throw DatabaseError(code: 0, message: "it cannot be switched to WAL mode", during: "PRAGMA journal_mode")
        }
        // In WAL mode FULL syncs the WAL at every commit, NORMAL only before a checkpoint: a power loss can take the
        // last commits, but never the consistency. Set explicitly: the default depends on how SQLite was built.
        // https://www.sqlite.org/pragma.html#pragma_synchronous
        try connection.execute("PRAGMA synchronous = \(durability == .full ? "FULL" : "NORMAL")")
        try connection.execute("PRAGMA fullfsync = \(durability == .full ? "ON" : "OFF")")
        // Truncates a larger WAL at its next reset. https://www.sqlite.org/pragma.html#pragma_journal_size_limit
        try connection.execute("PRAGMA journal_size_limit = \(64 << 20)")
        // A statement that inserts several rows first saves the pages that it changes, more than 64 KB of them in a
        // temporary file. A container can lack a folder for that: then the journal would stop with an I/O error.
        // https://www.sqlite.org/tempfiles.html#statement_journal_files
        try connection.execute("PRAGMA temp_store = MEMORY")
        try forgetPlannerStatistics()
        if !pending.isEmpty {
            // Copies the application ID into the database file, so that an opening that reads only that file finds it.
            try connection.checkpoint(.passive)
        }
    }

    /// The record of the last writer.
    struct WriterRow: Hashable {
        var journal: [UInt8]
        var epoch: Int64
        var path: String
        /// How many more positions than steps there are. A fork leaves entries out, so it begins with a surplus.
        var surplus: Int
    }

    /// Nil in a journal that no process has opened for writing yet.
    func writer() throws(DatabaseError) -> WriterRow? {
        let select = try connection.prepare(DigestedTable.writer.select + " WHERE id = 1")
        if let writer = try select.first(WriterRow.init) { return writer }
        // The first opening writes the row before there is a stream.
        guard try connection.integer("SELECT 1 FROM stream LIMIT 1") == nil else {
            throw .damagedRow("the row of the last writer is missing")
        }
        return nil
    }

    /// The record of the last writer, for the next one. Throws if no epoch is left for that one: its first transaction
    /// would have a number that no reader accepts.
    func writerToFollow() throws(DatabaseError) -> WriterRow? {
        let writer = try writer()
        guard (writer?.epoch ?? 0) + 1 < StoredRange.epoch.upperBound else {
            throw .damagedRow("the epoch is the last one")
        }
        return writer
    }

    /// Takes the journal over: every writer with a smaller epoch is fenced from now on.
    ///
    /// - Parameter process: recorded as an opening of an app; nil for a tool.
    func takeOver(path: String, at time: Timestamp, process: Int?) throws(DatabaseError) -> WriterRow {
        let before = try writerToFollow()
        let row = WriterRow(
            journal: before?.journal ?? Platform.randomBytes(16), epoch: (before?.epoch ?? 0) + 1, path: path,
            surplus: before?.surplus ?? 0)
        try connection.transaction { () throws(DatabaseError) in
            try write(row)
            if let process { try recordOpening(at: time, process) }
        }
        if before?.path != path {
            // A process that opens the file under another name finds only what is in the database file.
            try connection.checkpoint(.passive)
        }
        return row
    }

    private func recordOpening(at time: Timestamp, _ process: Int) throws(DatabaseError) {
        let last = try connection.prepare("SELECT coalesce(max(number), 0) FROM opening").first {
            row throws(DatabaseError) in try row.number(0, StoredRange.count, "the number of an opening")
        }
        let number = (last ?? 0) + 1
        guard number <= StoredRange.last else { throw .damagedRow("the number of an opening is the last one") }
        try connection.run(DigestedTable.opening.insert, number, time, process, LibraryVersion.text)
        try connection.run("DELETE FROM opening WHERE number <= ?", number - JournalOpening.most)
    }

    /// The openings after one, oldest first.
    func openings(after number: Int) throws(DatabaseError) -> [JournalOpening] {
        try connection.prepare(DigestedTable.opening.select + " WHERE number > ? ORDER BY number", number).all(
            JournalOpening.init)
    }

    func write(_ writer: WriterRow) throws(DatabaseError) {
        try connection.execute("DELETE FROM writer")
        try connection.run(
            DigestedTable.writer.insert, 1, writer.journal, writer.epoch, writer.path, writer.surplus)
    }

    /// The number of the newest transaction that changed a stream; nil if there is no such stream.
    func lastTransaction(of stream: StreamID) throws(DatabaseError) -> Int64? {
        try statement(.lastTransaction, stream).first { row throws(DatabaseError) in
            try row.checkDigest(1, .stream)
            return try row.transaction(0)
        }
    }

    func entryDigest(atPosition position: Int) throws(DatabaseError) -> Digest? {
        try connection.prepare("SELECT digest FROM entry WHERE position = ?", position).first {
            row throws(DatabaseError) in try row.digest(0)
        }
    }
}
