extension Replayer {
    /// Replays the stream from its beginning and compares it with every snapshot, by value; with the recorded outcomes,
    /// cascades and effects; and with folds that begin at each snapshot. Stops at the first difference.
    ///
    /// It also says what an opening would do. An opening begins with the newest snapshot. So this method checks that
    /// this snapshot can be decoded. If older code stored another state in it, the steps after it are compared as an
    /// opening reduces them, from the stored state. It restores the live effects as an opening does, and names those
    /// that become orphans.
    ///
    /// Verifies the history as it happened, even if this replayer skips or replaces steps. It checks no digests:
    /// see ``JournalReader/verify()``.
    ///
    /// - Parameter visit: called with the state after each step.
    /// - Throws: ``JournalError`` if an entry or a live effect cannot be read, so that an opening would throw the same
    ///   error; and what `visit` throws. Differences are in the report.
    public func verify(_ visit: (Int, State) throws -> Void = { _, _ in }) throws -> ReplayReport {
        let info = try reader.stream(stream)
        let last = try reader.decidedStep(of: info)
        var fold = try verificationFold(of: info)
        var comparison = try ReplayComparison(program, reader, info, startsAt: fold.step)
        try comparison.check(fold.state, at: fold.step)
        try visit(fold.step, fold.state)
        while comparison.report.divergence == nil, fold.step < last {
            try tellNowAndThen(fold.step, of: last)
            // Only messages to other machines depend on the state before a step.
            if program.links.isEmpty {
                guard let folded = try fold.next() else { break }
                try comparison.check(folded, from: folded.after)
            } else {
                guard let (before, folded) = try fold.nextWithBefore() else { break }
                try comparison.check(folded, from: before)
            }
            try visit(fold.step, fold.state)
        }
        try comparison.end(fold)
        return comparison.report
    }
}
