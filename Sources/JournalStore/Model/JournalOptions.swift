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
        /// How the library waits before it commits what rides along; a test moves a clock of its own.
        package var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
        /// Where tasks run; nil for the pool. A test that needs one order of events gives one thread.
        package var executor: (any TaskExecutor)?
        /// Told of each moment at which a crash would leave something else behind.
        package var probe: (@Sendable (CrashPoint) -> Void)?
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

extension Journal.Options {
    /// A moment at which a crash would leave something else behind than one before it.
    package enum CrashPoint: Hashable, Sendable {
        /// A transaction was committed.
        case committed
        /// A body begins, and may be seen outside from now on.
        case started(Body)
        /// A body has ended, and the journal was told nothing of it yet.
        case ended(Body)

        /// The body of an effect at one try.
        package struct Body: Hashable, Sendable {
            package let stream: String
            package let step: Int
            package let ordinal: Int
            package let name: String
            package let attempt: Int
            package let idempotencyKey: String
            /// The policy it was recorded with.
            package let restart: String
        }
    }

    /// Starts a task where the journal's tasks run.
    func spawn(priority: TaskPriority? = nil, _ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        Task.detached(executorPreference: executor, priority: priority, operation: body)
    }
}
