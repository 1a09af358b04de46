/// What a row came to.
enum Finding: Sendable {
    /// Entries a second, and the library's part of the floor's.
    case comparison(library: Spread, floor: Spread, ratio: Spread)
    /// Seconds.
    case time(Spread)
    /// Seconds, and the most memory that the process had.
    case process(Spread, peakBytes: Int)
    case size(bytesPerEntry: Double, target: Double)

    var meetsTarget: Bool {
        if case .size(let bytes, let target) = self { bytes <= target } else { true }
    }
}

/// One number from several rounds. The median, as one disturbed round must not move it.
struct Spread: Sendable {
    let median: Double
    let least: Double
    let most: Double

    /// - Parameter values: one at least.
    init(_ values: [Double]) {
        let sorted = values.sorted()
        let middle = sorted.count / 2
        median = sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
        least = sorted[0]
        most = sorted[sorted.count - 1]
    }
}
