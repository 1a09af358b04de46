/// How many durations lie below each of some limits.
public struct DurationHistogram: Codable, Hashable, Sendable {
    /// The limits in microseconds. Durations above the last one are counted in the last element of ``counts``.
    public static let limits = [
        10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000,
    ]

    /// For each limit, how many durations are at most that limit and above the one before it. The last element counts
    /// those above all limits.
    public private(set) var counts = [Int](repeating: 0, count: limits.count + 1)
    /// The sum of all durations, in microseconds.
    public private(set) var sum = 0

    /// The number of durations.
    public var count: Int { counts.reduce(0, &+) }

    /// An empty histogram.
    init() {}

    /// Decodes a histogram. What is missing counts as zero.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        counts = try values.decodeIfPresent([Int].self, forKey: .counts) ?? counts
        sum = try values.decodeIfPresent(Int.self, forKey: .sum) ?? sum
    }

    mutating func add(microseconds: Int) {
        let microseconds = max(0, microseconds)
        // Commits take tens or thousands of microseconds, so a search from the start ends soon.
        counts[Self.limits.firstIndex { microseconds <= $0 } ?? Self.limits.count] += 1
        sum &+= microseconds
    }

    /// The durations of this histogram that an earlier one of the same journal does not have.
    package func since(_ earlier: DurationHistogram) -> DurationHistogram {
        guard earlier.counts.count == counts.count, counts.count == Self.limits.count + 1 else { return self }
        var rest = self
        for index in counts.indices { rest.counts[index] &-= earlier.counts[index] }
        rest.sum &-= earlier.sum
        return rest
    }

    /// The smallest limit, in microseconds, that at least this part of the durations do not exceed: `quantile(0.99)` is
    /// that of 99 %. Nil if there are no durations, or if too many of them are above all limits.
    public func quantile(_ part: Double) -> Int? {
        let count = count
        guard count > 0 else { return nil }
        var seen = 0
        for (limit, found) in zip(Self.limits, counts) {
            seen &+= found
            if Double(seen) >= part * Double(count) { return limit }
        }
        return nil
    }
}
