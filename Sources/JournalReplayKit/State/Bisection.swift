/// Searches the first bad step of a range, where some steps cannot be tested.
enum Bisection {
    enum Verdict: String, Hashable, Sendable {
        case good, bad, skipped
    }

    enum Outcome: Hashable, Sendable {
        /// The last step that could be tested is good: this one.
        case allGood(upTo: Int)
        /// Every step before the first bad one that could be tested is good.
        case first(Int)
        /// The first bad step is one of these: all but the last of them cannot be tested.
        case oneOf(ClosedRange<Int>)
        /// No step could be tested.
        case untestable
    }

    /// Halves the range.
    static func run(in range: ClosedRange<Int>, _ test: (Int) throws -> Verdict) rethrows -> Outcome {
        var skipped: Set<Int> = []
        // The last step that can be tested must be bad.
        var high = range.upperBound
        while case let verdict = try test(high), verdict != .bad {
            if verdict == .good { return .allGood(upTo: high) }
            guard high > range.lowerBound else { return .untestable }
            high -= 1
        }
        // `high` is bad; `low` is good, or below the range.
        var low = range.lowerBound - 1
        while let step = nearest(to: low + (high - low) / 2, between: low, and: high, besides: skipped) {
            switch try test(step) {
            case .bad: high = step
            case .good: low = step
            case .skipped: skipped.insert(step)
            }
        }
        return low + 1 == high ? .first(high) : .oneOf(low + 1...high)
    }

    /// A search that tests the steps in order, up to the first bad one.
    struct Scan {
        private(set) var outcome = Outcome.untestable
        /// The first of the steps just before the next one that cannot be tested.
        private var firstSkipped: Int?

        /// Notes the verdict on the next step.
        ///
        /// - Returns: whether the search goes on.
        mutating func note(_ verdict: Verdict, at step: Int) -> Bool {
            switch verdict {
            case .good: (outcome, firstSkipped) = (.allGood(upTo: step), nil)
            case .skipped: firstSkipped = firstSkipped ?? step
            case .bad: outcome = firstSkipped.map { .oneOf($0...step) } ?? .first(step)
            }
            return verdict != .bad
        }
    }

    private static func nearest(
        to middle: Int, between low: Int, and high: Int, besides skipped: Set<Int>
    ) -> Int? {
        guard high - low > 1 else { return nil }
        for distance in 0..<(high - low) {
            for step in [middle + distance, middle - distance] where step > low && step < high {
                if !skipped.contains(step) { return step }
            }
        }
        return nil
    }
}
