/// How connections of the journal are set up.
extension JournalDatabase {
    /// What stands at a path, without touching it, its folder or its locks.
    static func inspect(_ path: String, vfs: String?) throws(DatabaseError) -> Migrator.Found {
        try Migrator().header(of: Connection(path: path, access: .inspect, vfs: vfs))
    }

    static func openForReading(_ path: String, vfs: String?) throws(DatabaseError) -> JournalDatabase {
        let connection = try openForCopying(path, vfs: vfs)
        // Nothing but reading, whatever the SQL says. https://www.sqlite.org/pragma.html#pragma_query_only
        try connection.execute("PRAGMA query_only = ON")
        return JournalDatabase(connection)
    }

    /// VACUUM INTO writes into an attached file, which query_only forbids; the journal itself is read-only all the same.
    static func openForCopying(_ path: String, vfs: String?) throws(DatabaseError) -> Connection {
        let access: Connection.Access = Platform.actsAsOwner(ofPath: path) ? .read : .readAsGuest
        let connection = try Connection(path: path, access: access, vfs: vfs)
        connection.setBusyTimeout(milliseconds: 5_000)
        return connection
    }

    /// The connection that writes, before its schema is looked at. Nothing in the file is changed yet.
    static func openForWriting(
        _ path: String?, vfs: String?, busyTimeout: Duration
    ) throws(DatabaseError) -> JournalDatabase {
        let connection = try Connection(path: path ?? "", access: path == nil ? .memory : .write, vfs: vfs)
        let database = JournalDatabase(connection)
        database.setBusyTimeout(busyTimeout)
        return database
    }

    /// Finite: a writer never waits for ever. https://www.sqlite.org/c3ref/busy_timeout.html
    func setBusyTimeout(_ timeout: Duration) {
        let (seconds, attoseconds) = timeout.components
        let milliseconds = seconds * 1_000 + attoseconds / 1_000_000_000_000_000
        connection.setBusyTimeout(milliseconds: Int32(clamping: milliseconds))
    }

    /// Applies what is missing of the schema, then the journal's own settings.
    func prepareForWriting(
        _ pending: [Migration], durability: Durability, at now: Timestamp, inMemory: Bool
    ) throws(DatabaseError) {
        // The schema is written durably in any case: FULL syncs at every commit.
        try connection.execute("PRAGMA synchronous = FULL")
        try Migrator().apply(pending, to: connection, at: now)
        guard !inMemory else { return }
        // Readers and the writer do not wait for each other. https://www.sqlite.org/wal.html
        guard try connection.text("PRAGMA journal_mode = WAL") == "wal" else {
            throw DatabaseError(code: 0, message: "it cannot be put into WAL mode", during: "PRAGMA journal_mode")
        }
        // In WAL mode FULL syncs the WAL at every commit; NORMAL only before a checkpoint: a loss of power can take the
        // last commits, never the consistency. Set explicitly, as the default is a matter of how SQLite was built.
        // https://www.sqlite.org/pragma.html#pragma_synchronous
        try connection.execute("PRAGMA synchronous = \(durability == .full ? "FULL" : "NORMAL")")
        // A WAL that grew is cut back to this at its next reset. https://www.sqlite.org/pragma.html#pragma_journal_size_limit
        try connection.execute("PRAGMA journal_size_limit = \(64 << 20)")
        if !pending.isEmpty {
            // What marks the file as a journal stands in the database file itself, where the next one to look finds it.
            try connection.checkpoint(.passive)
        }
    }

    /// Who wrote the journal last.
    struct WriterRow: Hashable {
        var journal: [UInt8]
        var epoch: Int64
        var path: String
    }

    func writer() throws(DatabaseError) -> WriterRow? {
        try connection.prepare("SELECT journal, epoch, path FROM writer WHERE id = 1").first {
            WriterRow(journal: $0.bytes(0), epoch: $0.integer(1), path: $0.text(2))
        }
    }

    /// Takes the journal over: every writer with a smaller epoch is fenced from here on.
    func takeOver(path: String) throws(DatabaseError) -> WriterRow {
        let before = try writer()
        let row = WriterRow(
            journal: before?.journal ?? Platform.randomBytes(16), epoch: (before?.epoch ?? 0) + 1, path: path)
        try connection.transaction { () throws(DatabaseError) in
            let replace = try connection.prepare(
                "INSERT OR REPLACE INTO writer (id, journal, epoch, path) VALUES (1, ?, ?, ?)")
            replace.bind(1, row.journal)
            replace.bind(2, row.epoch)
            replace.bind(3, row.path)
            try replace.run()
        }
        if before?.path != path {
            // Somebody who opens the file under another name finds only what is in the database file itself.
            try connection.checkpoint(.passive)
        }
        return row
    }

    func entryDigest(atPosition position: Int) throws(DatabaseError) -> Digest? {
        let select = try connection.prepare("SELECT digest FROM entry WHERE position = ?")
        select.bind(1, position)
        return try select.first { row throws(DatabaseError) in try row.digest(0) }
    }
}
