/// Retention, pruning and counts. The functions that write are called inside a write transaction.
extension JournalDatabase {
    func dropSuperfluousSnapshots(
        of stream: StreamID, _ retention: Retention
    ) throws(DatabaseError) -> RecordsDigest {
        let marks = try snapshotMarks(of: stream, newest: retention.reach)
        let prunedStep = try self.stream(stream)?.prunedStep ?? 0
        let superfluous = try retention.superfluous(among: marks, prunedStep: prunedStep) {
            steps throws(DatabaseError) in try hasLiveRun(of: stream, steps)
        }
        var records = RecordsDigest()
        for step in superfluous { records ^= try deleteSnapshot(of: stream, at: step) }
        return records
    }

    /// What pruning needs to know of a stream.
    func pruneFacts(of stream: StreamInfo) throws(DatabaseError) -> PruneFacts {
        let loose = try connection.prepare(
            """
            SELECT snapshot.step FROM snapshot
            LEFT JOIN entry ON entry.stream = snapshot.stream AND entry.step = snapshot.step
            WHERE snapshot.stream = ? AND entry.digest IS NOT snapshot.digest
            """)
        loose.bind(1, stream.id.rawValue)
        let marks = try snapshotMarks(of: stream.id)
        return PruneFacts(
            info: stream, marks: marks.filter { !$0.isDamaged }, damaged: marks.filter(\.isDamaged).map(\.step),
            liveSteps: try liveRunSteps(of: stream.id),
            loose: Set(try loose.all { row throws(DatabaseError) in try row.step(0) }))
    }

    /// What decides whether the snapshot of a step can be dropped.
    func dropFacts(of stream: StreamInfo, at step: Int) throws(DatabaseError) -> DropFacts {
        let next = min(max(0, step), StoredRange.last - 1) + 1
        return DropFacts(
            mark: try snapshotMarks(of: stream.id, in: step...step).first, prunedStep: stream.prunedStep,
            isFollowed: try hasEntry(of: stream.id, in: [next...next]))
    }

    /// The number of entries in ranges of steps.
    func entryCount(of stream: StreamID, in ranges: [ClosedRange<Int>]) throws(DatabaseError) -> Int {
        var count = 0
        for range in ranges {
            count +=
                try connection.prepare(
                    "SELECT count(*) FROM entry WHERE stream = ? AND step BETWEEN ? AND ?", stream, range.lowerBound,
                    range.upperBound
                ).first { Int($0.integer(0)) } ?? 0
        }
        return count
    }

    /// Whether there is an entry in any of the ranges of steps.
    func hasEntry(of stream: StreamID, in ranges: [ClosedRange<Int>]) throws(DatabaseError) -> Bool {
        for range in ranges {
            let found = try connection.prepare(
                "SELECT 1 FROM entry WHERE stream = ? AND step BETWEEN ? AND ? LIMIT 1", stream, range.lowerBound,
                range.upperBound
            ).first { $0.integer(0) }
            if found != nil { return true }
        }
        return false
    }

    /// The length of the actions in a range of steps.
    func actionBytes(of stream: StreamID, in steps: ClosedRange<Int>) throws(DatabaseError) -> Int {
        try statement(.actionBytes, stream, steps.lowerBound, steps.upperBound).first { Int($0.integer(0)) } ?? 0
    }

    /// Carries a plan out. Keeps the dispatch IDs, so that a repeated dispatch is recognized even if its entry is gone.
    ///
    /// - Parameter transaction: the number of the transaction.
    /// - Returns: how many entries were removed, and the change of the digests of the stream's records.
    func prune(
        _ stream: StreamID, _ plan: PrunePlan, transaction: Int64
    ) throws(DatabaseError) -> (entries: Int, records: RecordsDigest) {
        // Reading it checks its digests: it replaces what is removed.
        guard try snapshot(in: stream, atOrBefore: plan.base)?.step == plan.base else {
            throw .damagedRow("the snapshot that becomes the base is missing")
        }
        let hasEnded = try self.hasEnded(before: plan.base + 1, of: stream)
        var records = try markBase(of: stream, at: plan.base)
        for step in plan.snapshots { records ^= try deleteSnapshot(of: stream, at: step) }

        var removed = 0
        for range in plan.removed {
            try connection.run(
                "DELETE FROM entry WHERE stream = ? AND step BETWEEN ? AND ?", stream, range.lowerBound,
                range.upperBound)
            removed += connection.rowsChanged
            records ^= try delete(.stepRecord, of: stream, range)
            records ^= try delete(.attempt, of: stream, range, where: Self.isOfRun(.attempt, hasEnded))
            records ^= try delete(.remembered, of: stream, range, where: Self.isOfRun(.remembered, hasEnded))
            records ^= try delete(.run, of: stream, range, where: hasEnded)
        }
        try connection.run(DigestedTable.stream.updateSound(["pruned_step": "?1"], where: "id = ?2"), plan.base, stream)
        try checkOneRowChanged("the row of the stream")
        try update(stream, records: records, transaction: transaction)
        return (removed, records)
    }

