/// One effect of one step, as recorded.
public struct EffectRun: Hashable, Sendable {
    /// The status of a run. More can be added: a `switch` needs `@unknown default`.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Status: String, Hashable, Sendable, CaseIterable {
        /// It waits for a free slot in its queue. If it was released or retried, also for the queue's delay.
        case waiting
        /// It waits until its delay or its retry is due.
        case delayed
        /// Its body was started, or is about to be.
        case running
        /// It waits for the app to decide what to do with it.
        case asked
        /// Set aside because it seems to crash the process.
        case parked
        /// The code does not return this effect any more.
        case orphaned
        /// Cancelled or evicted; the action that it sends then is not yet an entry. Its body is not heard any more.
        case cancelling
        /// Its body ended.
        case completed
        /// Its body threw, and no retry follows.
        case failed
        /// Cancelled by ID, by the caller, by an operator or by restart policy; or by its queue, if it has sent its cancel
        /// action.
        case cancelled
        /// Cancelled by its queue to make room for a newer run, without a cancel action.
        case evicted
        /// Never started: its queue was full.
        case discarded

        /// Whether the run has ended.
        public var isFinal: Bool {
            switch self {
            case .waiting, .delayed, .running, .asked, .parked, .orphaned, .cancelling: false
            case .completed, .failed, .cancelled, .evicted, .discarded: true
            }
        }

        /// Whether somebody has to decide whether it runs again.
        var waitsForDecision: Bool { self == .asked || self == .parked }

        /// Whether something has cancelled it.
        var wasCancelled: Bool { self == .cancelled || self == .evicted || self == .cancelling }

