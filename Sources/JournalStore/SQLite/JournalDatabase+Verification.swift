/// The queries of the verification.
extension JournalDatabase {
    /// SQLite's own check of pages, indexes and types. https://www.sqlite.org/pragma.html#pragma_integrity_check
    ///
    /// - Parameter table: the one table to check, with its indexes; nil for the whole file.
    func integrityProblems(of table: String? = nil) throws(DatabaseError) -> [String] {
        var found: [String] = []
        let scope = table.map { "'\($0)'" } ?? "\(VerificationReport.limit)"
        do throws(DatabaseError) {
            try connection.prepare("PRAGMA integrity_check(\(scope))").forEach {
                row throws(DatabaseError) in
                let number = Platform.lastError
                let text = row.text(0)
                // A row can have many lines.
                for line in text.split(separator: "\n") {
                    if let error = IntegrityLine.error(line, lastSystemError: number) { throw error }
                    if !IntegrityLine.isHeading(line) { found.append(String(line)) }
                }
            }
        } catch {
            // The damage can stop the check itself; the problems found until then show where it is.
            guard error.isTornFile || error.isOfUnknownFunction else { throw error }
            found.append(error.message)
        }
        return found.filter { $0 != "ok" }
    }

    /// Broken references between the journal's tables. Foreign keys are declared, and checked here but not at each
    /// write: the writer knows its streams. Tables in the file that do not belong to the journal are not checked: what
    /// they refer to need not be there. https://www.sqlite.org/pragma.html#pragma_foreign_key_check
    func looseReferences() throws(DatabaseError) -> [String] {
        var found: [String] = []
        for table in DigestedTable.allCases.map(\.rawValue) + ["entry"] {
            try connection.prepare("PRAGMA foreign_key_check('\(table)')").forEachUntil { row throws(DatabaseError) in
                guard found.count < VerificationReport.limit else { return true }
                found.append("a row of \(row.text(0)) refers to a row of \(row.text(2)) that does not exist")
                return false
            }
        }
        return found
    }

    /// Records that do not fit the entries, the heads or each other.
    func looseRecords() throws(DatabaseError) -> [VerificationReport.Problem] {
        let limit = VerificationReport.limit
        return try connection.prepare(
            """
            SELECT stream.name, record.step, 'the record of its outcome belongs to no entry, or to another one'
            FROM step_record AS record JOIN stream ON stream.id = record.stream
            LEFT JOIN entry ON entry.stream = record.stream AND entry.step = record.step
            WHERE entry.digest IS NOT record.digest
            UNION ALL
            SELECT stream.name, record.step, 'its effect is recorded as cancelled before it, which cannot be'
            FROM step_record AS record JOIN stream ON stream.id = record.stream
            LEFT JOIN entry ON entry.stream = record.stream AND entry.step = record.step
            WHERE record.outcome = 'cancelled' AND (record.step > stream.settled_step
                OR entry.origin <> \(StoredOrigin.provisional.rawValue))
            UNION ALL
            SELECT stream.name, run.step, 'the effect ' || run.ordinal || ' belongs to no entry'
            FROM effect_run AS run JOIN stream ON stream.id = run.stream
            LEFT JOIN entry ON entry.stream = run.stream AND entry.step = run.step
            WHERE entry.step IS NULL AND run.step > 0
                AND NOT (run.step <= stream.pruned_step
                    AND (run.described IS NOT NULL OR \(EffectRun.Status.isFinal("run.status"))))
            UNION ALL
            SELECT stream.name, remembered.step, 'a remembered step belongs to no effect'
            FROM effect_step AS remembered JOIN stream ON stream.id = remembered.stream
            LEFT JOIN effect_run AS run
                ON run.stream = remembered.stream AND run.step = remembered.step AND run.ordinal = remembered.ordinal
            WHERE run.step IS NULL
            UNION ALL
            SELECT stream.name, attempt.step, 'an attempt belongs to no effect'
            FROM effect_attempt AS attempt JOIN stream ON stream.id = attempt.stream
            LEFT JOIN effect_run AS run
                ON run.stream = attempt.stream AND run.step = attempt.step AND run.ordinal = attempt.ordinal
            WHERE run.step IS NULL OR attempt.attempt > run.attempts
            UNION ALL
            SELECT stream.name, snapshot.step, 'the snapshot is of a step that the stream has not reached'
            FROM snapshot JOIN stream ON stream.id = snapshot.stream WHERE snapshot.step > stream.head_step
            UNION ALL
            SELECT stream.name, entry.step, 'the entry is after the end of its stream'
            FROM entry JOIN stream ON stream.id = entry.stream WHERE entry.step > stream.head_step
            UNION ALL
            SELECT stream.name, run.step, 'the effect ' || run.ordinal || ' is ' || run.status || ', but has ended'
            FROM effect_run AS run JOIN stream ON stream.id = run.stream
            WHERE run.ended IS NOT NULL
                AND \(EffectRun.Status.isLive("run.status"))
            UNION ALL
            SELECT stream.name, run.step, 'the queue of the effect ' || run.ordinal || ' is not recorded'
            FROM effect_run AS run JOIN stream ON stream.id = run.stream
            LEFT JOIN effect_queue AS queue ON queue.stream = run.stream AND queue.key = run.queue
            WHERE queue.key IS NULL AND run.queue IS NOT NULL AND run.described IS NOT NULL
                AND \(EffectRun.Status.isLive("run.status"))
            UNION ALL
            SELECT stream.name, skipped.step, 'the step is recorded as skipped, but no intervention skipped it'
            FROM (
                SELECT stream, step FROM step_record WHERE outcome = 'skipped'
                EXCEPT SELECT stream, step FROM intervention WHERE act = 'skip' AND ordinal IS NULL
            ) AS skipped JOIN stream ON stream.id = skipped.stream
            UNION ALL
            SELECT stream.name, record.step, 'its outcome is recorded, but the step is not settled'
            FROM step_record AS record JOIN stream ON stream.id = record.stream
            WHERE record.step > stream.settled_step AND record.outcome <> 'skipped'
            UNION ALL
            SELECT name, settled_step, 'more steps are settled than the stream has' FROM stream
            WHERE settled_step > head_step
            LIMIT \(limit)
            """
        ).all { VerificationReport.Problem(stream: $0.text(0), step: Int($0.integer(1)), message: $0.text(2)) }
    }

