/// Binary search for the number from which on a condition holds.
package enum Halving {
    /// The first number of a range for which the condition holds; nil if it does not hold for the last.
    package static func first(in range: ClosedRange<Int>, where holds: (Int) throws -> Bool) rethrows -> Int? {
        guard try holds(range.upperBound) else { return nil }
        // The condition holds for `high`, and does not hold for `low` unless `low` is below the range.
        var (low, high) = (range.lowerBound - 1, range.upperBound)
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if try holds(middle) { high = middle } else { low = middle }
        }
        return high
    }
}
