/// Whether an effect that failed is tried again, how often and when. The journal keeps count over restarts.
public struct RetryPolicy: Hashable, Sendable, Codable {
    /// How often it is tried at the most, the first time included. A try that the end of the process cut off does not count.
    public var maxAttempts: Int
    /// The wait after the first failure, in seconds.
    public var firstDelay: Double
    /// What each further wait is multiplied with.
    public var factor: Double
    /// No wait is longer, in seconds.
    public var maxDelay: Double
    /// Which part of a wait is left to chance, from 0 to 1.
    public var jitter: Double
    /// How long after its first start it is tried again at the most, in seconds; nil for ever.
    public var deadline: Double?
    /// The errors that are not worth another try, by name: `Shop.Declined` for a type, `Shop.PaymentError.declined` for a case.
    public var final: [String]?

    /// Not at all: the first failure is the last.
    public static let never = RetryPolicy(maxAttempts: 1, firstDelay: 0, factor: 1, maxDelay: 0, jitter: 0)

    /// With the same wait each time.
    public static func constant(
        maxAttempts: Int, delay: Duration = .seconds(1), deadline: Duration? = nil
    ) -> RetryPolicy {
        RetryPolicy(
            maxAttempts: maxAttempts, firstDelay: delay.inSeconds, factor: 1, maxDelay: delay.inSeconds, jitter: 0,
            deadline: deadline?.inSeconds)
    }

    /// With waits that grow.
    public static func exponential(
        maxAttempts: Int, firstDelay: Duration = .seconds(1), factor: Double = 2, maxDelay: Duration = .seconds(60),
        jitter: Double = 0.1, deadline: Duration? = nil
    ) -> RetryPolicy {
        RetryPolicy(
            maxAttempts: maxAttempts, firstDelay: firstDelay.inSeconds, factor: factor,
            maxDelay: maxDelay.inSeconds, jitter: jitter, deadline: deadline?.inSeconds)
    }

    /// The same, but an error of one of these types is the last: `.exponential(maxAttempts: 5).except(CardDeclined.self)`.
    public func except(_ types: any Error.Type...) -> RetryPolicy {
        excepting(types.map { StoredName.of($0) })
    }

    /// The same, but such an error is the last: `.constant(maxAttempts: 3).except(PaymentError.declined)`. Of an error with a
    /// payload the case alone counts.
    public func except(_ errors: any Error...) -> RetryPolicy {
        excepting(errors.map { RetryPolicy.names(of: $0)[1] })
    }

    private func excepting(_ names: [String]) -> RetryPolicy {
        var policy = self
        // In order, so that the same policy is the same text.
        policy.final = Set((final ?? []) + names).sorted()
        return policy
    }

    /// What an error is known by: its type, and its case behind that.
    static func names(of error: any Error) -> [String] {
        let type = StoredName.of(Swift.type(of: error))
        let name = StoredName.ofCase(error)
        if name != type { return [type, "\(type).\(name.prefix { $0 != "." })"] }
        // Of a case without payload that describes itself, that is all that tells it from the others.
        return [type, Mirror(reflecting: error).displayStyle == .enum ? "\(type).\(error)" : type]
    }

    /// Whether such an error is the last whatever is left.
    func isFinal(_ names: [String]) -> Bool {
        final.map { $0.contains(where: names.contains) } ?? false
    }

    /// The wait after so many attempts have failed; nil where that was the last.
    ///
    /// - Parameter elapsed: since its first start.
    func delay(after attempt: Int, random: UInt64, elapsed: Duration = .zero) -> Duration? {
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
        let delay = Duration.clamped(seconds: seconds * (1 - share) + seconds * share * chance)
        if let deadline, (elapsed + delay).inSeconds > deadline { return nil }
        return delay
    }
}
