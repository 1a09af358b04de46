/// A state from which a fold can begin.
package struct StartingPoint<State> {
    /// The state to begin with; nil for the machine's initial state.
    package var state: State?
    /// The step after which this was the state; 0 for the beginning.
    package var step: Int
    /// The snapshots that could not be read, newest first.
    package var skipped: [JournalError]
}

extension JournalReader {
    /// The newest readable snapshot at or before `step`. If one cannot be read, an older one is tried, and in the end
    /// the fold begins at step 1. A base is truth and not a cache: it is only crossed if the caller asks for that.
    package func startingPoint<State>(
        of name: String, atOrBefore step: Int, crossingBases: Bool = false,
        decode: (Snapshot) throws -> State
    ) throws(JournalError) -> StartingPoint<State> {
        let stream = try stream(name)
        var skipped: [JournalError] = []
        var limit = step
        while let mark = try newestMark(of: name, atOrBefore: limit) {
            let reason: JournalError
            do {
                guard let snapshot = try snapshot(of: name, atOrBefore: mark.step), snapshot.step == mark.step else {
                    continue  // It was deleted meanwhile.
                }
                try check(snapshot, of: name)
                return StartingPoint(state: try decode(snapshot), step: snapshot.step, skipped: skipped)
            } catch let error as JournalError where mark.isBase && !crossingBases && error.code == .newerMachine {
                // The base is sound: it was written by newer code, which must read it.
                throw error
            } catch {
                reason = location(name, mark.step).error(.noUsableSnapshot, "The snapshot cannot be read (\(error)).")
            }
            if mark.isBase && !crossingBases {
                throw changed(reason) {
                    $0.advice =
                        "It is a base: folding the entries before it instead would change the state. "
                        + "Give the machine an upcaster for it, or cross it on purpose."
                }
            }
            skipped.append(reason)
            limit = mark.step - 1
        }
        // A live run of the first steps keeps their entries; then a fold can start at step 1 despite the pruning.
        let isWhole = stream.prunedStep == 0
        let first = isWhole ? nil : try entries(in: name, limit: 1).first
        guard isWhole || first?.step == 1 else {
            throw location(name, step).error(
                .noUsableSnapshot, "The entries up to step \(stream.prunedStep) were pruned; no snapshot is usable.",
                advice: "Ask for a later step.")
        }
        return StartingPoint(state: nil, step: 0, skipped: skipped)
    }

    /// Throws if the snapshot's digest is not that of the entry of its step: it is then the state of another history.
    private func check(_ snapshot: Snapshot, of name: String) throws(JournalError) {
        guard let entry = try entries(in: name, from: snapshot.step, limit: 1).first, entry.step == snapshot.step,
            entry.digest != snapshot.digest
        else { return }
        throw location(name, snapshot.step).error(.corrupt, "The snapshot does not belong to the entry of its step.")
    }
}
