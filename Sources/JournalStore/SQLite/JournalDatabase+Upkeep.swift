/// Retention, pruning and counts. The functions that write are called inside a write transaction.
extension JournalDatabase {
    func dropSuperfluousSnapshots(of stream: StreamID, _ retention: Retention) throws(DatabaseError) {
        let superfluous = retention.superfluous(
            among: try snapshotMarks(of: stream), liveSteps: try liveRunSteps(of: stream),
            prunedStep: try connection.prepare("SELECT pruned_step FROM stream WHERE id = ?", stream).first {
                Int($0.integer(0))
            } ?? 0)
        for step in superfluous { try deleteSnapshot(of: stream, at: step) }
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
        return PruneFacts(
            info: stream, marks: try snapshotMarks(of: stream.id), liveSteps: try liveRunSteps(of: stream.id),
            loose: Set(try loose.all { Int($0.integer(0)) }))
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

    /// Carries a plan out. Keeps the dispatch IDs, so that a repeated dispatch is recognized even if its entry is gone.
    ///
    /// - Returns: how many entries were removed.
    func prune(_ stream: StreamID, _ plan: PrunePlan) throws(DatabaseError) -> Int {
        let base = try statement(.markBase)
        base.bind(1, stream.rawValue)
        base.bind(2, plan.base)
        try base.run()
        for step in plan.snapshots { try deleteSnapshot(of: stream, at: step) }

        var removed = 0
        for range in plan.removed {
            removed += try delete("entry", of: stream, range)
            _ = try delete("step_record", of: stream, range)
            _ = try delete("effect_step", of: stream, range, where: Self.runHasEnded)
            _ = try delete("effect_run", of: stream, range, where: Self.isFinal)
        }
        try connection.run("UPDATE stream SET pruned_step = ? WHERE id = ?", plan.base, stream)
        return removed
    }

    private static let isFinal = "status IN ('completed', 'failed', 'cancelled', 'evicted', 'discarded')"
    private static let runHasEnded = """
        NOT EXISTS (
            SELECT 1 FROM effect_run AS run
            WHERE run.stream = effect_step.stream AND run.step = effect_step.step
                AND run.ordinal = effect_step.ordinal AND NOT (run.\(isFinal)))
        """

    private func delete(
        _ table: String, of stream: StreamID, _ steps: ClosedRange<Int>, where condition: String = "TRUE"
    ) throws(DatabaseError) -> Int {
        try connection.run(
            "DELETE FROM \(table) WHERE stream = ? AND step BETWEEN ? AND ? AND \(condition)", stream, steps.lowerBound,
            steps.upperBound)
        return connection.rowsChanged
    }

    /// The numbers of rows, and the version of the schema.
    func counts() throws(DatabaseError) -> JournalStatistics.Counts {
        func count(_ sql: String) throws(DatabaseError) -> Int { Int(try connection.integer(sql) ?? 0) }
        return JournalStatistics.Counts(
            streams: try count("SELECT count(*) FROM stream"),
            entries: try count("SELECT count(*) FROM entry"),
            snapshots: try count("SELECT count(*) FROM snapshot"),
            liveRuns: try count(
                """
                SELECT count(*) FROM effect_run
                WHERE status IN ('waiting', 'delayed', 'running', 'asked', 'parked', 'orphaned')
                """),
            schemaVersion: try count("PRAGMA user_version"))
    }
}
