/// One effect of one step, as recorded.
public struct EffectRun: Hashable, Sendable {
    /// What became of a run.
    public enum Status: String, Hashable, Sendable, CaseIterable {
        /// For a place in its queue.
        case waiting
        /// For its time.
        case delayed
        /// Its body was started, or is about to be.
        case running
        /// The app is asked what to do with it.
        case asked
        /// Set aside because it seems to bring the process down.
        case parked
        /// The code has no such effect any more.
        case orphaned
        /// Its body ended.
        case completed
        /// Its body threw, for the last time.
        case failed
        /// Cancelled by ID, by the caller, by an operator or by restart policy.
        case cancelled
        /// Cancelled by its queue for a newer one.
        case evicted
        /// Never run: its queue was full.
        case discarded

        /// Nothing follows any more.
        public var isFinal: Bool {
            switch self {
            case .waiting, .delayed, .running, .asked, .parked, .orphaned: false
            case .completed, .failed, .cancelled, .evicted, .discarded: true
            }
        }
    }

    package var stream: StreamID
    /// The step that returned the effect.
    public var step: Int
    /// Its place among the effects of that step.
    public var ordinal: Int
    /// The dispatched step at the head of the chain of causes.
    public var rootStep: Int
    /// The effect's name.
    public var name: String
    /// The effect's ID as stored, where it has one.
    public var effectID: String?
    /// The queue it belongs to, where it has one.
    public var queue: String?
    /// The ID that cancels all that its root led to, as stored, where it has one.
    package var cancelID: String?
    /// What became of it.
    public var status: Status
    /// How often its body was started.
    public var attempts: Int
    /// How often its body has thrown and was to be tried again.
    public var failures = 0
    /// What a restart does with it.
    public var restart: String
    /// Its retry policy as JSON, where it has one.
    public var retry: String?
    /// Of its task, where it is a described effect's own.
    package var priority: Int?
    /// How long it was meant to wait, in microseconds.
    package var delay: Int64?
    /// It is not to be started earlier.
    public var notBefore: Timestamp?
    /// When its body was first started.
    public var started: Timestamp?
    /// When it ended.
    public var ended: Timestamp?
    /// What it threw last.
    public var error: String?
    /// How many of its actions are entries.
    public var delivered: Int
    /// The value of a described effect as JSON; nil for a closure.
    public var described: String?
    /// The time and the digest of a described effect's entry, which need not be there any more.
    package var entry: Appended.Stamp?
    /// The version of the machine that wrote its actions.
    package var version: Int
    /// The action that a timer or a message sends, as text.
    public var sends: String?
    /// The action that is dispatched instead of running it again after a restart, as text.
    package var onRestart: String?
    /// The action that is dispatched when it has failed for good, as text.
    package var onFailure: String?
    /// The action that is dispatched when the code has no such effect any more, as text.
    package var onOrphan: String?

    /// Which one it is.
    public var key: RunKey { RunKey(step: step, ordinal: ordinal) }

    /// Nothing follows any more.
    mutating func end(as status: Status, at now: Timestamp, error: String? = nil) {
        self.status = status
        ended = now
        notBefore = nil
        if let error { self.error = error }
    }

    package init(
        stream: StreamID, step: Int, ordinal: Int, rootStep: Int, name: String, effectID: String? = nil,
        queue: String? = nil, status: Status, attempts: Int = 0, restart: String = "resume", retry: String? = nil,
        notBefore: Timestamp? = nil, started: Timestamp? = nil, ended: Timestamp? = nil, error: String? = nil,
        delivered: Int = 0, described: String? = nil, version: Int = 1
    ) {
        self.stream = stream
        self.step = step
        self.ordinal = ordinal
        self.rootStep = rootStep
        self.name = name
        self.effectID = effectID
        self.queue = queue
        self.status = status
        self.attempts = attempts
        self.restart = restart
        self.retry = retry
        self.notBefore = notBefore
        self.started = started
        self.ended = ended
        self.error = error
        self.delivered = delivered
        self.described = described
        self.version = version
    }
}
