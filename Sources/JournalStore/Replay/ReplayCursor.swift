/// A cursor in the history of a stream, with the state there: it moves forwards, backwards, or to any step.
///
/// It caches states on its way, so that moving back costs a few steps instead of a replay from the last snapshot.
///
/// ```swift
/// var cursor = try replayer.cursor(at: 40)
/// try cursor.back()
/// print(cursor.step, cursor.state)
/// ```
public struct ReplayCursor<Action: Sendable, State: Sendable>: Sendable {
    private let replayer: Replayer<Action, State>
    private var fold: Fold<Action, State>
    private var cache = StateCache<State>()

    /// The step after which ``state`` is the state; 0 before the first.
    public var step: Int { fold.step }
    /// The state there.
    public var state: State { fold.state }

    init(_ replayer: Replayer<Action, State>, at step: Int) throws(JournalError) {
        self.replayer = replayer
        fold = try replayer.fold(atOrBefore: step)
        try advance(to: step)
    }

    /// Moves one step forwards. A skipped step whose action cannot be decoded is passed over.
    ///
    /// - Returns: that step; nil at the end, where the cursor stays.
    /// - Throws: ``JournalError`` if an entry cannot be read.
    @discardableResult
    public mutating func forward() throws(JournalError) -> ReplayedStep<Action, State>? {
        while let moved = try moveForward() {
            if let step = moved.replayed { return step }
        }
        return nil
    }

    /// Moves exactly one step forwards.
    ///
    /// - Returns: that step, without what it did if it was skipped and its action cannot be decoded; nil at the end.
    package mutating func moveForward() throws(JournalError) -> (step: Int, replayed: ReplayedStep<Action, State>?)? {
        try readSkips(onTheWayTo: step + 1)
        let unmoved = fold
        let moved: (before: State, step: FoldedStep<Action, State>)?
        do throws(JournalError) { moved = try fold.nextWithBefore() } catch {
            fold = unmoved
            throw error
        }
        guard let (before, folded) = moved else { return nil }
        cache.moved(to: step)
        let (here, now) = (step, state)
        cache.add(now, at: here, for: here)
        return (here, try? ReplayedStep(folded, from: before, replayer.program, replayer.location))
    }

    /// Moves one step back.
    ///
    /// - Returns: whether it moved: false before the first step, where the cursor stays.
    /// - Throws: ``JournalError`` if the entries before were pruned or cannot be read.
    @discardableResult
    public mutating func back() throws(JournalError) -> Bool {
        guard step > 0 else { return false }
        try move(to: step - 1)
        return true
    }

    /// Moves to a step; 0 is before the first.
    ///
    /// - Throws: ``JournalError`` if there is no such step, or it was pruned. The cursor does not move then.
    public mutating func move(to end: Int) throws(JournalError) {
        guard end >= 0 else { throw replayer.noStep(end) }
        try readSkips(onTheWayTo: max(end, step))
        let before = fold
        let known = cache.newest(atOrBefore: end)
        let here = step <= end ? step : -1
        do throws(JournalError) {
            // Begin at the nearest: the current step, a cached state, or a snapshot.
            let start = try fold.start(atOrBefore: end)
            if let known, known.step > here, known.step >= start {
                fold = fold.begun(with: known.state, at: known.step)
            } else if here < start || here < 0 {
                fold = try fold.begun(atOrBefore: end)
            }
            try advance(to: end)
        } catch {
            fold = before
            throw error
        }
    }

    /// Learns which steps an operator has skipped meanwhile, and forgets states that do not know of it. A step that was
    /// settled when the replay began is not skipped any more.
    private mutating func readSkips(onTheWayTo end: Int) throws(JournalError) {
        guard end > fold.stream.settledStep else { return }
        var fold = fold
        guard let first = try fold.readSkips() else { return }
        var cache = cache
        cache.forget(from: first)
        if step >= first {
            let here = step
            fold = try fold.begun(atOrBefore: first - 1)
            try replayer.advance(&fold, to: here) { _ in }
        }
        (self.fold, self.cache) = (fold, cache)
    }

    /// Why a step after this one is not reached.
    package func noStep(_ step: Int) -> JournalError { fold.noStep(step) }

    private mutating func advance(to end: Int) throws(JournalError) {
        var cache = cache
        cache.add(state, at: step, for: end)
        try replayer.advance(&fold, to: end) { fold in
            cache.add(fold.state, at: fold.step, for: end)
        }
        cache.moved(to: end)
        self.cache = cache
    }
}
