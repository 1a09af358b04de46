/// Decides which effect of a stream starts, waits or ends: the rules of queues, delays, retries and cancellation.
///
/// Events are method calls; the results are commands. It uses no task, no clock and no disk: the caller passes the
/// time, and how many changes are on the disk. Runs start only in ``pump(at:)``, so that all effects of one step are
/// considered together.
struct Scheduler: Sendable {
    /// An effect that a step returned.
    struct Request: Sendable {
        var key: RunKey
        var id: AnyEffectID?
        var queue: (any EffectQueue)?
        var delay = Duration.zero
        var retry = RetryPolicy.never
        /// The body may start at most once, so each start is on the disk before the body begins.
        var startsOnce = false
        var isEphemeral = false
        /// It has no body: it sends another machine an action, and is never cancelled.
        var isMessage = false
        /// It has no body: it sends an action when it is due.
        var timer: TimerPlan?
        /// It can crash the process: a crash loop holds it back.
        var hasBody = true
        /// Its body starts after those of earlier runs, also if one of them still waits for its record to be written.
        var startsInOrder = false
        /// The machine receives an action when the run has failed for good.
        var reportsFailure = false
        /// Why the effect cannot run at all, for example because its ID cannot be encoded.
        var refusal: String?
        var seed: Seed
        /// When its step was committed.
        var time = Timestamp(microseconds: 0)
        /// The record to begin with.
        var record: EffectRun
    }

    enum Command: Sendable {
        /// Start the body.
        case start(RunKey, attempt: Int)
        /// Fence the body, then cancel its task.
        case stop(RunKey)
        /// Write the record of a run.
        case record(EffectRun)
        /// Write what is stored of a queue.
        case recordQueue(text: String, QueueRecord)
        /// Delete what is stored of a queue.
        case forgetQueue(text: String)
        /// Commit the action of a timer that is due, or of a message whose turn it is, together with the run's record.
        case sendAction(RunKey)
        /// Commit the action that reports a failure to the machine, together with the run's record.
        case sendFailure(RunKey, error: String)
        /// Commit the action of a run that was cancelled, together with the run's record.
        case sendCancel(RunKey)
        /// Report that a run has failed, if no action tells the machine.
        case reportFailure(UnheardFailure)
        /// The run has ended.
        case ended(RunKey, EffectRun.Status, error: String?)
        /// Write all changes so far soon: a start waits for them.
        case flush
    }

    /// The failure of a run that no action reports to the machine.
    struct UnheardFailure: Sendable {
        var key: RunKey
        var name: String
        var error: String
        /// Whether there was no attempt.
        var couldNotStart: Bool
        /// Whether it has an `onFailure`.
        var reportsFailure: Bool
    }

    /// Where a run is. Each run is in exactly one phase; its place in a queue is part of it.
    enum Phase: Hashable, Sendable {
        /// Not placed yet.
        case new
        /// In the line of its queue.
        case waiting(ticket: Int)
        /// May start at this time. Holds a slot.
        case ready(Duration)
        /// May start, but a crash loop holds it back. Holds a slot.
        case held
        /// Recorded as running; the body starts once this many changes are on the disk. Holds a slot.
        case starting(after: Int)
        /// The body runs. Holds a slot.
        case running
        /// The body has ended or there is none; the run's action is being committed.
        case sending(holdsSlot: Bool)
        /// Set aside for the app or an operator.
        case setAside
    }

    struct Run: Sendable {
        fileprivate(set) var request: Request
        var record: EffectRun
        fileprivate(set) var phase = Phase.new
        /// The run's own delay counts from its step, also while it waits for a slot.
        var earliest: Duration
        /// It was running in an earlier process: its restart is no new start for its queue.
        var isResumed = false
        /// Its newest attempt does not go on with one before a restart.
        var isNewStart = false
        /// Its newest attempt follows a release or a retry by hand.
        var wasReleased = false
        /// When its newest attempt was started.
        var newestStart: Timestamp?
        /// The start time that its record has.
        var recordedStart: Duration?
        /// It was restored during a crash loop: it starts when it is admitted.
        var needsAdmission = false
        /// The change that must be on the disk before it starts: its admission in a crash loop, or its release or retry,
        /// is recorded with it.
        var admittedAfter = 0
        /// What it has failed with, until the action that reports this is committed, and when that ended an attempt.
        var failure: (error: String, ended: Timestamp?)?
        let target: Target
        /// The text of its ID, if only that was known when it was restored.
        let storedID: String?

        init(_ request: Request, _ record: EffectRun, earliest: Duration, _ target: Target) {
            (self.request, self.record, self.earliest, self.target) = (request, record, earliest, target)
            storedID = (request.id?.base as? StoredID)?.text
        }
    }

