// Snapshots and records: the outcomes of steps, effects, interventions.

extension JournalReader {
    /// The newest snapshot of a stream that is not after `step`; nil if there is none.
    ///
    /// - Throws: ``JournalError`` if there is no such stream, or the journal cannot be read.
    public func snapshot(in name: String, atOrBefore step: Int) throws(JournalError) -> Snapshot? {
        try read("reading a snapshot", of: name, step: step) { database, id throws(DatabaseError) in
            try database.snapshot(in: id, atOrBefore: step)
        }
    }

    /// The same for a caller that has read the stream's row.
    func snapshot(in stream: StreamInfo, atOrBefore step: Int) throws(JournalError) -> Snapshot? {
        try read("reading a snapshot", stream: stream.name, step: step) {
            [id = stream.id] database throws(DatabaseError) in
            try database.snapshot(in: id, atOrBefore: step)
        }
    }

    /// The steps of a stream's snapshots, oldest first.
    ///
    /// - Throws: ``JournalError`` if there is no such stream, or the journal cannot be read.
    public func snapshotSteps(in name: String) throws(JournalError) -> [Int] {
        try snapshotMarks(of: try stream(name)).map(\.step)
    }

    /// The snapshots of a range of steps, oldest first.
    package func snapshotMarks(
        of stream: StreamInfo, in steps: ClosedRange<Int> = 0 ... .max
    ) throws(JournalError) -> [SnapshotMark] {
        try read("reading the snapshots", stream: stream.name) { [id = stream.id] database throws(DatabaseError) in
            try database.snapshotMarks(of: id, in: steps)
        }
    }

    /// The length of the actions in a range of steps.
    func actionBytes(of name: String, in steps: ClosedRange<Int>) throws(JournalError) -> Int {
        try read("measuring the entries", of: name) { database, id throws(DatabaseError) in
            try database.actionBytes(of: id, in: steps)
        }
    }

    /// The newest snapshot at or before a step, even if it is damaged.
    package func newestMark(
        of stream: StreamInfo, atOrBefore step: Int = .max
    ) throws(JournalError) -> SnapshotMark? {
        guard step >= 0 else { return nil }
        return try read("reading the snapshots", stream: stream.name) {
            [id = stream.id] database throws(DatabaseError) in
            try database.snapshotMarks(of: id, in: 0...step, newest: 1).first
        }
    }

    /// The recorded effects of a stream, in the order of their steps. All that it returns are in memory.
    ///
    /// For a status of effects that are live, or have failed, only those are read; for another one all are.
    ///
    /// - Parameters:
    ///   - name: the stream.
    ///   - status: the status of the effects to return; nil for all.
    /// - Throws: ``JournalError`` if there is no such stream, or the journal cannot be read.
    public func effectRuns(in name: String, status: EffectRun.Status? = nil) throws(JournalError) -> [EffectRun] {
        try runs(of: name) { database, stream, place, limit throws(DatabaseError) in
            try database.runs(of: stream, status: status, after: place, limit: limit)
        }
    }

    /// One page of the recorded effects of a stream after a run key; empty after the last. It ends at its limit, or
    /// with the effect with which it has enough bytes.
    package func effectRuns(
        in name: String, after place: (step: Int, ordinal: Int), limit: Int
    ) throws(JournalError) -> [EffectRun] {
        try read("reading the effects", of: name) { database, id throws(DatabaseError) in
            try database.runPage(of: id, after: place, limit: limit)
        }
    }

    /// One page of the recorded outcomes of steps, from a step on. A step that only changed the state has no record.
    ///
    /// - Parameters:
    ///   - last: the last step of the page.
    ///   - bytes: the page ends with the record with which its texts are as long as this.
    package func stepRecords(
        of name: String, from step: Int, through last: Int = .max, limit: Int = .max, bytes: Int = .max
    ) throws(JournalError) -> [StepRecord] {
        // Not the first step of many: another one can be the damaged one.
        let place = step == last ? step : nil
        return try read("reading the records of steps", of: name, step: place) { database, id throws(DatabaseError) in
            try database.stepRecords(of: id, from: step, through: last, limit: limit, bytes: bytes)
        }
    }

