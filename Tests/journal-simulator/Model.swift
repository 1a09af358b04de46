import JournalStore

/// The laws as plain values: what has happened in a life, and which answers, rows and events that allows.
///
/// It knows nothing of SQLite, of transactions or of tasks. Each function takes one observation and returns what is
/// wrong with it.
struct Model {
    /// A dispatched action and what its caller knows.
    struct Dispatch {
        var act: Act
        var stream: String
        var dispatchID: String?
        var cancelID: String?
        /// The newest acknowledged step of its stream when it was called: it gets a later one.
        var after: Int
        /// The step that was returned to the caller.
        var step: Int?
        /// Refused: it must never appear.
        var isRefused = false
        /// How many steps of the stream had been skipped.
        var skips = 0
    }

    struct Entry {
        var act: Act
        var origin: Origin
        var time: Timestamp
        var isAccepted = true
        /// An operator skipped it.
        var isSkipped = false
        /// Its effect had been cancelled before its turn came.
        var isCancelled = false
        var isReduced: Bool { isAccepted && !isSkipped && !isCancelled }
    }

    struct Run {
        var spec: Spec
        var stream: String
        var step: Int
        /// The openings after which its body began.
        var openings: Set<Int> = []
        var key: String?
        /// The newest committed status that was read.
        var status: EffectRun.Status?
        /// When its step was committed.
        var time = Timestamp(microseconds: 0)
        /// Its actions in the journal, without reports of failures and restarts.
        var actions = 0
        /// An operator skipped its last action, which was provisional.
        var wasSkipped = false
        /// The failures that it has reported.
        var reports = 0
        /// How many cancel actions it has sent.
        var undone = 0
        /// The action of its restart policy is in the journal.
        var wasReplaced = false
        /// Its newest record says that it waits for a decision.
        var isSetAside = false
        /// The ID that cancels all that its root leads to, as soon as its record was read.
        var cancelID: String?
        /// Its cancellation was acknowledged.
        var isCancelled = false
        /// Something that may cancel it was asked for.
        var mayBeCancelled = false
        /// Its step returned: a remembered result.
        var remembered: Int?
        /// The newest attempt, and the opening it followed.
        var attempt: (opening: Int, number: Int)?
        /// When the body of each attempt began.
        var starts: [Int: Timestamp] = [:]
        /// It was live in the original when the journal was forked.
        var wasForked = false
        /// An operator may have started it again after this end.
        var mayBeRetried = false
        var hasEnded: Bool { status?.isFinal == true && !mayBeRetried }
        /// How often an operator has started it, perhaps after its end or before it was due.
        var retries = 0
        /// The newest step when an operator last did: what was cancelled before does not count.
        var retriedAfter = 0
        /// An operator has asked its store to let it run. If that could not be written, a later transaction may do it.
        var mayBeReleased = false
        /// That store is closed: what the next reading shows is all that it has written.
        var releaseEnds = false
        /// How many attempts it had when an operator let it run: its restart policy does not apply before the next.
        var decidedAt: Int?
    }

    struct Stream {
        var entries: [Entry] = []
        /// The fold after each entry; the first is the initial state.
        var scores = [Score()]
        /// The newest step that was returned to a caller.
        var acknowledged = 0
        /// Which rules the machine has that it is open with.
        var rules = 1
        /// A version of the machine has opened it when it had entries.
        var mayBeReduced = false
        /// Up to this step, folds of other versions can result in other states.
        var base = 0
        /// The version of the machine that it is open with.
        var version = 1
        /// How many steps an operator has skipped.
        var skips = 0
        /// The steps that an operator tried to skip.
        var mayBeSkipped: Set<Int> = []
        /// What reducers were given at each step that is not checked yet.
        var pending: [Int: Reduction] = [:]
        /// Entries of which it is not known yet whether they count.
        var undecided: [(act: Act, row: JournalStore.Entry)] = []
        /// The runs whose actions do not count.
        var stopped: Set<RunKey> = []
        /// Up to this step it is known.
        var decided: Int { undecided.first.map { $0.row.step - 1 } ?? entries.count }
    }

    struct Reduction: Equatable {
        var name: String
        var count: Int
        var digest: UInt64
        var time: Timestamp
    }

    var dispatches: [String: Dispatch] = [:]
    var streams: [String: Stream] = [:]
    var runs = Dictionary(
        uniqueKeysWithValues: Game.streams.map {
            (place($0, 0, Game.initial.name), Run(spec: Game.initial, stream: $0, step: 0))
        })
    var keys: [String: String] = [:]
    var luck: [String: UInt64] = [:]
    /// Where each random number was drawn.
    var drawn: [UInt64: String] = [:]
    /// The actions that had a dispatch ID first, by stream and ID.
    var dispatchIDs: [String: String] = [:]
    /// The steps at which a reducer cancelled an ID, by stream and ID.
    var cancelSteps: [String: [Int]] = [:]
    /// The roots, by stream, whose effects were to be cancelled.
    var cancelledRoots: [String: Set<Int>] = [:]
    /// The messages that have arrived, by the place of their sender.
    var told: Set<String> = []
    /// IDs that may have been cancelled.
    var cancelledIDs: Set<String> = []
    /// Whether effects without an ID may have been cancelled.
    var cancelsWithoutID = false
    /// The kinds of rules that a queue has had.
    var rules: [String: Set<Lane.Kind>] = [:]
    var limits: [String: Int] = [:]

    /// The states that dispatches waited for.
    var waits: [Wait] = []

    /// Whether operations of the file system can fail in this life.
    var mayFail = false
    /// Whether the wall clock is set forward and back: then it is not known when something is due.
    var mayJump = false
    /// Whether bodies begin at once when their runs are started.
    var isPunctual = false
    /// The delays that a queue has had.
    var delays: [String: Set<Int>] = [:]
    /// The run that each queue has started last.
    var newest: [String: String] = [:]
    /// The run that the queue of a stream has started last, when, and in which opening.
    var lastStarts: [String: (place: String, time: Timestamp, opening: Int)] = [:]
    /// Whether a crash loop has held runs back: one that waits in a slot for that looks like one in the line.
    var mayHold = false
}

extension Model.Run {
    /// When a body may begin, or when a timer's action with this index may come.
    func due(_ index: Int) -> Timestamp {
        let seconds = spec.kind == .every ? (spec.delay + 1) * (index + 1) : spec.delay
        return Timestamp(microseconds: time.microseconds + Int64(seconds) * 1_000_000)
    }
}

extension EffectRun {
    /// The ID that cancels all that its root leads to.
    var cancelledBy: String? {
        cancelID.flatMap { try? Game.codec.decode([String: String].self, from: $0) }?.values.first
    }
}

extension Model.Entry {
    var tells: Bool { act.ops.contains(.tell) }
}