    /// The condition that a run had ended before a step was committed. One that ended later can be the cause of later
    /// entries, and is live again in a fork that ends before.
    ///
    /// The end of a run is noted when it submits its last action, so it can have a time before that of the step although
    /// the action comes later: then it is among the next entries.
    private func hasEnded(before step: Int, of stream: StreamID) throws(DatabaseError) -> String {
        let isFinal = EffectRun.Status.isFinal("status")
        guard let time = try timeOfEntry(of: stream, at: step) else { return isFinal }
        let (id, reach) = (stream.rawValue, 10_000)
        // Not `NOT IN`: for rows of columns that can be null, SQLite compares each row with all that the list has.
        return """
            (\(isFinal) AND coalesce(ended < \(time.microseconds), TRUE) AND CASE WHEN (step, ordinal) IN (
                SELECT cause_step, cause_run FROM entry
                WHERE stream = \(id) AND step >= \(step) AND step < \(step + reach)
                    AND coalesce(cause_stream, \(id)) = \(id) AND cause_step < \(step) AND cause_run IS NOT NULL)
                THEN FALSE ELSE TRUE END)
            """
    }

    /// The condition of rows whose run is not there, or meets a condition.
    private static func isOfRun(_ table: DigestedTable, _ condition: String) -> String {
        let row = table.rawValue
        return """
            NOT EXISTS (
                SELECT 1 FROM effect_run AS run
                WHERE run.stream = \(row).stream AND run.step = \(row).step
                    AND run.ordinal = \(row).ordinal AND NOT \(condition))
            """
    }

    /// - Returns: the digests of the deleted rows, combined.
    private func delete(
        _ table: DigestedTable, of stream: StreamID, _ steps: ClosedRange<Int>, where condition: String = "TRUE"
    ) throws(DatabaseError) -> RecordsDigest {
        let rows = "FROM \(table.rawValue) WHERE stream = ? AND step BETWEEN ? AND ? AND \(condition)"
        let digests = try connection.prepare(
            "SELECT row_digest, \(table.restoredCondition) \(rows)", stream, steps.lowerBound,
            steps.upperBound)
        let combined = try combined(digests)
        try connection.run("DELETE \(rows)", stream, steps.lowerBound, steps.upperBound)
        return combined
    }

    /// The row digests of all records of a stream.
    func records(of stream: StreamID) throws(DatabaseError) -> RecordsDigest {
        try combined(statement(.records, stream))
    }

    /// The row digests of the records that an opening restores. They are read with the same indexes as by the opening,
    /// so that an index which lacks a record is noticed.
    ///
    /// - Returns: the digests combined, and whether there are records other than bases.
    func liveRecords(of stream: StreamID) throws(DatabaseError) -> (digest: Digest, areMoreThanBases: Bool) {
        var (combined, areMoreThanBases) = (Digest.none, false)
        try statement(.liveRecords, stream).forEach { row throws(DatabaseError) in
            combined ^= try row.digest(0)
            if row.integer(1) != 0 { areMoreThanBases = true }
        }
        return (combined, areMoreThanBases)
    }

    /// The digests of rows, combined.
    func combined(_ rows: Statement) throws(DatabaseError) -> RecordsDigest {
        var combined = RecordsDigest()
        try rows.forEach { row throws(DatabaseError) in
            combined ^= RecordsDigest(try row.digest(0), isLive: row.integer(1) != 0)
        }
        return combined
    }

    /// How many effects have not ended, by status.
    func liveRuns() throws(DatabaseError) -> [String: Int] {
        let rows = try connection.prepare(
            """
            SELECT status, count(*) FROM \(DigestedTable.liveRuns)
            WHERE \(DigestedTable.run.restoredCondition) GROUP BY status
            """
        ).all { row throws(DatabaseError) in (row.text(0), Int(row.integer(1))) }
        return Dictionary(rows) { first, _ in first }
    }

    /// The queues in which most effects wait.
    func longestQueues(_ limit: Int) throws(DatabaseError) -> [JournalMetrics.Queue] {
        try connection.prepare(
            """
            SELECT stream.name, run.queue, run.waiting
            FROM (
                SELECT stream, queue, count(*) AS waiting FROM \(DigestedTable.liveRuns)
                WHERE \(DigestedTable.run.restoredCondition) AND status = 'waiting' AND queue IS NOT NULL
                GROUP BY stream, queue ORDER BY waiting DESC, stream, queue LIMIT \(limit)
            ) AS run
            JOIN stream ON stream.id = run.stream ORDER BY run.waiting DESC, stream.name, run.queue
            """
        ).all { row throws(DatabaseError) in
            JournalMetrics.Queue(stream: row.text(0), queue: row.text(1), waiting: Int(row.integer(2)))
        }
    }

    /// The numbers of rows.
    func counts() throws(DatabaseError) -> JournalStatistics.Counts {
        func count(_ sql: String) throws(DatabaseError) -> Int { Int(try connection.integer(sql) ?? 0) }
        return JournalStatistics.Counts(
            streams: try count("SELECT count(*) FROM stream"),
            entries: try count("SELECT count(*) FROM entry"),
            snapshots: try count("SELECT count(*) FROM snapshot"),
            liveRuns: try count(
                """
                SELECT count(*) FROM \(DigestedTable.liveRuns)
                WHERE \(DigestedTable.run.restoredCondition)
                """),
            failedRuns: try count("SELECT count(*) FROM \(DigestedTable.failedRuns) WHERE status = 'failed'"))
    }
}
