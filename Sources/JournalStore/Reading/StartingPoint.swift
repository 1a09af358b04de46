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
        of stream: StreamInfo, atOrBefore step: Int, crossingBases: Bool = false,
        decode: (Snapshot) throws -> State
    ) throws(JournalError) -> StartingPoint<State> {
        var skipped: [JournalError] = []
        var limit = step
        var isGone = false
        while true {
            let failure: (any Error)?
            do {
                if let snapshot = try usableSnapshot(in: stream, atOrBefore: limit) {
                    return StartingPoint(state: try decode(snapshot), step: snapshot.step, skipped: skipped)
                }
                failure = nil
            } catch let error as JournalError where error.concernsReading {
                // It says nothing of the snapshot.
                throw error
            } catch {
                failure = error
            }
            // What can be read of a snapshot even if it is damaged.
            let mark = try newestMark(of: stream, atOrBefore: limit)
            switch (failure, mark) {
            case (nil, nil):
                try checkHasFirstEntry(stream, for: step, newest: skipped.first)
                return StartingPoint(state: nil, step: 0, skipped: skipped)
            case (let failure?, let mark?):
                skipped.append(try reason(failure, mark, in: stream.name, crossingBases: crossingBases))
                limit = mark.step - 1
            default:
                // It was written or deleted meanwhile. In a damaged tree, only one of the two finds it each time.
                guard !isGone else {
                    if let failure = failure as? JournalError { throw failure }
                    throw location(stream.name, mark?.step).error(
                        .corrupt, "The snapshot is listed, but cannot be found.")
                }
                isGone = true
            }
        }
    }

    /// The newest snapshot at or before a step; nil if there is none.
    ///
    /// - Throws: also if it does not belong to the entry of its step.
    private func usableSnapshot(in stream: StreamInfo, atOrBefore step: Int) throws(JournalError) -> Snapshot? {
        guard let snapshot = try snapshot(in: stream, atOrBefore: step), snapshot.step <= step else { return nil }
        try check(snapshot, of: stream)
        return snapshot
    }

    /// Why a snapshot cannot be used.
    ///
    /// - Throws: if no older one may be used instead of it.
    private func reason(
        _ failure: any Error, _ mark: SnapshotMark, in stream: String, crossingBases: Bool
    ) throws(JournalError) -> JournalError {
        let isTruth = mark.isBase && !crossingBases
        guard let error = failure as? JournalError else {
            let error = location(stream, mark.step).error(
                .noUsableSnapshot, "The snapshot cannot be read (\(failure)).")
            if isTruth { throw error.ofBase }
            return error
        }
        if isTruth, error.code == .newerMachine {
            // The base is sound: it was written by newer code, which must read it.
            throw changed(error) {
                $0.advice += " If that has not added a step yet, older code opens the stream with "
                $0.advice += "`OpenOptions.crossesBases`."
            }
        }
        let reason = changed(error) { ($0.stream, $0.step) = (stream, mark.step) }
        guard isTruth else { return reason }
        // Damage is no matter of versions.
        if reason.code == .corrupt { throw changed(reason) { $0.advice = JournalError.adviceForDamage } }
        throw reason.ofBase
    }

    /// Throws if the state after a step cannot be computed from the first entry, because that was pruned.
    ///
    /// - Parameter newest: why the newest snapshot cannot be read; nil if there is none.
    private func checkHasFirstEntry(
        _ stream: StreamInfo, for step: Int, newest: JournalError?
    ) throws(JournalError) {
        // A live run of the first steps keeps their entries; then a fold can start at step 1 despite the pruning.
        guard try entries(in: stream, from: 1, limit: 1).first?.step != 1 else { return }
        // They can have been pruned after the caller read the stream's row.
        let pruned = try self.stream(stream.name).prunedStep
        guard pruned != 0 else { return }
        let message = "The entries up to step \(pruned) were pruned; no snapshot is usable."
        guard let newest, let place = newest.step else {
            throw location(stream.name, step).error(
                .noUsableSnapshot, message,
                advice:
                    "The state after step \(pruned) and all later steps are left; or read a backup that has the entries."
            )
        }
        throw location(stream.name, step).error(
            .noUsableSnapshot, "\(message) That of step \(place): \(newest.message)",
            advice: "\(newest.advice) Otherwise read a backup that has the entries.")
    }

    /// Throws if the snapshot's digest is not that of the entry of its step, or of the stream's head: it is then the
    /// state of another history.
    private func check(_ snapshot: Snapshot, of stream: StreamInfo) throws(JournalError) {
        let entry = try entries(in: stream, from: snapshot.step, limit: 1).first
        let isOfEntry = entry?.step != snapshot.step || entry?.digest == snapshot.digest
        let isOfHead = snapshot.step != stream.headStep || snapshot.digest == stream.headDigest
        if isOfEntry, isOfHead { return }
        throw location(stream.name, snapshot.step).error(
            .corrupt, "The snapshot does not belong to the entry of its step.")
    }
}

extension JournalError {
    /// The same for a base, which no older snapshot can replace.
    fileprivate var ofBase: JournalError {
        changed(self) {
            $0.code = .noUsableSnapshot
            $0.message += " It is a base: reducing the steps before it again instead could change the state."
        }
    }
}
