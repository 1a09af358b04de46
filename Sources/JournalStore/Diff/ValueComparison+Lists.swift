extension ValueComparison {
    /// Up to how many insertions and removals are found. A list with more is compared index by index.
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

    /// Elements between two that stay: those that belong together are compared, the others are gone or new.
    ///
    /// Together belong two with the same identity; where there are no identities, simply the next two.
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
