import JournalStore

extension Model {
    /// The steps of a stream after which a life can go on in a fork, oldest first. The clock moved before the next
    /// step, so the times in the journal tell which runs were live.
    ///
    /// - Parameters:
    ///   - settled: the newest step whose outcome is recorded.
    ///   - pruned: the steps before this one cannot be forked.
    func forkSteps(of name: String, settled: Int, pruned: Int) -> [Int] {
        guard let stream = streams[name] else { return [] }
        let (first, last) = (max(1, pruned, stream.base), min(settled, stream.decided, stream.entries.count - 1))
        guard first <= last else { return [] }
        // Whether the action of a skipped step was counted is not known any more.
        let skipped = stream.entries.lastIndex { $0.isSkipped } ?? 0
        return (first...last).filter { step in
            step > skipped && stream.entries[step - 1].time < stream.entries[step].time
        }
    }

    /// The records of a fork are those of its steps, and the runs that were live at its step wait for a decision.
    ///
    /// - Parameter originals: the records of the original before the fork was made.
    func check(_ rows: [EffectRun], ofForkOf name: String, at step: Int, _ originals: [EffectRun]) -> String? {
        guard let stream = streams[name], step < stream.entries.count else { return nil }
        let fork = "the fork of \(name) at step \(step)"
        if let late = rows.first(where: { $0.step > step }) { return "\(fork) has the run \(late.key)" }
        let next = stream.entries[step].time
        let later = stream.entries.dropFirst(step).filter { $0.origin != .machine && !$0.isCancelled }
        for original in originals where original.step <= step {
            let place = place(name, original.step, original.name)
            guard let row = rows.first(where: { $0.key == original.key }) else { return "\(fork) lacks \(place)" }
            // An operator can have changed what the records tell, and those of messages have no place.
            guard let run = runs[place], run.retries == 0 else { continue }
            let ended = original.ended ?? Timestamp(microseconds: 0)
            let isSending = later.contains { $0.act.name.hasPrefix("\(place)/") }
            // It sends its cancel action in the fork.
            let isCancelled = [.cancelling, .cancelled].contains(original.status)
            if row.status == .cancelling, isCancelled, original.onCancel != nil { continue }
            let hadEnded = original.status.isFinal && ended < next && !isSending
            let expected = hadEnded || original.status == .discarded ? original.status : .asked
            if row.status != expected { return "\(place) is \(row.status) in \(fork), not \(expected)" }
            if row.status == .asked, let problem = checkAttempts(of: run, row, before: next) {
                return "\(place) \(problem) in \(fork)"
            }
        }
        return nil
    }

    /// A fork counts the attempts that had begun before the step that follows its last one.
    private func checkAttempts(of run: Run, _ row: EffectRun, before next: Timestamp) -> String? {
        let (earlier, later) = (run.starts.filter { $0.value < next }, run.starts.filter { $0.value >= next })
        // A kill can have hidden the first start.
        let fewest = earlier.keys.max().map { $0 > 1 ? $0 : 0 } ?? 0
        let tooMany = later.keys.min() ?? .max
        if row.attempts >= fewest, row.attempts < tooMany { return nil }
        return "has \(row.attempts) attempts, and its body began as \(run.starts.sorted { $0.key < $1.key })"
    }

    /// From now on the journal is a fork: one stream up to a step, and nothing of the others.
    ///
    /// - Parameters:
    ///   - rows: the records of the fork.
    ///   - remembering: the runs that have a remembered step there.
    mutating func goOn(inForkOf name: String, at step: Int, _ rows: [EffectRun], remembering: Set<RunKey>) {
        guard var stream = streams[name] else { return }
        forgetActions(of: stream.entries[step..<stream.decided])
        stream.entries.removeSubrange(step...)
        stream.scores.removeSubrange((step + 1)...)
        stream.acknowledged = min(stream.acknowledged, step)
        // The entries by which they were known as stopped can be gone.
        stream.stopped = []
        (stream.pending, stream.undecided) = ([:], [])
        streams = [name: stream]

        runs = runs.filter { $0.value.stream == name && $0.value.step <= step }
        for row in rows { goOn(with: row, of: name, at: step, isRemembering: remembering.contains(row.key)) }
        for other in Game.streams where other != name {
            runs[place(other, 0, Game.initial.name)] = Run(spec: Game.initial, stream: other, step: 0)
        }
        told = told.filter { Model.isStep($0, of: name, upTo: step) }
        for row in rows where row.isMessage {
            let message = "\(name)/\(row.step)"
            if row.status == .completed { told.insert(message) } else { told.remove(message) }
        }

        for (act, dispatch) in dispatches where dispatch.stream != name || (dispatch.step ?? .max) > step {
            // Nothing was appended, as if it had been refused; the same ID can be used again.
            dispatches[act]?.step = nil
            dispatches[act]?.after = 0
            dispatches[act]?.isRefused = true
        }
        dispatchIDs = dispatchIDs.filter { dispatches[$0.value]?.step != nil }
        cancelSteps = cancelSteps.filter { $0.key.hasPrefix("\(name) ") }.mapValues { $0.filter { $0 <= step } }
        cancelledRoots = cancelledRoots.filter { $0.key == name }
        luck = luck.filter { Model.isStep($0.key, of: name, upTo: step) }
        // No later step may draw these numbers again, not even the one with the same place.
        for (number, place) in drawn where luck[place] == nil && !place.hasSuffix("'") { drawn[number] = "\(place)'" }
        (waits, newest, lastStarts) = ([], [:], [:])
    }

    /// The actions of effects after the fork's step have not come.
    private mutating func forgetActions(of entries: ArraySlice<Entry>) {
        for entry in entries where entry.origin == .effect && !entry.isCancelled {
            guard let slash = entry.act.name.lastIndex(of: "/") else { continue }
            let place = String(entry.act.name[..<slash])
            switch entry.act.name[entry.act.name.index(after: slash)...] {
            case "failed": runs[place]?.reports -= 1
            case "undone": runs[place]?.undone -= 1
            default: runs[place]?.actions -= 1
            }
        }
    }

    private mutating func goOn(with row: EffectRun, of name: String, at step: Int, isRemembering: Bool) {
        let place = place(name, row.step, row.name)
        guard var run = runs[place] else { return }
        (run.status, run.isSetAside, run.mayBeRetried) = (row.status, row.status == .asked, false)
        if row.status == .asked { (run.wasForked, run.isCancelled) = (true, false) }
        if !isRemembering { run.remembered = nil }
        run.starts = run.starts.filter { $0.key <= row.attempts }
        run.attempt = row.attempts == 0 ? nil : (opening: run.attempt?.opening ?? 0, number: row.attempts)
        run.retriedAfter = min(run.retriedAfter, step)
        runs[place] = run
    }

    /// Whether a place is one of a stream's steps up to this one.
    private static func isStep(_ place: String, of name: String, upTo step: Int) -> Bool {
        let parts = place.split(separator: "/")
        guard parts.count > 1, parts[0] == name, let number = Int(parts[1]) else { return false }
        return number <= step
    }
}
