/// What an acknowledged action survives.
public enum Durability: String, Hashable, Sendable, CaseIterable {
    /// A power loss: each commit is on the disk before it is acknowledged.
    case full
    /// The end of the process, however it ends. A power loss can take the last commits, but never the consistency.
    case normal
}

/// Where a transaction runs.
public enum Execution: Hashable, Sendable {
    /// On the thread of the caller that finds the writer idle: the fastest way, as it needs no thread hop. That thread
    /// waits for the disk.
    case inPlace
    /// On a thread outside of the cooperative pool, for apps that must not block it.
    case ownThread
}

/// What to do when a journal lacks entries that it had acknowledged.
public enum LostEntries: Hashable, Sendable {
    /// Refuse to open it. If the last writer had ``Durability/normal`` and the computer was restarted since, the newest
    /// entries may be missing: the journal is opened then too, with a ``Notice``.
    case refuse
    /// Open it as it is and report a ``Notice``, for example after a backup was restored on purpose.
    case accept
}

/// How a journal is opened. The defaults lose nothing.
public struct JournalOptions: Sendable {
    /// What an acknowledged action survives.
    public var durability = Durability.full
    /// Where transactions run.
    public var execution = Execution.inPlace
    /// What to do when acknowledged entries are missing.
    public var lostEntries = LostEntries.refuse
    /// When snapshots are taken.
    public var snapshots = SnapshotPolicy()
    /// Which snapshots are kept.
    public var retention = Retention()
    /// How long to wait for a connection that holds the database, a `sqlite3` shell for example.
    public var busyTimeout = Duration.seconds(5)
    /// The wall clock that entries are stamped with. It is also read in the midst of a transaction: it must not block, nor
    /// read this journal or wait for a call to it.
    public var wallClock: @Sendable () -> Timestamp = { .now() } {
        didSet { onlyClock = nil }
    }
    /// Whether each action and each snapshot's state is decoded right after encoding and compared, if its type is
    /// `Equatable`; and so are effect IDs, queues and the values of described effects. This finds a lossy codec before a
    /// replay or a restart does. On in debug builds.
    public var checksCoding = JournalOptions.isDebugBuild
    /// Whether each step is reduced twice, and a ``Notice`` tells if the results differ: then the reducer depends on
    /// something that a replay does not have. Another notice tells if steps spend more on copies of the state than on
    /// reducing it. Side effects of a reducer, such as printing, happen twice or more often. On in debug builds.
    public var reducesTwice = JournalOptions.isDebugBuild
    /// Whether the journal listens on a socket next to it, through which `journal-replay cancel`, `retry`, `release`,
    /// `skip` and `top` reach this process. Only the user of this process, and root, can connect. Off on iOS, where no tool
    /// can connect.
    public var acceptsOperators = JournalOptions.hasOperators
    /// Called with each notice, such as a snapshot that failed or entries lost in a power loss. By default debug builds
    /// print notices on stderr, and release builds ignore them. Runs on the thread that finds the problem, also in the
    /// midst of a transaction, and must not block, or read or wait for this journal.
    public var report: @Sendable (Notice) -> Void = {
        if JournalOptions.isDebugBuild { Platform.printError("JournalStore: \($0)") }
    }

    /// Called when something that takes time has ended: a dispatch, a commit, a reduction, an attempt of an effect, an
    /// opening. Nothing is measured if it is nil. Runs on the thread that did it, also in the midst of a transaction, and
    /// must not block, or read or wait for this journal. Task-local values are those of any caller, or none.
    public var trace: Trace?

    /// Whether a tool opens the journal, not an app: the opening is not recorded.
    package var isTool = false
    /// How long deferred writes wait for another transaction before they get one of their own.
    package var idleDelay = Duration.milliseconds(10)
    /// How long an operator's program may take for its request.
    package var requestTime = Duration.seconds(5)
    /// The most entries that one transaction takes, unless one batch has more. Further ones go into the next transaction.
    package var entriesPerCommit = 4096
    /// The most steps that one transaction of a pruning removes, if there is a snapshot at which it can end.
    package var stepsPerPruning = 10_000
    /// The number of pages in the WAL from which it is copied into the database.
    package var checkpointPages = 1000
    /// The number of pages from which the WAL counts as abnormally large; once copied it is truncated.
    package var abnormalPages = 16_384
    /// The SQLite VFS to use; tests inject failures with it.
    package var vfs: String?
    /// The random seed of a new stream, 16 bytes; a test that needs the same values in each run gives its own.
    package var streamSeed: @Sendable () -> [UInt8] = { Platform.randomBytes(16) }
    /// How the library sleeps for its timers; tests move a clock of their own.
    package var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    /// The executor of the library's tasks; nil for the default. A test that needs a fixed order gives one thread.
    package var executor: (any TaskExecutor)?
    /// How long a call took that reduces a step; tests give durations of their own.
    package var measure: @Sendable (_ call: () -> Void) -> Duration = { Platform.threadTime(of: $0) }
    /// Whether a body starts only when the record of its start is written, as a body with a restart policy does that
    /// lets it start at most once. Tests of crashes begin with such a record.
    package var recordsStarts = false
    /// Whether an opening that restores effects notes again and again, for ten seconds, that it has not ended.
    package var hasHeartbeat = true
    /// The clock whose time ``wallClock`` shows; nil if the two can be set apart.
    package var onlyClock: (any AnyObject & Sendable)?
    /// Called at each crash point.
    package var probe: (@Sendable (CrashPoint) -> Void)?
    /// Tells the journals apart that have the same probe.
    package var number = 0
    /// The identity of this process.
    package var identity: @Sendable () -> ProcessIdentity = { .current() }

    private static var isDebugBuild: Bool {
        #if DEBUG
            true
        #else
            false
        #endif
    }

    private static var hasOperators: Bool {
        #if os(iOS)
            false
        #else
            true
        #endif
    }

    /// The defaults.
    public init() {}
}

extension JournalOptions {
    /// A moment after which a crash leaves the journal or the outside world in another state than before it.
    package enum CrashPoint: Hashable, Sendable {
        /// A transaction was committed.
        case committed
        /// The body of an effect begins, and its work can be visible outside from now on.
        case started(Body)
        /// The body of an effect has ended, and the journal does not know that yet.
        case ended(Body)

        /// One attempt of an effect's body.
        package struct Body: Hashable, Sendable {
            /// ``JournalOptions/number``.
            package let journal: Int
            package let stream: String
            package let step: Int
            package let ordinal: Int
            package let name: String
            package let attempt: Int
            package let idempotencyKey: String
            /// The recorded restart policy.
            package let restart: String

            /// The body that the current task belongs to, also in a task that a body has started with `Task {}`. Known
            /// only if there is a ``JournalOptions/probe`` or a ``JournalOptions/trace``.
            @TaskLocal package static var current: Body?
        }
    }

    func notify(_ kind: Notice.Kind, _ error: JournalError) {
        report(Notice(kind: kind, error: error))
    }

    /// Starts a task where the journal's tasks run, or on an executor of its own.
    func spawn(
        priority: TaskPriority? = nil, on own: (any TaskExecutor)? = nil, _ body: @escaping @Sendable () async -> Void
    ) -> Task<Void, Never> {
        Task.detached(executorPreference: own ?? executor, priority: priority, operation: body)
    }
}