    /// The recorded outcome of a step; nil if it only changed the state, or its record was pruned.
    func stepRecord(of stream: StreamInfo, step: Int) throws(JournalError) -> StepRecord? {
        try read("reading the record of a step", stream: stream.name, step: step) {
            [id = stream.id] database throws(DatabaseError) in
            try database.stepRecord(of: id, step: step)
        }
    }

    /// The recorded effects of a stream that have not ended, in the order of their steps.
    ///
    /// - Throws: ``JournalError`` if there is no such stream, or the journal cannot be read.
    public func liveRuns(in name: String) throws(JournalError) -> [EffectRun] {
        try runs(of: name) { database, stream, place, limit throws(DatabaseError) in
            try database.liveRuns(in: stream, after: place, limit: limit)
        }
    }

    /// The record of one effect; nil if there is none or it was pruned.
    ///
    /// - Throws: ``JournalError`` if there is no such stream, or the journal cannot be read.
    public func effectRun(_ key: RunKey, in name: String) throws(JournalError) -> EffectRun? {
        try read("reading an effect", of: name, step: key.step) { database, id throws(DatabaseError) in
            try database.run(of: id, key)
        }
    }

    /// An effect with what an act on it depends on.
    package func recordedRun(_ key: RunKey, in name: String) throws(JournalError) -> RecordedRun {
        let stream = try stream(name)
        let found = try read("reading an effect", stream: name, step: key.step) { database throws(DatabaseError) in
            try database.recordedRun(of: stream, key)
        }
        guard let found else { throw location(name).noEffect(key) }
        return found
    }

    /// The interventions on a stream, oldest first.
    ///
    /// - Throws: ``JournalError`` if there is no such stream, or the journal cannot be read.
    public func interventions(in name: String) throws(JournalError) -> [Intervention] {
        try read("reading interventions", of: name) { database, id throws(DatabaseError) in
            try database.interventions(in: id)
        }
    }

    /// The interventions on these steps and their effects, oldest first.
    package func interventions(in name: String, steps: ClosedRange<Int>) throws(JournalError) -> [Intervention] {
        try read("reading interventions", of: name, step: steps.count == 1 ? steps.lowerBound : nil) {
            database, id throws(DatabaseError) in
            try database.interventions(in: id, steps: steps)
        }
    }

    /// The newest intervention of a kind on an effect; nil if there is none.
    package func newestIntervention(
        _ act: Intervention.Act, on run: RunKey, in name: String
    ) throws(JournalError) -> Intervention? {
        try read("reading an intervention", of: name, step: run.step) { database, id throws(DatabaseError) in
            try database.newestIntervention(act, on: run, in: id)
        }
    }

    /// The step up to which it is known which actions count, so that states can be computed.
    ///
    /// It is the newest one, but for a moment while results of effects share a transaction, or after a crash in that
    /// moment, until the stream is opened.
    package func decidedStep(of stream: StreamInfo) throws(JournalError) -> Int {
        try read("reading the outcomes", stream: stream.name) { database throws(DatabaseError) in
            let decided = try database.decidedStep(of: stream)
            // Damage could make an action look undecided.
            if decided < stream.headStep { _ = try database.soundLink(of: stream, at: decided + 1) }
            return decided
        }
    }

    /// The steps that an operator skipped.
    package func skippedSteps(of stream: StreamInfo) throws(JournalError) -> Set<Int> {
        try read("reading skipped steps", stream: stream.name) { [id = stream.id] database throws(DatabaseError) in
            Set(try database.skippedSteps(of: id))
        }
    }

    /// What is recorded of a run's attempts, oldest first. Empty for a run with a single attempt.
    package func attempts(of name: String, step: Int, ordinal: Int) throws(JournalError) -> [EffectAttempt] {
        try read("reading attempts", of: name, step: step) { database, id throws(DatabaseError) in
            try database.attempts(of: id, step: step, ordinal: ordinal)
        }
    }

