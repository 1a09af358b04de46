/// Whether, how often and when a failed effect is retried. The journal keeps the count across restarts.
public struct RetryPolicy: Hashable, Sendable, Codable {
    /// The maximum number of attempts, including the first. An attempt that ended with the process does not count.
    public var maxAttempts: Int
    /// The delay after the first failure.
    public var firstDelay: Duration
    /// The factor by which each further delay grows. One that is not finite counts as 1.
    public var factor: Double { didSet { factor = RetryPolicy.usable(factor: factor) } }
    /// The maximum delay.
    public var maxDelay: Duration
    /// The random share of each delay, from 0 to 1: 0.1 shortens it at random by up to a tenth, 1 makes it anything
    /// between nothing and the whole. It never becomes longer.
    public var jitter: Double { didSet { jitter = RetryPolicy.usable(jitter: jitter) } }
    /// No retry is planned for later than this after the first start, by the wall clock; nil for no limit.
    public var deadline: Duration?
    /// The errors that are not retried, by name: `Shop.Declined` for a type, `Shop.PaymentError.declined` for a case.
    public var final: [String]?
    /// Whether ``final`` can have descriptions instead of cases: version 0.1.0 stored those. Not stored itself.
    var canHaveDescriptions = false

    init(
        maxAttempts: Int, firstDelay: Duration, factor: Double, maxDelay: Duration, jitter: Double,
        deadline: Duration? = nil, final: [String]? = nil
    ) {
        (self.maxAttempts, self.firstDelay, self.maxDelay) = (maxAttempts, firstDelay, maxDelay)
        (self.deadline, self.final) = (deadline, final)
        self.factor = RetryPolicy.usable(factor: factor)
        self.jitter = RetryPolicy.usable(jitter: jitter)
    }

    // JSON has no numbers that are not finite, and NaN would make each policy another one.

    private static func usable(factor: Double) -> Double { factor.isFinite ? factor : 1 }
    private static func usable(jitter: Double) -> Double { jitter > 0 ? min(jitter, 1) : 0 }

    /// Never retries: the first failure is final.
    public static let never = RetryPolicy(maxAttempts: 1, firstDelay: .zero, factor: 1, maxDelay: .zero, jitter: 0)

    /// Retries with the same delay each time.
    ///
    /// - Parameters:
    ///   - maxAttempts: the maximum number of attempts, including the first.
    ///   - delay: the delay after each failure.
    ///   - deadline: no retry is planned for later than this after the first start; nil for no limit.
    public static func constant(
        maxAttempts: Int, delay: Duration = .seconds(1), deadline: Duration? = nil
    ) -> RetryPolicy {
        RetryPolicy(
            maxAttempts: maxAttempts, firstDelay: delay, factor: 1, maxDelay: delay, jitter: 0, deadline: deadline)
    }

    /// Retries with growing delays.
    ///
    /// - Parameters:
    ///   - maxAttempts: the maximum number of attempts, including the first: 5 allows four retries.
    ///   - firstDelay: the delay after the first failure.
    ///   - factor: how many times as long each delay is as the one before.
    ///   - maxDelay: the longest delay.
    ///   - jitter: the random share of each delay, from 0 to 1, by which it is shortened at most.
    ///   - deadline: no retry is planned for later than this after the first start; nil for no limit. It does not end
    ///     an attempt that runs.
    public static func exponential(
        maxAttempts: Int, firstDelay: Duration = .seconds(1), factor: Double = 2, maxDelay: Duration = .seconds(60),
        jitter: Double = 0.1, deadline: Duration? = nil
    ) -> RetryPolicy {
        RetryPolicy(
            maxAttempts: maxAttempts, firstDelay: firstDelay, factor: factor, maxDelay: maxDelay, jitter: jitter,
            deadline: deadline)
    }

    /// The same, without retries for errors of these types: `.exponential(maxAttempts: 5).except(CardDeclined.self)`.
    ///
    /// A policy is stored, so it knows a type by its name with its module. Private types of one module that have the
    /// same name, in different files or functions, count as one.
    public func except(_ types: any Error.Type...) -> RetryPolicy {
        excepting(types.map { StoredName.of($0) })
    }

    /// The same, without retries for these errors: `.constant(maxAttempts: 3).except(PaymentError.declined)`.
    ///
    /// Of an enum only the name of the case is compared, not its payload and the labels in it. An error that is not an
    /// enum stands for all errors of its type.
    public func except(_ errors: any Error...) -> RetryPolicy {
        excepting(errors.map { RetryPolicy.names(of: $0)[1] })
    }

    private func excepting(_ names: [String]) -> RetryPolicy {
        // Sorted, so that the same policy always encodes to the same text.
        changed(self) { $0.final = Set((final ?? []) + names).sorted() }
    }

    /// The names that match an error: its type, its type with its case, and what version 0.1.0 stored instead of that.
    static func names(of error: any Error) -> [String] {
        let type = StoredName.of(Swift.type(of: error))
        let name = StoredName.ofCase(error)
        guard name != type else { return [type, type] }
        return [type, "\(type).\(name.prefix { $0 != "." })", "\(type).\(error)"]
    }

    /// Whether such an error is not retried, whatever attempts are left.
    func isFinal(_ names: [String]) -> Bool {
        let names = canHaveDescriptions ? names[...] : names.prefix(2)
        return final.map { $0.contains(where: names.contains) } ?? false
    }

    /// The delay after this number of failed attempts; nil if there is no further attempt.
    ///
    /// - Parameter elapsed: the time since the first start.
    func delay(after attempt: Int, random: UInt64, elapsed: Duration = .zero) -> Duration? {
        guard attempt < maxAttempts else { return nil }
        var seconds = firstDelay.inSeconds
        let maxSeconds = maxDelay.inSeconds
        // A journal can hold any number of attempts.
        var left = min(attempt - 1, 10_000)
        while left > 0, seconds > 0, seconds < maxSeconds, factor != 1 {
            seconds *= factor
            left -= 1
        }
        seconds = min(max(seconds, 0), max(maxSeconds, 0))
        let delay = Duration.clamped(seconds: seconds * (1 - jitter) + seconds * jitter * random.unitFraction)
        if let deadline, elapsed + delay > deadline { return nil }
        return delay
    }
}

extension RetryPolicy {
    private enum CodingKeys: CodingKey { case maxAttempts, firstDelay, factor, maxDelay, jitter, deadline, final }

    /// Decodes delays in seconds.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            maxAttempts: try container.decode(Int.self, forKey: .maxAttempts),
            firstDelay: .clamped(seconds: try container.decode(Double.self, forKey: .firstDelay)),
            factor: try container.decode(Double.self, forKey: .factor),
            maxDelay: .clamped(seconds: try container.decode(Double.self, forKey: .maxDelay)),
            jitter: try container.decode(Double.self, forKey: .jitter),
            deadline: try container.decodeIfPresent(Double.self, forKey: .deadline).map { .clamped(seconds: $0) },
            final: try container.decodeIfPresent([String].self, forKey: .final))
    }

    /// Encodes delays in seconds.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(maxAttempts, forKey: .maxAttempts)
        try container.encode(firstDelay.inSeconds, forKey: .firstDelay)
        try container.encode(factor, forKey: .factor)
        try container.encode(maxDelay.inSeconds, forKey: .maxDelay)
        try container.encode(jitter, forKey: .jitter)
        try container.encodeIfPresent(deadline?.inSeconds, forKey: .deadline)
        try container.encodeIfPresent(final, forKey: .final)
    }
}
