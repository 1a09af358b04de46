extension ValueComparison {
    /// The maximum number of insertions and removals to find. A list with more is compared index by index.
    private static let maximumEdits = 128

    mutating func compare(lists old: [Any], _ new: [Any]) {
        if stopsAtFirst {
            if old.count != new.count { return report(old, new) }
            for (old, new) in zip(old, new) { compare(old, new) }
            return
        }
        let alignment = ListAlignment(old.count, new.count, maximumEdits: Self.maximumEdits) {
            areSame(old[$0], new[$1])
        }
        for gap in alignment.gaps { compare(gap, of: old, new) }
    }

    /// Compares the matching elements between two unchanged ones; all others were removed or inserted.
    ///
    /// Elements match if their identities are equal; elements without an identity match in order.
    private mutating func compare(_ gap: ListAlignment.Gap, of old: [Any], _ new: [Any]) {
        let (old, new) = (old[gap.old], new[gap.new])
        let (oldNames, newNames) = (old.map(ValueEquality.identity), new.map(ValueEquality.identity))
        let named = ListAlignment(old.count, new.count, maximumEdits: Self.maximumEdits) {
            oldNames[$0] == newNames[$1]
        }

        var (oldNext, newNext) = (old.startIndex, new.startIndex)
        let end = ListAlignment.Gap(old: old.count..<old.count, new: new.count..<new.count)
        for unnamed in named.gaps + [end] {
            while oldNext < old.startIndex + unnamed.old.lowerBound {
                compare(old[oldNext], new[newNext], at: .index(newNext))
                (oldNext, newNext) = (oldNext + 1, newNext + 1)
            }
            for _ in unnamed.old {
                report(old[oldNext], nil, at: .index(oldNext))
                oldNext += 1
            }
            for _ in unnamed.new {
                report(nil, new[newNext], at: .index(newNext))
                newNext += 1
            }
        }
    }
}