    /// How many more positions than steps there are, as recorded and as found; nil if the journal had no writer.
    ///
    /// Each step was given the next position, so the two differ if a whole stream is missing, or is older than the
    /// rest.
    func surplus() throws(DatabaseError) -> (recorded: Int64, found: Int64)? {
        try connection.prepare(
            """
            SELECT surplus, coalesce((SELECT max(position) FROM entry), 0) - CAST(total(head_step) AS INTEGER)
            FROM writer LEFT JOIN stream GROUP BY writer.id
            """
        ).first { ($0.integer(0), $0.integer(1)) }
    }

    /// The digests that the snapshots of a stream store.
    struct SnapshotDigests: Sendable {
        var byStep: [Int: Digest] = [:]
        /// The steps of the snapshots that are bases.
        var bases: Set<Int> = []
    }

    func snapshotDigests(of stream: StreamID) throws(DatabaseError) -> SnapshotDigests {
        var digests = SnapshotDigests()
        try statement(.snapshotDigests, stream).forEach { row throws(DatabaseError) in
            // A row that cannot be read is one of the damaged rows.
            guard let step = try? row.step(0), let digest = try? row.digest(1) else { return }
            digests.byStep[step] = digest
            if row.integer(2) != 0 { digests.bases.insert(step) }
        }
        return digests
    }

    /// Deletes a snapshot unless it is a base.
    ///
    /// - Returns: whether it was there.
    func deleteCache(of stream: String, at step: Int) throws(DatabaseError) -> Bool {
        try connection.run(
            "DELETE FROM snapshot WHERE stream = (SELECT id FROM stream WHERE name = ?) AND step = ? AND NOT is_base",
            stream, step)
        return connection.rowsChanged > 0
    }

    /// The links of the digest chain, in the order of the steps.
    func links(
        of stream: StreamID, from step: Int, upTo last: Int, limit: Int
    ) throws(DatabaseError) -> [ChainCheck.Link] {
        try statement(.links, stream, step, last, limit).all(ChainCheck.Link.init)
    }

    /// Reads every row of the tables that have row digests, by the functions that every reader uses, and says what is
    /// wrong with it.
    func damagedRows() throws(DatabaseError) -> [VerificationReport.Problem] {
        var found = VerificationReport()
        for table in DigestedTable.allCases where !found.isFull {
            try addDamagedRows(connection.prepare(table.select), of: table, to: &found)
        }
        return found.problems
    }

