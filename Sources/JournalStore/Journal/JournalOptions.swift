/// What an acknowledged action survives.
public enum Durability: String, Hashable, Sendable, CaseIterable {
    /// The loss of power: each commit is on the disk before it is acknowledged.
    case full
    /// The end of the process, however it ends. A loss of power may take the last moments with it, never the consistency.
    case normal
}

/// Where a transaction runs.
public enum Execution: Hashable, Sendable {
    /// On the caller that finds the writer idle: the fastest way, as there is no hop. The caller's thread waits for the
    /// disk meanwhile.
    case inPlace
    /// On a thread outside of the cooperative pool, for apps that must not block it.
    case ownThread
}

/// What to do when a journal lacks entries that it had acknowledged.
public enum LostEntries: Hashable, Sendable {
    /// Refuse to open it.
    case refuse
    /// Open it as it is, and report a ``Notice``: after a backup was restored on purpose, say.
    case accept
}

extension Journal {
    /// How a journal is opened. The defaults lose nothing.
    public struct Options: Sendable {
        /// What an acknowledged action survives.
        public var durability = Durability.full
        /// Where transactions run.
        public var execution = Execution.inPlace
        /// What to do when acknowledged entries are missing.
        public var lostEntries = LostEntries.refuse
        /// When states are kept.
        public var snapshots = SnapshotPolicy()
        /// Which of them stay.
        public var retention = Retention()
        /// How long to wait for a connection that holds the database, a `sqlite3` shell for example.
        public var busyTimeout = Duration.seconds(5)
        /// The wall clock that entries are stamped with.
        public var clock: @Sendable () -> Timestamp = { .now() }
        /// Whether each action, and each state that is kept, is decoded again at once and compared, where its type is
        /// `Equatable`: a codec that loses something is found before a replay does. On in debug builds.
        public var checksCoding = Options.isDebugBuild
        /// Hears of what is no error for anybody: a snapshot that failed, entries lost with the power.
        /// Called on whatever thread finds it; must not wait.
        public var report: @Sendable (Notice) -> Void = { _ in }

        /// How long the outcomes of steps wait for a transaction to ride along with before they get one of their own.
        package var idleDelay = Duration.milliseconds(10)
        /// How many entries one transaction takes at the most. What waits beyond that goes into the next.
        package var entriesPerCommit = 4096
        /// From how many pages in the WAL on it is copied into the database.
        package var checkpointPages = 1000
        /// From how many pages on the WAL has grown abnormally, and is cut off when it has been copied.
        package var abnormalPages = 16_384
        /// Another file system, to provoke failures.
        package var vfs: String?
        /// Who this process is.
        package var identity: @Sendable () -> ProcessIdentity = { .current() }

        private static var isDebugBuild: Bool {
            #if DEBUG
                true
            #else
                false
            #endif
        }

        /// The defaults.
        public init() {}
    }
}
