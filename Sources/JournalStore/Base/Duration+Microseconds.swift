// Durations as stored, and saturating arithmetic that never traps, whatever values a file contains.

extension Duration {
    /// About thirty years, longer than any process runs. A clock traps if it is asked to wait much longer.
    package static let longestWait = Duration.seconds(1_000_000_000)

    var inSeconds: Double { self / .seconds(1) }

    /// A duration in whole microseconds. NaN and negative values give zero; the maximum is ``longestWait``.
    static func clamped(seconds: Double) -> Duration {
        .microseconds(seconds > 0 ? Int64((Swift.min(seconds, longestWait.inSeconds) * 1e6).rounded()) : 0)
    }

    var inMicroseconds: Int64 {
        // `components` traps if the seconds do not fit.
        if self > .seconds(Int64.max) { return .max }
        if self < .seconds(Int64.min) { return .min }
        let (seconds, attoseconds) = components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
        return overflow ? (seconds < 0 ? .min : .max) : scaled.addingSaturating(attoseconds / 1_000_000_000_000)
    }
}

extension Int64 {
    func addingSaturating(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }

    func subtractingSaturating(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : .min) : difference
    }

    func multipliedSaturating(by other: Int64) -> Int64 {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? ((self < 0) == (other < 0) ? .max : .min) : product
    }
}
