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