    /// What ``pump(at:)`` examines.
    enum Target: Hashable, Sendable {
        case queue(QueueDirectory.ID)
        case run(RunKey)
    }

    /// How often the wall clock is read while a timer waits for a time of it, because it may be set.
    static let usualClockCheck = Duration.seconds(30)

    /// The most runs that wait in one queue.
    static let longestLine = 100_000

    /// While records cannot be written, only so many failures are kept for a report.
    static let mostUnreported = 1_000

    /// How often the wall clock is read; less often if only a test can set it, together with the clock of the ticks.
    let clockCheck: Duration
    private(set) var runs: [RunKey: Run] = [:]
    /// The queues with runs, and those whose delay or whose last changes still matter. All stored ones are among them.
    var queues: [QueueDirectory.ID: QueueState] = [:]
    var directory = QueueDirectory()
    var wake = WakeQueue<Target, Duration>()
    /// How many changes there were, and how many of them are on the disk.
    private(set) var changes = 0
    var committed = 0
    /// Failures that are to be reported after this many changes are on the disk.
    var unreported: [(after: Int, failure: UnheardFailure)] = []
    /// Restored runs are held back.
    var holdsRestored = false
    /// Nothing starts: the disk is full, or the store is recovering or closing.
    var isPaused = false
    /// Timers that came due since then have not missed it; nil if that is not known.
    var upSince: Timestamp?
    var starting: [(after: Int, key: RunKey)] = []
    /// Queues without runs that are kept until their last changes are on the disk.
    var emptyQueues: [QueueDirectory.ID] = []
    /// What ``pump(at:)`` examines, in this order.
    private var touched: [Target] = []
    /// The queues among that.
    private var touchedQueues: Set<QueueDirectory.ID> = []
    /// How often ``pump(at:)`` has visited a ready run of a queue: tests see by it that the cost follows the change.
    var visits = 0
    private var commands: [Command] = []

    // Indexes over `runs`, changed with them.
    private(set) var held: Set<RunKey> = []
    /// How many runs are set aside.
    private var setAsideCount = 0
    private var byID: [ExactID: Set<RunKey>] = [:]
    /// Restored runs whose IDs are known by the stored text, also those that were decoded meanwhile.
    private var byStoredID: [String: Set<RunKey>] = [:]
    private var unreadIDs = UnreadIDs()
    /// An ID of each type that a run has had.
    private var examples: [[ObjectIdentifier]: ExactID] = [:]
    private var byRoot: [Int: Set<RunKey>] = [:]
    /// Runs without a record.
    private var unrecorded: Set<RunKey> = []

    init(clockCheck: Duration = Scheduler.usualClockCheck) {
        self.clockCheck = clockCheck
    }

    /// When ``pump(at:)`` must be called at the latest.
    var nextWake: Duration? { wake.next }

    // MARK: Commands

    /// The commands since the last call, in order.
    mutating func takeCommands() -> [Command] {
        defer { commands = [] }
        return commands
    }

    mutating func emit(_ command: Command) { commands.append(command) }

    /// Notes that a run or a queue must be examined. A queue is examined once in a turn, however many of its runs
    /// changed: a second time would change nothing.
    mutating func touch(_ target: Target) {
        guard touched.last != target else { return }
        if case .queue(let queue) = target, !touchedQueues.insert(queue).inserted { return }
        touched.append(target)
    }

    /// Whether ``pump(at:)`` would examine anything now.
    var mustPump: Bool { !isPaused && !touched.isEmpty }

    mutating func takeTouched() -> [Target] {
        defer { (touched, touchedQueues) = ([], []) }
        return touched
    }

    // MARK: Runs

    mutating func insert(_ run: Run, isRecorded: Bool) {
        let key = run.request.key
        runs[key] = run
        if let id = run.request.id { note(ExactID(id), of: key) }
        if let stored = run.storedID {
            byStoredID[stored, default: []].insert(key)
            unreadIDs.insert(stored)
        }
        if case .queue(let queue) = run.target { queues[queue]?.runCount += 1 }
        byRoot[run.record.rootStep, default: []].insert(key)
        if !isRecorded { unrecorded.insert(key) }
    }

    /// Moves a run into another phase, and in or out of its queue's slots as the phase says. Besides ``joinLine(_:)``
    /// and ``remove(_:)`` nothing changes a phase or a place in a queue.
    mutating func move(_ key: RunKey, to phase: Phase) {
        guard let run = runs[key] else { return }
        if case .queue(let queue) = run.target, run.phase.holdsSlot != phase.holdsSlot || run.phase.isWaiting {
            leavePlace(of: run)
            if phase.holdsSlot { queues[queue]?.takeSlot(key) }
        }
        set(phase, of: run)
    }

