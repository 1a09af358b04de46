// Reads snapshots and records.

extension JournalDatabase {
    func snapshot(of stream: StreamID, atOrBefore step: Int) throws(DatabaseError) -> Snapshot? {
        try statement(.snapshotAtOrBefore, stream, step).first(Snapshot.init)
    }

    func snapshotMarks(of stream: StreamID) throws(DatabaseError) -> [SnapshotMark] {
        try statement(.snapshotMarks, stream).all {
            SnapshotMark(step: Int($0.integer(0)), isBase: $0.integer(1) != 0, version: Int($0.integer(2)))
        }
    }

    /// The steps of live runs whose closures can only be found again by reducing their step.
    func liveRunSteps(of stream: StreamID) throws(DatabaseError) -> [Int] {
        try statement(.liveRunSteps, stream).all { Int($0.integer(0)) }
    }

    /// One page of the live runs.
    func liveRuns(
        of stream: StreamID, after place: (step: Int, ordinal: Int), limit: Int
    ) throws(DatabaseError) -> [EffectRun] {
        try statement(.liveRuns, stream, place.step, place.ordinal, limit).all(EffectRun.init)
    }

    /// The steps that an operator skipped.
    func skippedSteps(of stream: StreamID) throws(DatabaseError) -> [Int] {
        try statement(.skippedSteps, stream).all { Int($0.integer(0)) }
    }

    /// The remembered steps of a run.
    func remembered(of stream: StreamID, step: Int, ordinal: Int) throws(DatabaseError) -> [RememberedStep] {
        try statement(.remembered, stream, step, ordinal).all { row in
            RememberedStep(
                stream: StreamID(rawValue: row.integer(0)), step: Int(row.integer(1)), ordinal: Int(row.integer(2)),
                path: row.text(3), name: row.text(4), use: Int(row.integer(5)), result: row.text(6))
        }
    }

    /// The cancel IDs of the dispatches that live runs come from, by step.
    func liveCancelIDs(of stream: StreamID) throws(DatabaseError) -> [Int: String] {
        var found: [Int: String] = [:]
        try statement(.liveCancelIDs, stream).forEach { row throws(DatabaseError) in
            found[Int(row.integer(0))] = row.text(1)
        }
        return found
    }

    /// The stored state of each queue.
    func queues(of stream: StreamID) throws(DatabaseError) -> [QueueMemory] {
        try statement(.queues, stream).all { row in
            QueueMemory(
                stream: stream, key: row.text(0), policy: row.text(1),
                lastStart: row.optionalInteger(2).map { Timestamp(microseconds: $0) })
        }
    }

    /// The crash-loop record that earlier openings of a stream left because they ended before they were stable.
    func crashLoop(of stream: StreamID) throws(DatabaseError) -> String? {
        try statement(.crashLoop, stream).first { $0.optionalText(0) } ?? nil
    }

    func stepRecords(of stream: StreamID, from step: Int, limit: Int) throws(DatabaseError) -> [StepRecord] {
        try statement(.stepRecords, stream, step, limit).all { row throws(DatabaseError) in
            guard let outcome = StepRecord.Outcome(rawValue: row.text(1)) else {
                throw .damagedRow("an unknown outcome")
            }
            return StepRecord(
                stream: stream, step: Int(row.integer(0)), outcome: outcome, reason: row.optionalText(2),
                cascade: row.optionalText(3), effects: row.optionalText(4))
        }
    }

    /// The interventions on a stream, oldest first.
    func interventions(in stream: StreamID) throws(DatabaseError) -> [Intervention] {
        try statement(.interventions, stream).all { row throws(DatabaseError) in
            guard let act = Intervention.Act(rawValue: row.text(0)) else {
                throw .damagedRow("an unknown intervention")
            }
            return Intervention(
                act: act, step: Int(row.integer(1)), ordinal: row.optionalInteger(2).map { Int($0) },
                time: Timestamp(microseconds: row.integer(3)),
                before: row.optionalText(4).flatMap { EffectRun.Status(rawValue: $0) }, reason: row.optionalText(5))
        }
    }

    func run(of stream: StreamID, _ key: RunKey) throws(DatabaseError) -> EffectRun? {
        try statement(.run, stream, key.step, key.ordinal).first(EffectRun.init)
    }

    func runs(
        of stream: StreamID, status: EffectRun.Status?, after place: (step: Int, ordinal: Int), limit: Int
    ) throws(DatabaseError) -> [EffectRun] {
        try statement(.runs, stream, place.step, place.ordinal, status?.rawValue, limit).all(EffectRun.init)
    }
}
