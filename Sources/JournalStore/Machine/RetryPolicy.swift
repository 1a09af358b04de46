/// Whether an effect that failed is tried again, how often and when. The journal keeps count over restarts.
public struct RetryPolicy: Hashable, Sendable, Codable {
    /// How often it is tried at the most, the first time included.
    public var maxAttempts: Int
    /// The wait after the first failure, in seconds.
    public var firstDelay: Double
    /// What each further wait is multiplied with.
    public var factor: Double
    /// No wait is longer, in seconds.
    public var maxDelay: Double
    /// Which part of a wait is left to chance, from 0 to 1.
    public var jitter: Double

    /// Not at all: the first failure is the last.
    public static let never = RetryPolicy(maxAttempts: 1, firstDelay: 0, factor: 1, maxDelay: 0, jitter: 0)

    /// With the same wait each time.
    public static func constant(maxAttempts: Int, delay: Duration = .seconds(1)) -> RetryPolicy {
        RetryPolicy(
            maxAttempts: maxAttempts, firstDelay: delay.inSeconds, factor: 1, maxDelay: delay.inSeconds, jitter: 0)
    }

    /// With waits that grow.
    public static func exponential(
        maxAttempts: Int, firstDelay: Duration = .seconds(1), factor: Double = 2, maxDelay: Duration = .seconds(60),
        jitter: Double = 0.1
    ) -> RetryPolicy {
        RetryPolicy(
            maxAttempts: maxAttempts, firstDelay: firstDelay.inSeconds, factor: factor,
            maxDelay: maxDelay.inSeconds, jitter: jitter)
    }

    /// The wait after an attempt that failed; nil where it was the last.
    func delay(after attempt: Int, random: UInt64) -> Duration? {
        guard attempt < maxAttempts else { return nil }
        var seconds = firstDelay
        var left = attempt - 1
        while left > 0, seconds < maxDelay, factor != 1 {
            seconds *= factor
            left -= 1
        }
        seconds = min(max(seconds, 0), max(maxDelay, 0))
        let share = jitter > 0 ? min(jitter, 1) : 0
        let chance = Double(random >> 11) * 0x1p-53
        return .clamped(seconds: seconds * (1 - share) + seconds * share * chance)
    }
}

extension Duration {
    var inSeconds: Double { self / .seconds(1) }

    /// So many seconds, in whole microseconds; nothing for what is no number or below zero, thirty years for what is more.
    static func clamped(seconds: Double) -> Duration {
        .microseconds(seconds > 0 ? Int64((Swift.min(seconds, 1e9) * 1e6).rounded()) : 0)
    }

    var inMicroseconds: Int64 {
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
}
