// Finding the step at which a condition begins to hold, reducing as few steps as possible.

extension Replayer {
    /// The first step at which a condition holds.
    ///
    /// By default this is a binary search: about as many partial replays as the number of steps has binary digits.
    /// It is exact if the condition, once it holds, holds at every later step. Otherwise it finds some step at which
    /// the condition begins to hold, or none; pass `scanning` to check each step.
    ///
    /// - Parameters:
    ///   - range: the steps to search; 0 is the state before the first step. By default ``replayableSteps()``.
    ///   - scanning: whether to check each step in order.
    ///   - condition: the condition.
    /// - Returns: nil if the condition never holds, or, in a binary search, if it does not hold at the end.
    /// - Throws: ``JournalError`` if a state cannot be computed, or the range goes on after the end of the stream; and
    ///   what the condition throws.
    public func firstStep(
        in range: ClosedRange<Int>? = nil, scanning: Bool = false, where condition: (State) throws -> Bool
    ) throws -> Int? {
        let range = try range ?? replayableSteps()
        guard range.lowerBound >= 0 else { throw noStep(range.lowerBound) }
        if scanning { return try scan(range) { try condition($1) } }
        var cursor = try cursor(at: range.upperBound)
        return try Halving.first(in: range) { step in
            try cursor.move(to: step)
            return try condition(cursor.state)
        }
    }

    /// Checks each step of a range in order.
    package func scan(_ range: ClosedRange<Int>, _ condition: (Int, State) throws -> Bool) throws -> Int? {
        var fold = try fold(atOrBefore: range.lowerBound)
        try advance(&fold, to: range.lowerBound)
        while try !condition(fold.step, fold.state) {
            guard fold.step < range.upperBound else { return nil }
            try tellNowAndThen(fold.step, of: range.upperBound)
            try advanceByOne(&fold, towards: range.upperBound)
        }
        return fold.step
    }

    /// Reduces one step of several, which are read together. If they cannot be, because of damage behind this step, it is
    /// read alone.
    private func advanceByOne(_ fold: inout Fold<Action, State>, towards end: Int) throws(JournalError) {
        let next = fold.step + 1
        do throws(JournalError) {
            if try fold.pass(towards: end) { return }
        } catch {
            if fold.step == next { throw error }
        }
        try advance(&fold, to: next)
    }

    /// The steps of all states that can be computed, from the oldest to the newest.
    ///
    /// - Throws: ``JournalError`` if the journal cannot be read.
    public func replayableSteps() throws(JournalError) -> ClosedRange<Int> {
        let info = try reader.stream(stream)
        return try info.prunedStep...max(info.prunedStep, reader.decidedStep(of: info))
    }
}