    /// The first damaged row of the records that pruning removes with the entries of some steps.
    func damagedRecord(
        of stream: StreamID, in steps: ClosedRange<Int>
    ) throws(DatabaseError) -> VerificationReport.Problem? {
        var found = VerificationReport()
        for table in DigestedTable.prunedRecords where found.problems.isEmpty {
            let rows = try connection.prepare(
                "\(table.select) WHERE stream = ? AND step BETWEEN ? AND ?", stream, steps.lowerBound, steps.upperBound)
            try addDamagedRows(rows, of: table, to: &found)
        }
        return found.problems.first
    }

    private func addDamagedRows(
        _ rows: Statement, of table: DigestedTable, to found: inout VerificationReport
    ) throws(DatabaseError) {
        try rows.forEachUntil { row throws(DatabaseError) in
            do throws(DatabaseError) {
                try table.read(row)
            } catch {
                found.add(try problem(error, in: row, of: table))
            }
            return found.isFull
        }
    }

    private func problem(
        _ error: DatabaseError, in row: Row, of table: DigestedTable
    ) throws(DatabaseError) -> VerificationReport.Problem {
        func integer(_ name: String) -> Int64? {
            table.columns.firstIndex(of: name).map { row.integer(Int32($0)) }
        }
        let stream = table == .stream ? integer("id") : integer("stream")
        return VerificationReport.Problem(
            stream: try stream.flatMap { id throws(DatabaseError) in try recordedNameOfStream(id) },
            step: table == .stream ? nil : integer("step").map { Int($0) },
            message: "in the table \(table.rawValue): \(error.message)",
            isOfCache: table == .snapshot ? try isCache(row) : false, isOfOpenings: table == .opening)
    }

    /// Whether a damaged snapshot can be computed again. A base cannot, and neither can one after which entries begin
    /// that pruning kept: their chain continues from its digest.
    private func isCache(_ snapshot: Row) throws(DatabaseError) -> Bool {
        // The check is 2 if it was a base.
        guard snapshot.integer(4) == 0, snapshot.integer(8) != 2 else { return false }
        let entryAfterGap = try connection.prepare(
            """
            SELECT step FROM entry WHERE stream = ?1 AND step = ?2 + 1
                AND ?2 > 0 AND NOT EXISTS (SELECT 1 FROM entry WHERE stream = ?1 AND step = ?2)
            """, snapshot.integer(0), snapshot.integer(1)
        ).first { $0.integer(0) }
        return entryAfterGap == nil
    }

    /// The streams whose records are not those that were written: one is missing, or was added.
    ///
    /// - Parameter only: the only stream to look at; nil for all.
    func incompleteStreams(only: StreamID? = nil) throws(DatabaseError) -> [String] {
        var found: [String] = []
        // Row by row: a journal can have more streams than fit into memory.
        try connection.prepare(
            "SELECT id, name, records_digest, live_digest FROM stream WHERE ?1 IS NULL OR id = ?1 ORDER BY id", only
        ).forEach { row throws(DatabaseError) in
            let id = StreamID(rawValue: row.integer(0))
            let recorded = RecordsDigest(all: try row.digest(2), live: try row.digest(3))
            let (all, live) = (try records(of: id), try liveRecords(of: id).digest)
            let isComplete = all == recorded && live == recorded.live
            if !isComplete, found.count < VerificationReport.limit { found.append(row.text(1)) }
        }
        return found
    }
}

extension DigestedTable {
    /// Reads a row that ``select`` returned.
    fileprivate func read(_ row: Row) throws(DatabaseError) {
        switch self {
        case .migration: _ = try Migrator.Applied(row)
        case .writer: _ = try JournalDatabase.WriterRow(row)
        case .opening: _ = try JournalOpening(row)
        case .stream: _ = try StreamInfo(row)
        case .seed: _ = try LaterSeed(row)
        case .snapshot: _ = try Snapshot(row)
        case .intervention: _ = try Intervention(row)
        case .stepRecord: _ = try StepRecord(row)
        case .dispatchID: _ = try JournalDatabase.FirstDispatch(row)
        case .run: _ = try EffectRun(row)
        case .attempt: _ = try EffectAttempt(row)
        case .remembered: _ = try RememberedStep(row)
        case .queue: _ = try QueueMemory(row)
        }
    }
}
