/// Which snapshots are kept when a new one is taken. Bases and what a live run needs are always kept.
public struct Retention: Hashable, Sendable {
    /// How many of the newest ones to keep.
    public var last: Int
    /// For time travel, the fewest and the most steps from one older snapshot that is kept to the next; nil for none.
    public var steps: ClosedRange<Int>?

    /// Keeps the newest three. Of the older ones it keeps one each time that the entries since the one kept before,
    /// counted as 100 bytes each, are as long as the state.
    ///
    /// - Parameters:
    ///   - last: how many of the newest ones to keep.
    ///   - steps: the fewest and the most steps from one older snapshot that is kept to the next; nil for none.
    public init(last: Int = 3, steps: ClosedRange<Int>? = 2500...100_000) {
        self.last = last
        self.steps = steps
    }

    /// Keeps the newest ones, and of the older ones one in each `everySteps` steps, whatever the size of the state.
    public init(last: Int = 3, everySteps: Int?) {
        self.init(last: last, steps: everySteps.map { $0...$0 })
    }

    /// How many of the newest snapshots to look at. Those before them were thinned out already. A snapshot that was
    /// kept so long for a live run stays until it is pruned.
    var reach: Int { max(1, min(last, 1 << 20)) + 64 }

    /// The steps of the snapshots to drop.
    ///
    /// - Parameters:
    ///   - marks: the stream's snapshots, oldest first.
    ///   - prunedStep: snapshots up to this step are kept; only pruning removes them.
    ///   - hasLiveRun: whether a live run is of one of these steps whose closure is found again by reducing its step. The
    ///     newest snapshot before that step is kept.
    func superfluous<Failure: Error>(
        among marks: [SnapshotMark], prunedStep: Int, hasLiveRun: (ClosedRange<Int>) throws(Failure) -> Bool
    ) throws(Failure) -> [Int] {
        var kept = Set(marks.suffix(max(1, last)).map(\.step))
        kept.formUnion(marks.lazy.filter { $0.isBase || $0.step <= prunedStep }.map(\.step))
        if let steps, steps.upperBound > 0 {
            var previous: Int?
            for mark in marks {
                let distance = StateWeight.clamp(StateWeight.mostEntries(mark.stateBytes), to: steps)
                if let previous, mark.step - previous < max(1, distance) { continue }
                kept.insert(mark.step)
                previous = mark.step
            }
        }
        var superfluous: [Int] = []
        // The newest one is kept in any case.
        for (mark, next) in zip(marks, marks.dropFirst()) where !kept.contains(mark.step) {
            if try !hasLiveRun(mark.step + 1...next.step) { superfluous.append(mark.step) }
        }
        return superfluous
    }
}
