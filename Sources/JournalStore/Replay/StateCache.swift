/// The states that a cursor remembers, so that going back does not begin at the last snapshot each time: all of the steps nearby, and ever
/// fewer the farther away. Of a million steps it remembers about a hundred.
struct StateCache<State: Sendable>: Sendable {
    private var states: [Int: State] = [:]

    /// Remembers a state, if it is worth it.
    @inline(__always)
    mutating func add(_ state: @autoclosure () -> State, at step: Int, for cursor: Int) {
        if CacheRule.keeps(step, for: cursor) { keep(state(), at: step) }
    }

    /// In a function of its own, where the types it needs are looked up only then.
    @inline(never)
    private mutating func keep(_ state: State, at step: Int) {
        states[step] = state
    }

    /// The cursor stands somewhere else now.
    mutating func moved(to cursor: Int) {
        states = states.filter { CacheRule.keeps($0.key, for: cursor) }
    }

    /// The newest one that is not after a step.
    func newest(atOrBefore step: Int) -> (step: Int, state: State)? {
        states.keys.lazy.filter { $0 <= step }.max().flatMap { found in states[found].map { (found, $0) } }
    }

    var count: Int { states.count }
}

/// Which steps it is worth to remember.
enum CacheRule {
    /// All this near are remembered.
    private static var near: Int { 16 }
    /// Farther away, about so many for each doubling of the distance.
    private static var eachDoubling: Int { 4 }

    /// Whether a state is worth remembering for a cursor at a step.
    static func keeps(_ step: Int, for cursor: Int) -> Bool {
        let distance = (cursor - step).magnitude
        guard distance >= near else { return true }
        // The power of two that is not above it.
        let stride = 1 << (UInt.bitWidth - 1 - (distance / UInt(eachDoubling)).leadingZeroBitCount)
        return step % stride == 0
    }
}
