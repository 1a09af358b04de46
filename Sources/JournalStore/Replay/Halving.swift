/// Finds where something begins that goes on for good.
package enum Halving {
    /// The first number of a range for which it holds; nil where it does not for the last.
    package static func first(
        in range: ClosedRange<Int>, where holds: (Int) throws -> Bool
    ) rethrows -> Int? {
        guard try holds(range.upperBound) else { return nil }
        // It holds for `high`, and not for `low`, or `low` is outside.
        var (low, high) = (range.lowerBound - 1, range.upperBound)
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if try holds(middle) { high = middle } else { low = middle }
        }
        return high
    }
}
