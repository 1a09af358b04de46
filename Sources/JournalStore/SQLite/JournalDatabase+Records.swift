// Reads snapshots and records.

extension JournalDatabase {
    func snapshot(in stream: StreamID, atOrBefore step: Int) throws(DatabaseError) -> Snapshot? {
        try statement(.snapshotAtOrBefore, stream, step).first(Snapshot.init)
    }

    /// The snapshots of a range of steps, oldest first.
    ///
    /// - Parameter limit: the most to read; if there are more, the newest ones.
    func snapshotMarks(
        of stream: StreamID, in steps: ClosedRange<Int> = 0 ... .max, newest limit: Int = .max
    ) throws(DatabaseError) -> [SnapshotMark] {
        let rows = try statement(.snapshotMarks, stream, steps.lowerBound, steps.upperBound, limit)
        let marks = try rows.all { row throws(DatabaseError) in try SnapshotMark(row) }
        // The last step itself belongs to the range.
        let end = min(steps.upperBound, StoredRange.last) + 1
        try RowOrder.check([end] + marks.map(\.step), of: ("snapshots", "steps"), backwards: true)
        return marks.reversed()
    }

    /// The steps of live runs whose closures can only be found again by reducing their step.
    func liveRunSteps(of stream: StreamID) throws(DatabaseError) -> [Int] {
        var steps: [Int] = []
        try statement(.liveRunSteps, stream).forEach { row throws(DatabaseError) in
            try row.checkDigest(1, .run)
            let step = try row.step(0)
            if steps.last != step { steps.append(step) }
        }
        return steps
    }

    /// Whether such a run is of one of these steps. There can be many: one is read.
    func hasLiveRun(of stream: StreamID, _ steps: ClosedRange<Int>) throws(DatabaseError) -> Bool {
        let select = try statement(.liveRunOfSteps, stream, steps.lowerBound, steps.upperBound)
        return try select.first { row throws(DatabaseError) in
            try row.checkDigest(0, .run)
            return true
        } ?? false
    }

    /// One page of the live runs.
    func liveRuns(
        in stream: StreamID, after place: (step: Int, ordinal: Int), limit: Int
    ) throws(DatabaseError) -> [EffectRun] {
        try runs(.liveRuns, of: stream, status: nil, after: place, limit: limit)
    }

    /// All live runs of a stream.
    ///
    /// - Throws: also if one of the records that an opening restores is missing.
    func allLiveRuns(of stream: StreamInfo) throws(DatabaseError) -> [EffectRun] {
        if stream.records.live == .none { return [] }
        guard try liveRecords(of: stream.id).digest == stream.records.live else {
            throw .damagedRow("a record of a live effect of stream '\(stream.name)' is missing")
        }
        return try liveRuns(in: stream.id, after: (-1, -1), limit: .max)
    }

    /// The steps that an operator skipped.
    func skippedSteps(of stream: StreamID) throws(DatabaseError) -> [Int] {
        try statement(.skippedSteps, stream).all { row throws(DatabaseError) in
            try row.checkDigest(1, .stepRecord)
            return try row.step(0)
        }
    }

    /// The steps whose effects had been cancelled before their turn came.
    func cancelledSteps(of stream: StreamID, in steps: ClosedRange<Int>) throws(DatabaseError) -> [Int] {
        try statement(.cancelledSteps, stream, steps.lowerBound, steps.upperBound).all { row throws(DatabaseError) in
            try row.checkDigest(1, .stepRecord)
            return try row.step(0)
        }
    }

    /// The step up to which it is known which actions count.
    func decidedStep(of stream: StreamInfo) throws(DatabaseError) -> Int {
        if stream.settledStep >= stream.headStep { return stream.headStep }
        let undecided = try statement(.firstUndecided, stream.id, stream.settledStep).first {
            row throws(DatabaseError) in try row.step(0)
        }
        return undecided.map { min($0 - 1, stream.headStep) } ?? stream.headStep
    }

    /// The step with the final action of a run, if it is not known yet whether that counts.
    func undecidedStep(of stream: StreamInfo, _ key: RunKey) throws(DatabaseError) -> Int? {
        try statement(.undecidedOfRun, stream.id, stream.settledStep, key.step, key.ordinal).first {
            row throws(DatabaseError) in try row.step(0)
        }
    }

    /// A run with what an act on it depends on; nil if there is none.
    func recordedRun(of stream: StreamInfo, _ key: RunKey) throws(DatabaseError) -> RecordedRun? {
        guard let run = try run(of: stream.id, key) else { return nil }
        return RecordedRun(
            run: run, undecidedStep: try undecidedStep(of: stream, key),
            hasEntry: try timeOfEntry(of: stream.id, at: key.step) != nil)
    }

    /// What is recorded of a run's attempts, oldest first.
    ///
    /// - Parameter first: the number of the first one to read.
    func attempts(
        of stream: StreamID, step: Int, ordinal: Int, from first: Int = 1
    ) throws(DatabaseError) -> [EffectAttempt] {
        try statement(.attempts, stream, step, ordinal, first).all(EffectAttempt.init)
    }

    /// The remembered steps of a run.
    func remembered(of stream: StreamID, step: Int, ordinal: Int) throws(DatabaseError) -> [RememberedStep] {
        try statement(.remembered, stream, step, ordinal).all(RememberedStep.init)
    }

    /// The remembered steps of a run, with results of about `bytes`.
    func rememberedResults(
        of stream: StreamID, _ run: RunKey, bytes: Int
    ) throws(DatabaseError) -> RememberedResults {
        var found = RememberedResults()
        try statement(.remembered, stream, run.step, run.ordinal).forEach { row throws(DatabaseError) in
            found.add(try RememberedStep(row), room: bytes)
        }
        return found
    }

