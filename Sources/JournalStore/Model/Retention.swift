/// Which snapshots are kept when a new one is taken. Bases and what a live run needs are always kept.
public struct Retention: Hashable, Sendable {
    /// How many of the newest ones to keep.
    public var last: Int
    /// For time travel, also keep the first snapshot of each range of this many steps; nil for none.
    public var everySteps: Int?

    /// The last three, and one in every 100,000 steps.
    public init(last: Int = 3, everySteps: Int? = 100_000) {
        self.last = last
        self.everySteps = everySteps
    }

    /// The steps of the snapshots to drop.
    ///
    /// - Parameters:
    ///   - marks: the stream's snapshots, oldest first.
    ///   - liveSteps: the steps of live runs whose closures are found again by reducing the step: the newest snapshot
    ///     before each of them is kept.
    ///   - prunedStep: snapshots up to this step are kept; only pruning removes them.
    func superfluous(among marks: [SnapshotMark], liveSteps: [Int], prunedStep: Int) -> [Int] {
        var kept = Set(marks.suffix(max(1, last)).map(\.step))
        kept.formUnion(marks.lazy.filter { $0.isBase || $0.step <= prunedStep }.map(\.step))
        if let everySteps, everySteps > 0 {
            var stretches: Set<Int> = []
            for mark in marks where stretches.insert(mark.step / everySteps).inserted { kept.insert(mark.step) }
        }
        for step in liveSteps {
            if let before = marks.last(where: { $0.step < step }) { kept.insert(before.step) }
        }
        return marks.map(\.step).filter { !kept.contains($0) }
    }
}
