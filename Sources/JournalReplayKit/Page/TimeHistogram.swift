/// How many steps fall into each part of the time that they span, without knowing the span in advance: the parts double
/// in width when a later time needs it.
struct TimeHistogram: Sendable {
    static let parts = 512

    private(set) var first: Int64?
    private(set) var counts = [Int](repeating: 0, count: parts)
    /// The width of a part, in microseconds.
    private(set) var width: Int64 = 1_000

    /// A time before the first one, from a clock that was set back, counts as the first.
    mutating func add(_ time: Int64) {
        let start = first ?? time
        first = start
        let (passed, overflow) = time.subtractingReportingOverflow(start)
        let offset = overflow ? (time > start ? .max : 0) : max(0, passed)
        while offset / width >= Int64(TimeHistogram.parts) {
            for index in 0..<TimeHistogram.parts {
                let pair = 2 * index
                counts[index] = pair < TimeHistogram.parts ? counts[pair] + counts[pair + 1] : 0
            }
            width *= 2
        }
        counts[Int(offset / width)] += 1
    }
}
