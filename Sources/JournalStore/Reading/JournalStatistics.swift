/// How large a journal is, for display.
public struct JournalStatistics: Hashable, Sendable {
    /// Rows.
    public struct Counts: Hashable, Sendable {
        /// Machine instances.
        public var streams: Int
        /// Entries that are there; pruned ones are not counted.
        public var entries: Int
        /// States that are kept.
        public var snapshots: Int
        /// Effects that have not ended.
        public var liveRuns: Int
        /// The version of the schema.
        public var schemaVersion: Int
    }

    /// Rows.
    public var counts: Counts
    /// The database file, in bytes.
    public var databaseBytes: Int64
    /// The WAL, in bytes. It grows while a reader holds a transaction open.
    public var walBytes: Int64
    /// The version of the SQLite library that runs.
    public var sqliteVersion: String
    /// Whether that version has the fix for checkpoints that race with commits (3.51.3). Without it only the writer may
    /// checkpoint, which is how this library works anyhow; the `sqlite3` shell must not write while an app runs.
    public var sqliteHasWALFix: Bool
    /// Who writes the journal right now; nil where nobody does.
    public var writer: Writer?

    /// A process that has a journal open for writing.
    public struct Writer: Hashable, Sendable, CustomStringConvertible {
        /// The machine it runs on.
        public var host: String
        /// Its process ID there.
        public var process: Int
        /// When it opened the journal.
        public var since: Timestamp

        /// All three in words.
        public var description: String { "process \(process) on \(host) since \(since)" }
    }
}

extension JournalReader {
    /// Sizes and counts. Counting reads every index once.
    public func statistics() throws(JournalError) -> JournalStatistics {
        let counts = try read("counting") { database throws(DatabaseError) in try database.counts() }
        let library = Connection.libraryVersion
        func size(_ suffix: String) -> Int64 { file.flatMap { Platform.status(ofPath: $0 + suffix)?.size } ?? 0 }
        let holder = file.flatMap { Sidecar.currentHolder(besides: $0) }
        return JournalStatistics(
            counts: counts, databaseBytes: size(""), walBytes: size("-wal"), sqliteVersion: library.text,
            sqliteHasWALFix: library.number >= 3_051_003,
            writer: holder.map {
                JournalStatistics.Writer(host: $0.identity.host, process: Int($0.identity.process), since: $0.since)
            })
    }
}
