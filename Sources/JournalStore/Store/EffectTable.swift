/// The runs of a store that have not ended: what starts them, and what is running.
struct EffectTable<Action: Sendable, State: Sendable> {
    /// What is needed to start a run, and what the actions that it sends inherit.
    struct Body {
        let run: Effect<Action>.Run
        let root: Int
        let time: Timestamp
        let seed: Seed
        let priority: TaskPriority?
        var tracker: Tracker<Action>?
        let isResumed: Bool
    }

    var bodies: [RunKey: Body] = [:]
    /// The runs whose bodies are running.
    var handles: [RunKey: RunHandle<Action, State>] = [:]
    /// The errors of runs that are ending, for their callers and for failure actions.
    var errors: [RunKey: any Error] = [:]
}

/// The dispatches with live runs: the trackers of their effects, and the IDs that cancel them.
struct DispatchTable<Action: Sendable> {
    /// The trackers of dispatches with live runs, by step.
    var trackers: [Int: Tracker<Action>] = [:]
    /// The dispatches with a cancel ID.
    var roots = CancelIDs()
    /// A dispatch that is about to have new runs: it is not dropped although it has none.
    var heldRoot: Int?

    /// Drops a dispatch without live runs.
    mutating func drop(root: Int) {
        trackers[root] = nil
        roots.remove(root)
    }
}

/// What waits for room on a full disk.
struct FullDisk<Event> {
    /// When it is tried again; nil if the disk is not full.
    var retryAt: Duration?
    var events: [Event] = []
}
