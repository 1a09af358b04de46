/// The dispatches with live runs: the trackers of their effects, and the IDs that cancel them.
struct DispatchTable<Action: Sendable> {
    /// The trackers of dispatches with live runs, by step.
    private(set) var trackers: [Int: WeakTracker<Action>] = [:]
    /// The dispatches with a cancel ID.
    var roots = CancelIDs()
    /// A dispatch that is about to have new runs: it is not dropped although it has none.
    var heldRoot: Int?

    /// The tracker of a dispatch with live runs, if a caller has it.
    subscript(step: Int) -> Tracker<Action>? {
        get { trackers[step]?.tracker }
        set { trackers[step] = newValue.map { WeakTracker(tracker: $0) } }
    }

    /// The trackers that callers have.
    var tracked: [Tracker<Action>] { trackers.values.compactMap { $0.tracker } }

    /// Drops a dispatch without live runs.
    mutating func drop(root: Int) {
        trackers[root] = nil
        roots.remove(root)
    }
}

/// A tracker as long as a caller has it.
struct WeakTracker<Action: Sendable> {
    private(set) weak var tracker: Tracker<Action>?
}
