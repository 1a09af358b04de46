/// The size of a journal, for display.
public struct JournalStatistics: Hashable, Sendable {
    /// Numbers of rows.
    public struct Counts: Hashable, Sendable {
        /// Machine instances.
        public var streams: Int
        /// Entries in the file; pruned ones are not counted.
        public var entries: Int
        /// Stored snapshots.
        public var snapshots: Int
        /// Effects that have not ended.
        public var liveRuns: Int
        /// Effects that have failed.
        public var failedRuns: Int
    }

    /// The version of the schema.
    public var schemaVersion: Int
    /// Numbers of rows.
    public var counts: Counts
    /// The size of the database file, in bytes.
    public var databaseBytes: Int64
    /// The size of the WAL, in bytes. It grows while a reader keeps a transaction open.
    public var walBytes: Int64
    /// The version of the SQLite library in use.
    public var sqliteVersion: String
    /// Whether that version has the fix for checkpoints that race with commits (3.51.3). Without it only the writer may
    /// checkpoint, as this library does anyway, and the `sqlite3` shell must not write while an app runs.
    public var sqliteHasWALFix: Bool
    /// The process that writes the journal right now; nil if there is none, or if this user may not read the -lock.
    public var writer: Writer?

    /// A process that has a journal open for writing.
    public struct Writer: Hashable, Sendable, CustomStringConvertible {
        /// The computer it runs on.
        public var host: String
        /// Its process ID there.
        public var process: Int
        /// When it opened the journal.
        public var since: Timestamp

        /// Process, host and time in words.
        public var description: String { "process \(process) on \(host) since \(since)" }
    }
}
