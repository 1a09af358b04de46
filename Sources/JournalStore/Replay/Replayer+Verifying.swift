extension Replayer {
    /// Replays the stream from its beginning and compares it with every snapshot, by value; with the recorded outcomes,
    /// cascades and effects; and with folds that begin at each snapshot. Stops at the first difference.
    ///
    /// It also says what an opening would do. An opening begins with the newest snapshot. So this method checks that
    /// this snapshot can be decoded. If older code stored another state in it, the steps after it are compared as an
    /// opening reduces them, from the stored state. It restores the live effects as an opening does, and names those
    /// that become orphans. Of the newest steps it is perhaps not known whether their actions count, because the process
    /// was killed just then: these are only decoded.
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
        if comparison.report.divergence == nil { try check(&comparison, undecidedAfter: fold, upTo: info.headStep) }
        try comparison.end(fold)
        return comparison.report
    }

    /// Checks the steps after the last one of which it is known whether its action counts. An opening decides that.
    private func check(
        _ comparison: inout ReplayComparison<Action, State>, undecidedAfter fold: Fold<Action, State>, upTo end: Int
    ) throws(JournalError) {
        var last = fold.step
        while last < end {
            let page = try reader.entries(in: stream, from: last + 1, limit: min(end - last, 512))
            for entry in page where !fold.skippedSteps.contains(entry.step) { try comparison.check(undecided: entry) }
            guard let step = page.last?.step else { return }
            last = step
        }
    }
}
