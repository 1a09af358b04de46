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

    /// A fold that has reduced as many steps before another one as possible: this one is on its way there, or begins
    /// again.
    private func begun(towards step: Int, or way: Fold?) throws(JournalError) -> Fold {
        let newest = try reader.newestMark(of: stream, atOrBefore: step - 1)?.step ?? 0
        if let way, way.step > newest { return way }
        let fold = try begun(atOrBefore: step - 1)
        // If the newest snapshots cannot be read, it begins before the last step.
        if let way, way.step > fold.step { return way }
        return fold
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
