extension Replayer {
    /// Replays the stream from its beginning and compares: with every snapshot, by value; with the recorded outcomes, cascades and effects;
    /// and with what going on from each snapshot leads to. Stops at the first difference.
    ///
    /// It is of the history as it was, also where this replayer takes something for otherwise. No digest is checked:
    /// see ``JournalReader/verify()``.
    ///
    /// - Parameter visit: given the state after each step, on the way.
    /// - Throws: ``JournalError`` where an entry cannot be read, and what `visit` throws. A difference is in the report.
    public func verify(_ visit: (Int, State) throws -> Void = { _, _ in }) throws -> ReplayReport {
        let info = try reader.stream(stream)
        var fold = try Fold(program, reader, info, atOrBefore: info.prunedStep)
        var comparison = try ReplayComparison(program, reader, info, startsAt: fold.step, fold.marks)
        try comparison.check(fold.state, at: fold.step)
        try visit(fold.step, fold.state)
        while comparison.report.divergence == nil, fold.step < info.headStep,
            let folded = try next(&fold, to: info.headStep)
        {
            try comparison.check(folded, isSkipped: fold.isSkipped(folded.entry.step))
            try visit(fold.step, fold.state)
        }
        try comparison.end(fold.state, at: fold.step)
        return comparison.report
    }
}
