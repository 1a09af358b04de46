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
        let name = stream.name
        var skipped: [JournalError] = []
        var limit = step
        var gone: Int?
        while let mark = try newestMark(of: stream, atOrBefore: limit) {
            let reason: JournalError
            do {
                guard let snapshot = try snapshot(in: stream, atOrBefore: mark.step), snapshot.step == mark.step else {
                    // It was deleted meanwhile. In a damaged tree, SQLite can list it again and again.
                    guard gone != mark.step else {
                        throw location(name, mark.step).error(.corrupt, "The snapshot is listed, but cannot be found.")
                    }
                    gone = mark.step
                    continue
                }
                try check(snapshot, of: stream)
                return StartingPoint(state: try decode(snapshot), step: snapshot.step, skipped: skipped)
            } catch let error as JournalError where mark.isBase && !crossingBases && error.code == .newerMachine {
                // The base is sound: it was written by newer code, which must read it.
                throw changed(error) {
                    $0.advice += " If that has not added a step yet, older code opens the stream with "
                    $0.advice += "`OpenOptions.crossesBases`."
                }
            } catch let error as JournalError where error.concernsReading {
                // It says nothing of the snapshot.
                throw error
            } catch let error as JournalError {
                reason = changed(error) { ($0.stream, $0.step) = (name, mark.step) }
            } catch {
                reason = location(name, mark.step).error(.noUsableSnapshot, "The snapshot cannot be read (\(error)).")
            }
            if mark.isBase && !crossingBases {
                // Damage is no matter of versions.
                if reason.code == .corrupt { throw changed(reason) { $0.advice = JournalError.adviceForDamage } }
                throw changed(reason) {
                    $0.code = .noUsableSnapshot
                    $0.message += " It is a base: reducing the steps before it again instead could change the state."
                }
            }
            skipped.append(reason)
            limit = mark.step - 1
        }
        try checkHasFirstEntry(stream, for: step, newest: skipped.first)
        return StartingPoint(state: nil, step: 0, skipped: skipped)
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
