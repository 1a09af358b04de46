/// The states that a cursor caches, so that moving back does not begin at the last snapshot each time: those of all
/// steps nearby, and fewer the farther away. Of a million steps it keeps about a hundred.
struct StateCache<State: Sendable>: Sendable {
    private var states: [Int: State] = [:]

    /// Adds a state if it is worth keeping.
    @inline(__always)
    mutating func add(_ state: @autoclosure () -> State, at step: Int, for cursor: Int) {
        if CacheRule.keeps(step, for: cursor) { keep(state(), at: step) }
    }

    /// Outlined: keeps generic metadata lookups off the hot path.
    @inline(never)
    private mutating func keep(_ state: State, at step: Int) {
        states[step] = state
    }

    /// Drops the states that are not worth keeping after the cursor moved.
    mutating func moved(to cursor: Int) {
        states = states.filter { CacheRule.keeps($0.key, for: cursor) }
    }

    /// Drops the states from a step on.
    mutating func forget(from step: Int) {
        states = states.filter { $0.key < step }
    }

    /// The newest cached state at or before a step.
    func newest(atOrBefore step: Int) -> (step: Int, state: State)? {
        states.keys.lazy.filter { $0 <= step }.max().flatMap { found in states[found].map { (found, $0) } }
    }

    var count: Int { states.count }
}

/// Decides which steps are worth caching.
enum CacheRule {
    /// All steps nearer than this are kept.
    private static var near: Int { 16 }
    /// Farther away, about this many are kept for each doubling of the distance.
    private static var eachDoubling: Int { 4 }

    /// Whether a step is worth caching for a cursor.
    static func keeps(_ step: Int, for cursor: Int) -> Bool {
        let distance = (cursor - step).magnitude
        guard distance >= near else { return true }
        // The largest power of two that is not greater.
        let stride = 1 << (UInt.bitWidth - 1 - (distance / UInt(eachDoubling)).leadingZeroBitCount)
        return step % stride == 0
    }
}