        /// Whether a restored run starts or waits again. If not, it has ended or is set aside.
        package var continuesAfterRestart: Bool {
            switch self {
            case .waiting, .delayed, .running: true
            case .asked, .parked, .orphaned, .cancelling, .completed, .failed, .cancelled, .evicted, .discarded: false
            }
        }
    }

    /// The restart policy of a run. More can be added: a `switch` needs `@unknown default`.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Restart: String, Hashable, Sendable, CaseIterable {
        /// The body runs again.
        case resume
        /// The run is cancelled.
        case cancel
        /// The app decides.
        case ask
        /// An action is dispatched instead.
        case dispatch
    }

    package var stream: StreamID
    /// The step that returned the effect.
    public var step: Int
    /// Its ordinal among the effects of that step.
    public var ordinal: Int
    /// The step of the dispatched action, or of the message, that led to this effect, directly or by actions of other
    /// effects. 0 if the initial effect did.
    public var rootStep: Int
    /// The effect's name.
    public var name: String
    /// The effect's ID as stored, if it has one.
    package var effectIDText: String?
    /// The queue it belongs to, if any: the same text for all runs of a queue.
    package var queueText: String?
    /// The ID that cancels everything its root led to, as stored, if there is one.
    package var cancelID: String?
    /// Its status.
    public var status: Status
    /// How often its body was started.
    public var attempts: Int
    /// How many of its attempts have failed, the one that ended it included.
    public var failures = 0
    /// What a restart does with it.
    public var restart: Restart
    /// Its retry policy as JSON, if it has one.
    package var retryText: String?
    /// The priority of its task, if the effect or its dispatch sets one.
    package var priority: Int?
    /// The delay it was given, in microseconds.
    package var delay: Int64?
    /// The earliest time at which it may start. Of a timer that was cancelled or has failed: when the tick was due that a
    /// retry sends.
    public var notBefore: Timestamp?
    /// When its body was first started.
    public var started: Timestamp?
    /// When it ended.
    public var ended: Timestamp?
    /// The last error it threw, as text; a later attempt may have completed.
    public var error: String?
    /// How many of the actions that its body sent are committed as entries: without those of `onFailure`, `onCancel` and
    /// `onOrphan`.
    public var delivered: Int
    /// The value of a described effect as JSON; nil for a closure.
    public var described: String?
    /// The time and digest of a described effect's entry, stored here because the entry may have been pruned.
    package var entry: Appended.Stamp?
    /// The version of the machine that wrote its actions.
    package var version: Int
    /// The stored name of the type of its value, if it is a described effect.
    package var describedType: String? { described.flatMap(ActionName.key) }
    /// The action that a timer or a message sends, as text.
    public var sends: String?
    /// The action that is dispatched after a restart instead of running it again, as text.
    package var onRestart: String?
    /// The action that is dispatched when its last attempt has failed, as text.
    package var onFailure: String?
    /// The action that is dispatched when it is cancelled, as text.
    package var onCancel: String?
    /// The action that is dispatched when the code does not return this effect any more, as text.
    package var onOrphan: String?
    /// How many effects with its name and ID its step returned before it.
    package var twin = 0
    /// What is known of its attempts and may not be on the disk yet. It is written with this record.
    package var notes: [EffectAttempt] = []

    /// The same as a value.
    var taskPriority: TaskPriority? {
        get { priority.map { TaskPriority(rawValue: UInt8(clamping: $0)) } }
        set { priority = (newValue?.rawValue).map { Int($0) } }
    }

    /// The length of its longest texts: what a page of runs is measured by.
    package var textBytes: Int {
        [described, sends, onRestart, onFailure, onCancel, onOrphan, error].reduce(0) { $0 + ($1?.utf8.count ?? 0) }
    }

    /// Whether it was released or retried after an attempt, and has not begun since: its restart policy does not apply.
    var waitsForNextAttempt: Bool { status == .waiting && attempts > 0 }

    /// What it is, whatever other effects its step returns.
    var identity: Identity { Identity(name: name, id: effectIDText, twin: twin) }

    /// Tells the effects of a step apart, whatever their order is in another version of the code.
    struct Identity: Hashable, Sendable {
        var name: String
        var id: String?
        /// The number of equal ones before it.
        var twin = 0
    }

    /// Its run key.
    public var key: RunKey { RunKey(step: step, ordinal: ordinal) }

    /// Cancels the run. If it sends an action then, it ends with that action.
    mutating func cancel(at now: Timestamp) {
        guard onCancel != nil else { return end(as: .cancelled, at: now) }
        status = .cancelling
        forgetTime()
    }

    /// Ends the run.
    mutating func end(as status: Status, at now: Timestamp, error: String? = nil) {
        self.status = status
        ended = now
        forgetTime()
        if let error { self.error = error }
    }

    /// Called when it is not to start any more. A retry of a timer needs the time of its next tick. It does not follow from
    /// the number of ticks that were sent, because missed ones can have been sent as one.
    private mutating func forgetTime() {
        if status == .completed || !isTimer { notBefore = nil }
    }

    package init(
        stream: StreamID, step: Int, ordinal: Int, rootStep: Int, name: String, effectID: String? = nil,
        queue: String? = nil, status: Status, attempts: Int = 0, restart: Restart = .resume, retry: String? = nil,
        notBefore: Timestamp? = nil, started: Timestamp? = nil, ended: Timestamp? = nil, error: String? = nil,
        delivered: Int = 0, described: String? = nil, version: Int = 1
    ) {
        (self.stream, self.step, self.ordinal, self.rootStep, self.name) = (stream, step, ordinal, rootStep, name)
        (effectIDText, queueText, retryText, self.restart) = (effectID, queue, retry, restart)
        (self.status, self.attempts, self.delivered, self.version) = (status, attempts, delivered, version)
        (self.notBefore, self.started, self.ended) = (notBefore, started, ended)
        (self.error, self.described) = (error, described)
    }
}

extension EffectRun: CustomStringConvertible {
    /// The name, the run key and the status: `'charge' (17.0): running`. Of a failed run, also the first line of its
    /// error.
    public var description: String {
        let end = status == .failed ? error.map { ": \($0.prefix { !$0.isNewline })" } ?? "" : ""
        return JSONOutput.safe("'\(name)' (\(key)): \(status.rawValue)\(end)")
    }
}

// MARK: - Stored as JSON

extension EffectRun {
    /// The effect's ID, if it has one. `as(_:)` decodes it: `run.effectID?.as(PaymentID.self)`. The result is nil if
    /// the reducer has a scope, because the scope is part of the ID then.
    public var effectID: AnyEffectID? { effectIDText.map { AnyEffectID(StoredID(text: $0)) } }

    /// The queue it belongs to, if any. `as(_:)` decodes it.
    public var queue: AnyEffectID? { queueText.map { AnyEffectID(StoredID(text: $0)) } }

    /// Its retry policy; nil if it has none, or the stored one cannot be decoded.
    public var retry: RetryPolicy? { retryText.flatMap { try? JSONCodec().decode(RetryPolicy.self, from: $0) } }
}

extension EffectRun {
    /// Whether it sends its orphan action if it is an orphan. An effect that waits for a decision goes on waiting: the
    /// next version of the code may return it again.
    var sendsOrphanAction: Bool { !status.waitsForDecision }
}