    /// The remembered uses of a name from one on, until their results are as long as `bytes`.
    ///
    /// - Throws: also if the first one is missing.
    func rememberedPage(
        of stream: StreamID, _ run: RunKey, from key: StepUses.Key, bytes: Int
    ) throws(DatabaseError) -> [RememberedStep] {
        let rows = try statement(.rememberedUses, stream, run.step, run.ordinal, key.path, key.name, key.use)
        var (page, length): ([RememberedStep], Int) = ([], 0)
        try rows.forEachUntil { row throws(DatabaseError) in
            let step = try RememberedStep(row)
            length += step.result.utf8.count
            page.append(step)
            return length >= bytes
        }
        guard page.first.map({ StepUses.Key($0) }) == key else {
            throw .damagedRow("the remembered step \(key.inside) is missing")
        }
        return page
    }

    /// The first remembered steps of a run: at most `limit`, and none after their results are as long as `bytes`.
    func firstRemembered(of run: EffectRun, limit: Int, bytes: Int) throws(DatabaseError) -> RememberedPage {
        var first = RememberedPage()
        try statement(.remembered, run.stream, run.step, run.ordinal).forEachUntil { row throws(DatabaseError) in
            first.hasMore = first.steps.count >= limit || first.bytes >= bytes
            if first.hasMore { return true }
            let step = try RememberedStep(row)
            first.bytes += step.result.utf8.count
            first.steps.append(step)
            return false
        }
        return first
    }

    /// The stored state of each queue.
    func queues(of stream: StreamID) throws(DatabaseError) -> [QueueMemory] {
        try statement(.queues, stream).all(QueueMemory.init)
    }

    /// The stored state of one queue.
    func queue(_ key: String, of stream: StreamID) throws(DatabaseError) -> QueueMemory? {
        try statement(.queue, stream, key).first(QueueMemory.init)
    }

    /// The first step after another one whose outcome is recorded, without those that an operator skipped.
    func firstOutcome(of stream: StreamID, after step: Int) throws(DatabaseError) -> Int? {
        try statement(.firstOutcome, stream, step).first { row throws(DatabaseError) in try row.step(0) }
    }

    func stepRecord(of stream: StreamID, step: Int) throws(DatabaseError) -> StepRecord? {
        try statement(.stepRecord, stream, step).first(StepRecord.init)
    }

    /// The records from a step on, up to another one: at most `limit`, and none after their texts are as long as
    /// `bytes`.
    func stepRecords(
        of stream: StreamID, from step: Int, through last: Int = .max, limit: Int = .max, bytes: Int = .max
    ) throws(DatabaseError) -> [StepRecord] {
        var (records, length): ([StepRecord], Int) = ([], 0)
        try statement(.stepRecords, stream, step, last, limit).forEachUntil { row throws(DatabaseError) in
            let record = try StepRecord(row)
            length += record.textBytes
            records.append(record)
            return length >= bytes
        }
        try RowOrder.check([max(step, 0) - 1] + records.map(\.step), of: ("records of steps", "steps"))
        return records
    }

    /// The interventions on a stream, oldest first.
    ///
    /// - Parameter steps: the only steps; nil for all.
    func interventions(
        in stream: StreamID, steps: ClosedRange<Int>? = nil
    ) throws(DatabaseError) -> [Intervention] {
        try statement(.interventions, stream, steps?.lowerBound, steps?.upperBound).all(Intervention.init)
    }

    /// The newest intervention of a kind on an effect.
    func newestIntervention(
        _ act: Intervention.Act, on key: RunKey, in stream: StreamID
    ) throws(DatabaseError) -> Intervention? {
        try statement(.newestIntervention, stream, key.step, key.ordinal, act.rawValue).first(Intervention.init)
    }

    func run(of stream: StreamID, _ key: RunKey) throws(DatabaseError) -> EffectRun? {
        try statement(.run, stream, key.step, key.ordinal).first(EffectRun.init)
    }

    /// The runs of one step, in their order.
    func runs(of stream: StreamID, step: Int, limit: Int = .max) throws(DatabaseError) -> [EffectRun] {
        try statement(.runsOfStep, stream, step, limit).all(EffectRun.init)
    }

    /// The runs of one step that have failed or were cancelled, in no particular order.
    func brokenRuns(of stream: StreamID, step: Int) throws(DatabaseError) -> [EffectRun] {
        try statement(.brokenRunsOfStep, stream, step).all(EffectRun.init)
    }

    /// One page of the runs of a stream, of all statuses or of one. Live and failed runs have indexes: those of other
    /// statuses are not read then.
    func runs(
        of stream: StreamID, status: EffectRun.Status?, after place: (step: Int, ordinal: Int), limit: Int
    ) throws(DatabaseError) -> [EffectRun] {
        let query: Query =
            switch status {
            case .failed: .failedRuns
            case let status? where !status.isFinal: .liveRuns
            default: .runs
            }
        return try runs(query, of: stream, status: status, after: place, limit: limit)
    }

    private func runs(
        _ query: Query, of stream: StreamID, status: EffectRun.Status?, after place: (step: Int, ordinal: Int),
        limit: Int
    ) throws(DatabaseError) -> [EffectRun] {
        let runs = try statement(query, stream, place.step, place.ordinal, status?.rawValue, limit).all(EffectRun.init)
        try RowOrder.check(runs, after: place)
        return runs
    }
}