    /// The remembered steps of a run, by path, name and use.
    package func remembered(of name: String, step: Int, ordinal: Int) throws(JournalError) -> [RememberedStep] {
        try read("reading remembered steps", of: name, step: step) { database, id throws(DatabaseError) in
            try database.remembered(of: id, step: step, ordinal: ordinal)
        }
    }

    /// The remembered steps of a run, each read and checked, with as many results as a page has.
    ///
    /// - Parameter bytes: of the steps after results of this length only the keys are returned.
    func rememberedResults(
        of name: String, _ run: RunKey, bytes: Int = StoredSteps.enough
    ) throws(JournalError) -> RememberedResults {
        try read("reading remembered steps", of: name, step: run.step) { database, id throws(DatabaseError) in
            try database.rememberedResults(of: id, run, bytes: bytes)
        }
    }

    /// One page of the results of a step's uses, from a remembered one on. It ends with the result with which it has
    /// enough bytes.
    func rememberedPage(
        of name: String, _ run: RunKey, from key: StepUses.Key, bytes: Int = StoredSteps.enough
    ) throws(JournalError) -> [RememberedStep] {
        try read("reading remembered steps", of: name, step: run.step) { database, id throws(DatabaseError) in
            try database.rememberedPage(of: id, run, from: key, bytes: bytes)
        }
    }

    /// What is stored of a stream's queues, by their texts.
    package func queues(of name: String) throws(JournalError) -> [QueueMemory] {
        try read("reading the queues", of: name) { database, id throws(DatabaseError) in
            try database.queues(of: id)
        }
    }

    /// The first remembered steps of runs: of the first run, and of as many others as there are bytes for.
    ///
    /// - Parameters:
    ///   - limit: the most steps of one run.
    ///   - bytes: no further step of a run, and no further run, is read when the results are as long as this.
    package func remembered(
        of runs: [EffectRun], limit: Int, bytes: Int
    ) throws(JournalError) -> [RememberedPage] {
        try read("reading remembered steps") { database throws(DatabaseError) in
            var (found, length): ([RememberedPage], Int) = ([], 0)
            for run in runs where found.isEmpty || length < bytes {
                let first = try database.firstRemembered(of: run, limit: limit, bytes: bytes)
                length += first.bytes
                found.append(first)
            }
            return found
        }
    }

    private func runs(
        of name: String,
        _ page:
            @Sendable (JournalDatabase, StreamID, (step: Int, ordinal: Int), _ limit: Int) throws(DatabaseError)
            -> [EffectRun]
    ) throws(JournalError) -> [EffectRun] {
        let stream = try stream(name)
        var all: [EffectRun] = []
        while true {
            let place = all.last.map { ($0.step, $0.ordinal) } ?? (0, -1)
            let more = try read("reading the effects", stream: name) { database throws(DatabaseError) in
                try page(database, stream.id, place, 1_000)
            }
            all += more
            if more.count < 1_000 { return all }
        }
    }

    /// The recorded effects of one step, in their order.
    ///
    /// - Throws: ``JournalError`` if the journal cannot be read.
    package func effectRuns(in name: String, step: Int, limit: Int) throws(JournalError) -> [EffectRun] {
        try read("reading the effects", of: name, step: step) { database, id throws(DatabaseError) in
            try database.runs(of: id, step: step, limit: limit)
        }
    }

    /// The same for a caller that has read the stream's row.
    func effectRuns(in stream: StreamInfo, step: Int) throws(JournalError) -> [EffectRun] {
        try read("reading the effects", stream: stream.name, step: step) {
            [id = stream.id] database throws(DatabaseError) in
            try database.runs(of: id, step: step)
        }
    }

    /// Those of a step that have failed or were cancelled, in no particular order.
    func brokenRuns(in stream: StreamInfo, step: Int) throws(JournalError) -> [EffectRun] {
        try read("reading the effects", stream: stream.name, step: step) {
            [id = stream.id] database throws(DatabaseError) in
            try database.brokenRuns(of: id, step: step)
        }
    }
}
