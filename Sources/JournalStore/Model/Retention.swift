/// Which snapshots stay when a new one is taken. A base always stays, and so does what a running effect still needs.
public struct Retention: Hashable, Sendable {
    /// The newest ones.
    public var last: Int
    /// For time travel, the first in each stretch of so many steps; nil for none.
    public var everySteps: Int?

    /// The last three, and one in every 100,000 steps.
    public init(last: Int = 3, everySteps: Int? = 100_000) {
        self.last = last
        self.everySteps = everySteps
    }

    /// The steps whose snapshots go.
    ///
    /// - Parameters:
    ///   - marks: the snapshots there are, oldest first.
    ///   - liveSteps: the steps of runs whose closures are had by reducing the step again: for each the newest snapshot
    ///     before it stays.
    ///   - prunedStep: what stands before it belongs to the pruning.
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
