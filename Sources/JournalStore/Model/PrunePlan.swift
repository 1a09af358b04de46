/// What a pruning removes and what it leaves: the rule alone.
package struct PrunePlan: Hashable, Sendable {
    /// The snapshot that stands in for everything up to its step.
    package var base: Int
    /// Ranges of steps up to the base that stay, because a closure is only to be had again by reducing them: each begins
    /// right after a snapshot that stays, or at step 1.
    package var islands: [ClosedRange<Int>]
    /// The snapshots that go.
    package var snapshots: [Int]

    /// - Parameters:
    ///   - before: the first step that must stay.
    ///   - settled: up to which step the outcomes are recorded; nothing beyond is removed.
    ///   - marks: the snapshots there are, oldest first.
    ///   - liveSteps: the steps of live closure runs.
    /// - Returns: nil where no snapshot can stand in.
    package init?(before: Int, settled: Int, marks: [SnapshotMark], liveSteps: [Int]) {
        guard let base = marks.last(where: { $0.step < before && $0.step <= settled })?.step else { return nil }
        self.base = base
        var anchors: Set<Int> = [base]
        var islands: [ClosedRange<Int>] = []
        for step in liveSteps.sorted() where (1...base).contains(step) {
            let anchor = marks.last { $0.step < step }?.step ?? 0
            anchors.insert(anchor)
            if let last = islands.last, last.upperBound >= anchor {
                islands[islands.count - 1] = last.lowerBound...max(step, last.upperBound)
            } else {
                islands.append(anchor + 1...step)
            }
        }
        self.islands = islands
        snapshots = marks.map(\.step).filter { $0 < base && !anchors.contains($0) }
    }

    /// The ranges of steps up to the base that are removed, oldest first.
    package var removed: [ClosedRange<Int>] {
        var ranges: [ClosedRange<Int>] = []
        var next = 1
        for island in islands {
            if next < island.lowerBound { ranges.append(next...island.lowerBound - 1) }
            next = island.upperBound + 1
        }
        if next <= base { ranges.append(next...base) }
        return ranges
    }
}
