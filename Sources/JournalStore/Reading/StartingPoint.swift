/// Where a fold may begin.
package struct StartingPoint<State> {
    /// The state to begin with; nil for the machine's initial one.
    package var state: State?
    /// The step after which it was the state; 0 for the beginning.
    package var step: Int
    /// The snapshots that could not be read, newest first.
    package var skipped: [JournalError]
}

extension JournalReader {
    /// The newest snapshot not after `step` that can be read. One that cannot is passed over for an older one, and in the
    /// end for the whole history; but not past a base, which is truth and not a cache, unless the caller asks.
    package func startingPoint<State>(
        of name: String, atOrBefore step: Int, crossingBases: Bool = false,
        decode: (Snapshot) throws -> State
    ) throws(JournalError) -> StartingPoint<State> {
        let stream = try stream(name)
        var skipped: [JournalError] = []
        var limit = step
        while let snapshot = try snapshot(of: name, atOrBefore: limit) {
            let reason: JournalError
            do {
                try check(snapshot, of: name)
                return StartingPoint(state: try decode(snapshot), step: snapshot.step, skipped: skipped)
            } catch let error as JournalError where snapshot.isBase && !crossingBases && error.code == .newerMachine {
                // Nothing is wrong with it: older code has no business here.
                throw error
            } catch {
                reason = JournalError(
                    .noUsableSnapshot, "The snapshot cannot be read (\(error)).", file: file, stream: name,
                    step: snapshot.step)
            }
            if snapshot.isBase && !crossingBases {
                var error = reason
                error.advice =
                    "It is a base: the state it holds cannot be had from the entries before it without changing it. "
                    + "Give the machine an upcaster for it, or cross it on purpose."
                throw error
            }
            skipped.append(reason)
            limit = snapshot.step - 1
        }
        // A running effect of the first steps keeps them, and then the beginning is there.
        let isWhole = stream.prunedStep == 0
        let first = isWhole ? nil : try entries(in: name, limit: 1).first
        guard isWhole || first?.step == 1 else {
            throw JournalError(
                .noUsableSnapshot, "The entries up to step \(stream.prunedStep) were pruned, and no snapshot serves.",
                advice: "Ask for a later step; what was before is gone.", file: file, stream: name, step: step)
        }
        return StartingPoint(state: nil, step: 0, skipped: skipped)
    }

    /// A snapshot that remembers another entry than the one of its step is the state of another history.
    private func check(_ snapshot: Snapshot, of name: String) throws(JournalError) {
        guard let entry = try entries(in: name, from: snapshot.step, limit: 1).first, entry.step == snapshot.step,
            entry.digest != snapshot.digest
        else { return }
        throw JournalError(
            .corrupt, "It does not belong to the entry of its step.", advice: "", file: file, stream: name,
            step: snapshot.step)
    }
}
