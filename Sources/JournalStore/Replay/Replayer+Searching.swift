// When did it begin? Without reducing more than is needed.

extension Replayer {
    /// The first step at which a condition holds.
    ///
    /// One that holds for good once it holds is found by halving: with about as many replays of a stretch as the number of steps has
    /// binary digits. One that goes to and fro is found at some step at which it begins to hold, or not at all;
    /// scanning looks at each step.
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
        if scanning { return try scan(range) { try condition($1) } }
        var cursor = try cursor(at: range.upperBound)
        return try Halving.first(in: range) { step in
            try cursor.move(to: step)
            return try condition(cursor.state)
        }
    }

    /// Looks at each step of a range.
    package func scan(_ range: ClosedRange<Int>, _ condition: (Int, State) throws -> Bool) throws -> Int? {
        var fold = try fold(atOrBefore: range.lowerBound)
        try advance(&fold, to: range.lowerBound)
        while try !condition(fold.step, fold.state) {
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
