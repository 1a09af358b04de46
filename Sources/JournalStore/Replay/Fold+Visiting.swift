extension Fold {
    /// Reduces the steps that have live effects, each from the newest snapshot before it. No step is reduced twice.
    ///
    /// - Parameters:
    ///   - live: the live effects by the steps that returned them.
    ///   - last: the last step to reduce.
    ///   - visit: called with each of the steps, in their order.
    func visit(
        _ live: [Int: [EffectRun]], upTo last: Int,
        _ visit: (FoldedStep<Action, State>) throws(JournalError) -> Void
    ) throws(JournalError) {
        var way: Fold?
        for step in live.keys.sorted() where step > 0 && step <= last {
            do throws(JournalError) {
                var fold = try begun(towards: step, or: way)
                // Then the state has one owner, and is changed in place.
                way = nil
                try fold.advance(to: step - 1)
                if let folded = try fold.next() { try visit(folded) }
                way = fold
            } catch {
                throw explained(error, live[step] ?? [])
            }
        }
    }

    /// A fold before a step, with as few steps as possible left to it.
    ///
    /// - Parameter way: a fold that is on its way there. It is continued, unless a snapshot is nearer to the step.
    private func begun(towards step: Int, or way: Fold?) throws(JournalError) -> Fold {
        guard var way else { return try begun(atOrBefore: step - 1) }
        try way.approach(step)
        return way
    }

    /// Begins again, if this fold is not before a step or a snapshot is nearer to it.
    mutating func approach(_ step: Int) throws(JournalError) {
        let isBefore = self.step < step
        let newest = try reader.newestMark(of: stream, atOrBefore: step - 1)?.step ?? 0
        if isBefore, self.step > newest { return }
        let fold = try begun(atOrBefore: step - 1)
        // If the newest snapshots cannot be read, it begins before this one.
        if isBefore, self.step > fold.step { return }
        self = fold
    }

    /// Why an old step cannot be reduced again. Only its live effects need that, so the error names one of them.
    private func explained(_ error: JournalError, _ runs: [EffectRun]) -> JournalError {
        guard error.concernsDecoding || error.code == .noUsableSnapshot, let run = runs.first else { return error }
        return changed(error) {
            $0.message += " The effect '\(run.name)' (\(run.key)), which has not ended, can only be found from there."
            $0.advice += reader.location(stream.name, run.step).adviceToCancel(run)
        }
    }
}
