/// Which effect of a stream runs, which waits, which ends: the rules of queues, delays, retries and cancelling.
///
/// Events go in as calls, commands come out. It knows no task, no clock and no disk; the caller says what time it is, and which
/// changes are on the disk. Nothing starts but in ``pump(at:)``, so that what one step returns is looked at as a whole.
struct Scheduler: Sendable {
    /// An effect that a step returned.
    struct Request: Sendable {
        var key: RunKey
        var id: AnyEffectID?
        var queue: (any EffectQueue)?
        var delay = Duration.zero
        var retry = RetryPolicy.never
        /// Its body may start once at the most, so its start is on the disk before it.
        var startsOnce = false
        var isEphemeral = false
        /// It has no body: it gives another machine an action, and is never cancelled.
        var isMessage = false
        /// It has no body: it says something when it is due.
        var timer: TimerPlan?
        /// The machine is told when it has failed for good.
        var tellsFailure = false
        /// Why it cannot be run at all: its ID cannot be stored, say.
        var refusal: String?
        var seed: Seed
        /// When its step was committed.
        var time = Timestamp(microseconds: 0)
        /// What the journal is told of it.
        var record: EffectRun
    }

    enum Command: Sendable {
        /// Starts a body.
        case start(RunKey, attempt: Int)
        /// Cuts a body off, then cancels its task.
        case stop(RunKey)
        /// Keeps what has changed of a run.
        case record(EffectRun)
        /// Keeps a queue's rule and its last start.
        case remember(name: String, QueueRule, lastStart: Timestamp?)
        /// A timer is due, or it is a message's turn: has its action committed, and with it what becomes of its record.
        case tick(RunKey)
        /// A run has failed for good: has what the machine is told of it committed, and its record as failed with it.
        case tellFailure(RunKey, error: String)
        /// Nothing follows of this run.
        case ended(RunKey, EffectRun.Status, error: String?)
        /// A start waits until all changes so far are on the disk.
        case flush
    }

    enum Phase: Hashable, Sendable {
        /// For a slot.
        case waiting
        /// With a slot, not to be started before.
        case ready(Duration)
        /// Recorded as running; its body starts once the change of that number is on the disk.
        case starting(after: Int)
        case running
        /// It runs no more; its last word, or the tick of a timer, is on its way into the journal.
        case speaking
        /// It could start, but is held back: too many openings have ended early.
        case held
        /// Set aside: it holds no slot.
        case idle
    }

    struct Run: Sendable {
        let request: Request
        var record: EffectRun
        var phase: Phase
        /// Its own delay counts from the step on; what waited that long for a slot has waited.
        let earliest: Duration
        /// It was running in an earlier process: it comes back at once, and that is no new start for its queue.
        var comesBack = false
        /// What the journal was told to be the time of its start.
        var delayedUntil: Duration?
        /// It came back into an opening that is careful: it starts when it is let in.
        var isOnProbation = false
        let place: Place
    }

    /// What is to be looked at again.
    enum Place: Hashable, Sendable {
        case queue(AnyEffectID)
        case alone(RunKey)
    }

    /// So many wait in one queue at the most.
    static let longestLine = 100_000
    /// Thirty years are long enough; what is more does not fit into every clock.
    static let longestWait = Duration.seconds(1_000_000_000)

    var runs: [RunKey: Run] = [:]
    var queues: [AnyEffectID: QueueState] = [:]
    var wake = WakeQueue<Place>()
    /// How many changes there were, and how many of them are on the disk.
    var changes = 0
    var committed = 0
    /// Runs that come back are held back.
    var isCareful = false
    /// Those that could start and are held back.
    private(set) var held: Set<RunKey> = []
    /// Nothing starts meanwhile: the disk is full.
    var isPaused = false
    var starting: [(after: Int, key: RunKey)] = []
    /// Queues without runs that must be remembered until their last changes are on the disk.
    var emptied: [AnyEffectID] = []
    private var byID: [AnyEffectID: Set<RunKey>] = [:]
    /// Runs that came back, and of whose IDs only the text is known.
    private var byStoredID: [String: Set<RunKey>] = [:]
    /// The queues of runs that came back, by their stored names: some are known by nothing else.
    var restoredQueues: [String: AnyEffectID] = [:]
    private var byRoot: [Int: Set<RunKey>] = [:]
    private var touched: [Place] = []
    private var commands: [Command] = []
    /// Runs the journal was told nothing of yet.
    private var unrecorded: Set<RunKey> = []
    /// When queues of an earlier process last started something, by their stored names.
    var lastStarts: [String: Moment] = [:]

