/// The median and the range of several rounds. Not the mean, which one disturbed round would change.
struct Spread: Sendable {
    let median: Double
    let least: Double
    let most: Double

    /// - Parameter values: at least one.
    init(_ values: [Double]) {
        let sorted = values.sorted()
        let middle = sorted.count / 2
        median = sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
        least = sorted[0]
        most = sorted[sorted.count - 1]
    }
}
