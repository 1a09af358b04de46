/// Finds the elements that two lists share, with the fewest removals and insertions between the lists.
///
/// Eugene W. Myers, "An O(ND) Difference Algorithm and Its Variations", 1986.
struct ListAlignment {
    /// The elements between two shared ones, or before the first or after the last.
    struct Gap: Hashable {
        var old: Range<Int>
        var new: Range<Int>
    }

    private(set) var gaps: [Gap] = []

    /// - Parameters:
    ///   - maximumEdits: if more removals and insertions are needed, everything between the common prefix and the
    ///     common suffix is one gap.
    ///   - areSame: compares the elements at an index of the old list and an index of the new list.
    init(_ oldCount: Int, _ newCount: Int, maximumEdits: Int, areSame: (Int, Int) -> Bool) {
        var start = 0
        while start < min(oldCount, newCount), areSame(start, start) { start += 1 }
        var (oldEnd, newEnd) = (oldCount, newCount)
        while oldEnd > start, newEnd > start, areSame(oldEnd - 1, newEnd - 1) {
            oldEnd -= 1
            newEnd -= 1
        }
        let middle = Gap(old: start..<oldEnd, new: start..<newEnd)
        var (oldNext, newNext) = (start, start)
        for kept in Self.kept(in: middle, maximumEdits, areSame) + [(oldEnd, newEnd)] {
            if kept.0 > oldNext || kept.1 > newNext {
                gaps.append(Gap(old: oldNext..<kept.0, new: newNext..<kept.1))
            }
            (oldNext, newNext) = (kept.0 + 1, kept.1 + 1)
        }
    }

    /// The pairs of shared elements, in order; empty if too many edits are needed.
    private static func kept(in middle: Gap, _ maximumEdits: Int, _ areSame: (Int, Int) -> Bool) -> [(Int, Int)] {
        let (oldCount, newCount) = (middle.old.count, middle.new.count)
        if oldCount == 0 || newCount == 0 || abs(oldCount - newCount) > maximumEdits { return [] }
        // How far each diagonal (old index minus new index) got in each round. A round adds one edit.
        var furthest = [1: 0]
        var rounds: [[Int: Int]] = []
        for edits in 0...min(maximumEdits, oldCount + newCount) {
            rounds.append(furthest)
            for diagonal in stride(from: -edits, through: edits, by: 2) {
                let previous = Self.previous(of: diagonal, edits, furthest)
                var old = furthest[previous, default: 0] + (previous < diagonal ? 1 : 0)
                while old < oldCount, old - diagonal < newCount,
                    areSame(middle.old.lowerBound + old, middle.new.lowerBound + old - diagonal)
                {
                    old += 1
                }
                furthest[diagonal] = old
                if old >= oldCount, old - diagonal >= newCount {
                    return wayBack(rounds, from: old, diagonal).map {
                        (middle.old.lowerBound + $0, middle.new.lowerBound + $1)
                    }
                }
            }
        }
        return []
    }

    /// The diagonal from which one is reached: by a removal from the one below, by an insertion from the one above.
    private static func previous(of diagonal: Int, _ edits: Int, _ furthest: [Int: Int]) -> Int {
        if diagonal == -edits { return diagonal + 1 }
        if diagonal == edits { return diagonal - 1 }
        return furthest[diagonal - 1, default: 0] < furthest[diagonal + 1, default: 0] ? diagonal + 1 : diagonal - 1
    }

    private static func wayBack(_ rounds: [[Int: Int]], from end: Int, _ diagonal: Int) -> [(Int, Int)] {
        var kept: [(Int, Int)] = []
        var (old, diagonal) = (end, diagonal)
        for (edits, furthest) in rounds.enumerated().reversed() {
            let previous = previous(of: diagonal, edits, furthest)
            let start = edits == 0 ? 0 : furthest[previous, default: 0] + (previous < diagonal ? 1 : 0)
            while old > start {
                old -= 1
                kept.append((old, old - diagonal))
            }
            old = furthest[previous, default: 0]
            diagonal = previous
        }
        return kept.reversed()
    }
}