    /// When ``pump(at:)`` is to be called at the latest.
    var nextWake: Duration? { wake.next }

    /// What is to be done, in order.
    mutating func takeCommands() -> [Command] {
        defer { commands = [] }
        return commands
    }

    mutating func emit(_ command: Command) { commands.append(command) }

    mutating func touch(_ place: Place) {
        if touched.last != place { touched.append(place) }
    }

    mutating func takeTouched() -> [Place] {
        defer { touched = [] }
        return touched
    }

    mutating func insert(_ run: Run) {
        runs[run.request.key] = run
        if let id = run.request.id { byID[id, default: []].insert(run.request.key) }
        if let stored = run.request.storedID { byStoredID[stored, default: []].insert(run.request.key) }
        byRoot[run.record.rootStep, default: []].insert(run.request.key)
    }

    mutating func insertNew(_ run: Run) {
        insert(run)
        unrecorded.insert(run.request.key)
    }

    /// What a queue is known by.
    ///
    /// - Parameter text: its stored name.
    func name(of queue: any EffectQueue, text: String?) -> AnyEffectID {
        let name = AnyEffectID(queue)
        if restoredQueues.isEmpty || queues[name] != nil { return name }
        return text.flatMap { restoredQueues[$0] }.flatMap { queues[$0] == nil ? nil : $0 } ?? name
    }

    /// A queue as it begins: with what is known of its past.
    func newQueue(_ queue: any EffectQueue, name: String?) -> QueueState {
        var state = QueueState(rule: QueueRule(queue), name: name)
        state.lastStart = name.flatMap { lastStarts[$0] }
        return state
    }

    mutating func remove(_ key: RunKey) -> Run? {
        guard let run = runs.removeValue(forKey: key) else { return nil }
        unrecorded.remove(key)
        held.remove(key)
        func drop<Key>(_ place: Key, from index: inout [Key: Set<RunKey>]) {
            index[place]?.remove(key)
            if index[place]?.isEmpty == true { index[place] = nil }
        }
        if let id = run.request.id { drop(id, from: &byID) }
        if let stored = run.request.storedID { drop(stored, from: &byStoredID) }
        drop(run.record.rootStep, from: &byRoot)
        return run
    }

    /// The runs of that ID.
    ///
    /// - Parameter text: the ID as it is stored, where it is known; needed where ``hasStoredIDs``.
    func keys(of id: AnyEffectID, text: String?) -> Set<RunKey> {
        (byID[id] ?? []).union(text.flatMap { byStoredID[$0] } ?? [])
    }

    mutating func hold(_ key: RunKey) {
        runs[key]?.phase = .held
        held.insert(key)
    }

    /// Lets one in that is held back.
    mutating func admit(_ key: RunKey, at now: Moment) {
        guard held.remove(key) != nil, var run = runs[key] else { return }
        run.isOnProbation = false
        runs[key] = run
        start(run, after: changes + 1, at: now)
    }

    /// Lets all in.
    mutating func admitAll(at now: Moment) {
        isCareful = false
        for key in runs.keys { runs[key]?.isOnProbation = false }
        for key in held.sorted() {
            held.remove(key)
            if let run = runs[key] { start(run, after: 0, at: now) }
        }
    }

    /// Whether there are runs of whose IDs only the text is known.
    var hasStoredIDs: Bool { !byStoredID.isEmpty }

    /// The runs whose chain of causes begins with that step.
    func keys(ofRoot root: Int) -> Set<RunKey> { byRoot[root] ?? [] }

    /// Changes a run, and has the journal told.
    mutating func change(_ key: RunKey, _ body: (inout Run) -> Void) {
        guard var run = runs[key] else { return }
        body(&run)
        runs[key] = run
        keep(run)
    }

    /// No step is settled without a record of each of its runs: what is not recorded now would be lost.
    mutating func recordNew(at now: Moment) {
        guard !unrecorded.isEmpty else { return }
        for key in unrecorded.sorted() {
            change(key) { run in
                if run.phase != .waiting { run.record.status = .delayed }
                if run.request.delay > .zero { run.record.notBefore = now.date(at: run.earliest) }
            }
        }
        unrecorded = []
    }

    mutating func keep(_ run: Run) {
        unrecorded.remove(run.request.key)
        guard !run.request.isEphemeral else { return }
        changes += 1
        emit(.record(run.record))
    }
}

extension Scheduler.Request {
    /// The ID, where only its text is known.
    var storedID: String? { (id?.base as? StoredID)?.text }
}
