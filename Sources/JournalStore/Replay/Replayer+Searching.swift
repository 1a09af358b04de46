// When did it begin? Without reducing more than is needed.

extension Replayer {
    /// The first step at which a condition holds.
    ///
    /// One that holds for good once it holds is found by halving: with about as many replays of a stretch as the number of steps has
    /// binary digits. One that goes to and fro is found at some step at which it begins to hold, or not at all; scanning looks at each step.
    ///
    /// - Parameters:
    ///   - range: where to look: 0 is the state before the first step. By default all there is.
    ///   - scanning: whether to look at each step.
    ///   - condition: what is to hold.
    /// - Returns: nil where it never does; halving, where it does not at the end.
    /// - Throws: ``JournalError`` where a state cannot be had, and what the condition throws.
    public func firstStep(
        in range: ClosedRange<Int>? = nil, scanning: Bool = false, where condition: (State) throws -> Bool
    ) throws -> Int? {
        let range = try range ?? everything()
        return try scanning ? scan(range, condition) : halve(range, condition)
    }

    private func halve(_ range: ClosedRange<Int>, _ condition: (State) throws -> Bool) throws -> Int? {
        var cursor = try cursor(at: range.upperBound)
        guard try condition(cursor.state) else { return nil }
        var (low, high) = (range.lowerBound - 1, range.upperBound)
        // It holds at `high`, and not at `low`, or `low` is outside.
        while high - low > 1 {
            let middle = low + (high - low) / 2
            try cursor.move(to: middle)
            if try condition(cursor.state) { high = middle } else { low = middle }
        }
        return high
    }

    private func scan(_ range: ClosedRange<Int>, _ condition: (State) throws -> Bool) throws -> Int? {
        var fold = try fold(atOrBefore: range.lowerBound)
        try advance(&fold, to: range.lowerBound) { _, _ in }
        while try !condition(fold.state) {
            guard fold.step < range.upperBound, try next(&fold, to: range.upperBound) != nil else { return nil }
        }
        return fold.step
    }

    /// From the first state that can still be had to the newest.
    public func everything() throws(JournalError) -> ClosedRange<Int> {
        let info = try reader.stream(stream)
        return info.prunedStep...max(info.prunedStep, info.headStep)
    }
}