    /// Moves a run to the end of its queue's line.
    mutating func joinLine(_ key: RunKey) {
        guard let run = runs[key], case .queue(let queue) = run.target, !run.phase.isWaiting else { return }
        leavePlace(of: run)
        if let ticket = queues[queue]?.joinLine(key) { set(.waiting(ticket: ticket), of: run) }
    }

    private mutating func set(_ phase: Phase, of run: Run) {
        let key = run.request.key
        if run.phase == .held { held.remove(key) }
        if phase == .held { held.insert(key) }
        if run.phase == .setAside { setAsideCount -= 1 }
        if phase == .setAside { setAsideCount += 1 }
        if case .queue(let queue) = run.target {
            queues[queue]?.set(key, readyAt: phase.startTime)
            if phase.isStarting { queues[queue]?.startingCount += 1 }
            if run.phase.isStarting { queues[queue]?.startingCount -= 1 }
        }
        runs[key]?.phase = phase
    }

    private mutating func leavePlace(of run: Run) {
        guard case .queue(let queue) = run.target else { return }
        if case .waiting(let ticket) = run.phase {
            queues[queue]?.leaveLine(ticket)
        } else if run.phase.holdsSlot {
            queues[queue]?.leaveSlot(run.request.key)
        }
    }

    mutating func remove(_ key: RunKey) -> Run? {
        guard let run = runs.removeValue(forKey: key) else { return nil }
        leavePlace(of: run)
        if case .queue(let queue) = run.target {
            queues[queue]?.runCount -= 1
            if run.phase.isStarting { queues[queue]?.startingCount -= 1 }
        }
        unrecorded.remove(key)
        held.remove(key)
        if run.phase == .setAside { setAsideCount -= 1 }
        func drop<Key>(_ place: Key, from index: inout [Key: Set<RunKey>]) {
            index[place]?.remove(key)
            if index[place]?.isEmpty == true { index[place] = nil }
        }
        if let id = run.request.id { drop(ExactID(id), from: &byID) }
        if let stored = run.storedID {
            drop(stored, from: &byStoredID)
            if byStoredID[stored] == nil { unreadIDs.remove(stored) }
        }
        drop(run.record.rootStep, from: &byRoot)
        return run
    }

    // MARK: Queues

    /// The target of a run that is about to be added. If it has a queue, that queue is there from now on.
    ///
    /// - Parameter refusal: why the run cannot start at all; then it belongs to no queue.
    mutating func target(of request: Request, refusal: String?) -> Target {
        // A timer only waits, so it takes no slot.
        guard let queue = request.queue, request.timer == nil, refusal == nil else { return .run(request.key) }
        let id = directory.id(of: queue, text: request.record.queueText)
        if queues[id] == nil {
            // A stored queue that is not known was forgotten: any instance replaces its substitute rule.
            let since = queue is StoredQueue ? QueueRecord.substitute.since : request.key
            queues[id] = QueueState(QueueRecord(rule: QueueRule(queue), since: since))
        }
        return .queue(id)
    }

    /// Gives a queue the rule of its newest instance, and records it if that changes the rule.
    ///
    /// - Parameter since: the place of that instance.
    mutating func adopt(_ rule: QueueRule, since place: RunKey, in queue: QueueDirectory.ID) {
        guard let old = queues[queue]?.record, old.rule != rule else { return }
        queues[queue]?.record.rule = rule
        // Without a delay the starts were not noted: the one before is no longer the last.
        if old.rule.delay == .zero { queues[queue]?.record.lastStart = nil }
        queues[queue]?.record.since = place
        keepQueue(queue)
    }

    /// Adds a queue that an earlier process has stored. ``pump(at:)`` decides whether anything depends on it.
    mutating func remember(_ text: String, _ record: QueueRecord) {
        let id = directory.remember(text, record)
        queues[id] = QueueState(record)
        touch(.queue(id))
    }

    /// Has a queue's row deleted, if there is one: nothing depends on the queue any more.
    mutating func forget(_ queue: QueueDirectory.ID) {
        queues[queue]?.record.lastStart = nil
        if let text = directory.forget(queue) { emit(.forgetQueue(text: text)) }
    }

    /// Drops a queue without runs.
    mutating func drop(_ queue: QueueDirectory.ID) {
        queues[queue] = nil
        directory.drop(queue)
    }

    // MARK: Lookups

    /// Whether a run is in a queue that can evict it.
    func evicts(_ run: Run) -> Bool {
        if case .queue(let queue) = run.target { queues[queue]?.rule.evicts ?? false } else { false }
    }

