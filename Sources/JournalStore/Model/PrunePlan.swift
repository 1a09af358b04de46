/// What pruning removes and what it keeps. Does no I/O.
package struct PrunePlan: Hashable, Sendable {
    /// The step of the snapshot that replaces everything up to it.
    package var base: Int
    /// Ranges of steps up to the base that are kept, because the closures of live runs are found again only by reducing
    /// them. Each begins directly after a snapshot that is kept, or at step 1.
    ///
    /// That snapshot is a base, or one of the version of the new base: the code that has written this one may not be
    /// able to read snapshots of earlier versions, and reduces the entries after the one before them instead.
    package var islands: [ClosedRange<Int>]
    /// The steps of the snapshots to remove.
    package var snapshots: [Int]
    /// Entries up to this step, and snapshots before it, are not looked at.
    package var start: Int

    /// - Parameters:
    ///   - start: a base, up to which an earlier transaction has removed what it could; 0 to look at everything.
    ///   - before: the first step to keep.
    ///   - settled: the settlement watermark; nothing after it is removed.
    ///   - marks: the stream's snapshots, oldest first.
    ///   - liveSteps: the steps of live closure runs.
    ///   - damaged: the steps of other snapshots, which are damaged. No state is computed from them, so those that are
    ///     looked at are removed, unless entries that stay begin after one.
    /// - Returns: nil if no snapshot can be the base.
    package init?(
        after start: Int = 0, before: Int, settled: Int, marks: [SnapshotMark], liveSteps: [Int], damaged: [Int] = []
    ) {
        guard let mark = marks.last(where: { $0.step < before && $0.step <= settled }) else { return nil }
        let (base, version) = (mark.step, mark.version)
        (self.base, self.start) = (base, start)
        var anchors: Set<Int> = [base]
        var islands: [ClosedRange<Int>] = []
        // Steps and marks are in order, so each mark is looked at once.
        var (anchor, sinceThen, later): (Int, [Int], _) = (0, [], marks[...])
        for step in liveSteps.sorted() where step >= 1 && step <= base {
            while let mark = later.first, mark.step < step {
                if mark.isBase || mark.version >= version {
                    (anchor, sinceThen) = (mark.step, [])
                } else {
                    sinceThen.append(mark.step)
                }
                later.removeFirst()
            }
            // An earlier pruning can have removed the entries before any of these.
            anchors.formUnion([anchor] + sinceThen)
            sinceThen = []
            if let last = islands.last, last.upperBound >= anchor {
                islands[islands.count - 1] = last.lowerBound...max(step, last.upperBound)
            } else {
                islands.append(anchor + 1...step)
            }
        }
        self.islands = islands
        snapshots = marks.map(\.step).filter { $0 >= start && $0 < base && !anchors.contains($0) }
        // The digest chain of entries that stay can begin with one.
        snapshots += damaged.filter { step in
            step >= start && step < base && !islands.contains { $0.contains(step + 1) }
        }
    }

    /// The ranges of steps up to the base that are removed, oldest first.
    package var removed: [ClosedRange<Int>] {
        var ranges: [ClosedRange<Int>] = []
        var next = start + 1
        for island in islands where island.upperBound > start {
            if next < island.lowerBound { ranges.append(next...island.lowerBound - 1) }
            next = island.upperBound + 1
        }
        if next <= base { ranges.append(next...base) }
        return ranges
    }
}

/// The result of pruning a stream.
public struct PruneReport: Hashable, Sendable {
    /// The step whose snapshot replaces the removed entries. If no entry was removed, the step of the newest snapshot
    /// that could have replaced entries.
    public var base: Int
    /// How many entries were removed.
    public var removedEntries: Int
    /// How many entries up to the base stay, because live effects need them.
    public var keptEntries: Int
}

extension PruneReport {
    /// - Parameter kept: how many entries there are in the ranges that stay: earlier prunings can have removed some.
    init(_ plan: PrunePlan, removed: Int, kept: Int) {
        self.init(base: plan.base, removedEntries: removed, keptEntries: kept)
    }
}
