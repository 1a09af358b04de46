/// What a store knows while it works, beside the state. Touched by whoever has the turn, and nobody else.
struct Turn<Action: Sendable, State: Sendable> {
    /// A run that has not ended: what can be started, and what its actions inherit.
    struct Body {
        let run: Effect<Action>.Run
        let root: Int
        let time: Timestamp
        let seed: Seed
        let priority: TaskPriority?
        var tracker: Tracker<Action>?
        let isResumed: Bool
    }

    /// The newest step that is reduced.
    var step = 0
    var scheduler = Scheduler()
    var bodies: [RunKey: Body] = [:]
    var handles: [RunKey: RunHandle<Action, State>] = [:]
    /// The effects of each dispatch that are left, by its step.
    var trackers: [Int: Tracker<Action>] = [:]
    /// The dispatches that can be cancelled by an ID, as it is stored.
    var roots: [String: Set<Int>] = [:]
    /// The dispatch of which something is about to follow, though nothing may be left of it.
    var heldRoot: Int?

    // On their way to the disk.
    var settled: Int?
    var steps: [StepRecord] = []
    var runs: [EffectRun] = []
    var queues: [QueueMemory] = []
    var interventions: [Intervention] = []
    /// How many changes of the scheduler they held, and those before.
    var keptChanges = 0
    /// What was thrown by runs that end right now, for those who are told.
    var failures: [RunKey: any Error] = [:]

    /// Who waits for a state.
    var waitingForState: [DispatchRequest<Action, State>] = [] {
        didSet { isWaitedFor = !waitingForState.isEmpty }
    }
    private(set) var isWaitedFor = false
    /// What concerns a run must wait while something it sent is being committed.
    var deferred: [Core<Action, State>.Event] = []
    /// When what met a full disk is tried again.
    var retryAt: Duration?
    /// What met a full disk.
    var waitingForRoom: [Core<Action, State>.Event] = []
    var sleeper: (until: Duration, task: Task<Void, Never>)?
    var closing: [@Sendable () -> Void] = []
    /// Its place there.
    var mark: Int?
    /// What looks after the opening until it is stable.
    var watch: Watch?
    /// What the next opening is to be told, on its way to the disk; the inner nil is nothing.
    var caution: String??
    /// Nothing new comes in, and nothing starts: the past is being worked off.
    var isRecovering = false
    var isOver = false
}