    /// The runs with an ID. A restored run whose ID is known by its text has it if the values or the texts are equal.
    ///
    /// - Parameter text: the ID as it is stored, if it is known; needed if ``hasStoredIDs``.
    mutating func keys(of id: AnyEffectID, text: String?) -> Set<RunKey> {
        for (text, value) in unreadIDs.read(like: id) {
            for key in byStoredID[text] ?? [] { rename(key, value) }
        }
        return (byID[ExactID(id)] ?? []).union(text.flatMap { byStoredID[$0] } ?? [])
    }

    private mutating func note(_ id: ExactID, of key: RunKey) {
        if byID[id, default: []].insert(key).inserted, byID[id]?.count == 1 {
            examples[id.types] = examples[id.types] ?? id
        }
    }

    /// The value of a stored ID, if a run has had an ID of its type.
    func value(of stored: StoredID) -> AnyEffectID? {
        let start = AnyEffectID(stored).startOfText
        for id in examples.values where id.startOfText == start {
            if let value = id.sibling(in: stored.text)?.id, !(value.base is StoredID) { return value }
        }
        return nil
    }

    /// The ID of a restored run was decoded.
    private mutating func rename(_ key: RunKey, _ id: AnyEffectID) {
        if let old = runs[key]?.request.id.map(ExactID.init) {
            byID[old]?.remove(key)
            if byID[old]?.isEmpty == true { byID[old] = nil }
        }
        note(ExactID(id), of: key)
        runs[key]?.request.id = id
    }

    /// Whether there are runs of whose IDs only the stored text is known.
    var hasStoredIDs: Bool { !byStoredID.isEmpty }

    /// Whether each run has ended, or is set aside.
    var isQuiet: Bool { setAsideCount == runs.count }

    /// The runs whose chain of causes begins with a step.
    func keys(ofRoot root: Int) -> Set<RunKey> { byRoot[root] ?? [] }

    // MARK: Records

    /// Changes a run and emits its record.
    mutating func change(_ key: RunKey, _ body: (inout Run) -> Void) {
        guard var run = runs[key] else { return }
        body(&run)
        runs[key] = run
        keep(run)
    }

    /// Changes a run without a new record: its record is on the disk already, or nothing recorded changed.
    mutating func update(_ key: RunKey, _ body: (inout Run) -> Void) {
        if var run = runs[key] {
            body(&run)
            runs[key] = run
        }
    }

    /// Emits a record for each run that has none: a step is not settled before each of its runs is recorded.
    mutating func recordNew(at now: Moment) {
        for key in unrecorded.sorted() {
            change(key) { run in
                if !run.phase.isWaiting { run.record.status = .delayed }
                if run.request.delay > .zero { run.record.notBefore = now.date(at: run.earliest) }
            }
        }
        unrecorded = []
    }

    /// Emits the record of a run.
    mutating func keep(_ run: Run) {
        unrecorded.remove(run.request.key)
        guard !run.request.isEphemeral else { return }
        changes += 1
        emit(.record(run.record))
    }

    /// Emits what is stored of a queue.
    mutating func keepQueue(_ queue: QueueDirectory.ID, isChange: Bool = false) {
        guard let record = queues[queue]?.record, let text = directory.store(record, of: queue) else { return }
        if isChange { changes += 1 }
        emit(.recordQueue(text: text, record))
    }
}

extension Scheduler.Phase {
    var isWaiting: Bool { if case .waiting = self { true } else { false } }

    var isReady: Bool { startTime != nil }

    var isStarting: Bool { if case .starting = self { true } else { false } }

    /// When a run in this phase may start.
    var startTime: Duration? { if case .ready(let tick) = self { tick } else { nil } }

    /// Whether a run in this phase holds a slot of its queue.
    var holdsSlot: Bool {
        switch self {
        case .new, .waiting, .setAside: false
        case .ready, .held, .starting, .running: true
        case .sending(let holdsSlot): holdsSlot
        }
    }

    /// Whether an attempt is under way.
    var isStarted: Bool {
        switch self {
        case .starting, .running, .sending: true
        case .new, .waiting, .ready, .held, .setAside: false
        }
    }

    var isSending: Bool { if case .sending = self { true } else { false } }
}

extension Scheduler.Run {
    /// Whether it may start at a time of its own, and not only when its queue's delay is over.
    var hasOwnTime: Bool { (request.delay > .zero || record.failures > 0) && !record.waitsForNextAttempt }

    /// Notes in its record that it has a slot, and when it may start.
    mutating func noteSlot(until tick: Duration, _ date: Timestamp) {
        // The restart policy would apply to a delayed one again: its time tells that it has a slot.
        if !record.waitsForNextAttempt { record.status = .delayed }
        record.notBefore = date
        recordedStart = tick
    }
}

extension EffectRun {
    /// Whether it waits for its next attempt in a slot of its queue, and not in the line: its time tells that.
    var hasSlotForNextAttempt: Bool { waitsForNextAttempt && notBefore != nil }
}
