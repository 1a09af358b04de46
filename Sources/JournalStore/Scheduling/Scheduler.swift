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
        /// Why it cannot be run at all: its ID cannot be stored, say.
        var refusal: String?
        var seed: Seed
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

        var place: Place {
            request.queue.map { .queue(AnyEffectID($0)) } ?? .alone(request.key)
        }
    }

    /// What is to be looked at again.
    enum Place: Hashable, Sendable {
        case queue(AnyEffectID)
        case alone(RunKey)
    }

    /// So many wait in one queue at the most.
    static let longestLine = 100_000

    var runs: [RunKey: Run] = [:]
    var queues: [AnyEffectID: QueueState] = [:]
    var wake = WakeQueue<Place>()
    /// How many changes there were, and how many of them are on the disk.
    var changes = 0
    var committed = 0
    /// Nothing starts meanwhile: the disk is full.
    var isPaused = false
    var starting: [(after: Int, key: RunKey)] = []
    /// Queues without runs that must be remembered until their last changes are on the disk.
    var emptied: [AnyEffectID] = []
    private var byID: [AnyEffectID: Set<RunKey>] = [:]
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
        byRoot[run.record.rootStep, default: []].insert(run.request.key)
    }

    mutating func insertNew(_ run: Run) {
        insert(run)
        unrecorded.insert(run.request.key)
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
        func drop<Key>(_ place: Key, from index: inout [Key: Set<RunKey>]) {
            index[place]?.remove(key)
            if index[place]?.isEmpty == true { index[place] = nil }
        }
        if let id = run.request.id { drop(id, from: &byID) }
        drop(run.record.rootStep, from: &byRoot)
        return run
    }

    /// The runs of that ID, in order.
    func keys(of id: AnyEffectID) -> Set<RunKey> { byID[id] ?? [] }

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
