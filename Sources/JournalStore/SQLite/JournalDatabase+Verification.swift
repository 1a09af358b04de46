/// The queries of the verification.
extension JournalDatabase {
    /// SQLite's own check of pages, indexes and types. https://www.sqlite.org/pragma.html#pragma_integrity_check
    func integrityProblems() throws(DatabaseError) -> [String] {
        var found: [String] = []
        do throws(DatabaseError) {
            try connection.prepare("PRAGMA integrity_check(\(VerificationReport.limit))").forEach {
                found.append($0.text(0))
            }
        } catch {
            // The damage can stop the check itself; the problems found until then show where it is.
            guard error.isTornFile else { throw error }
            found.append(error.message)
        }
        return found.filter { $0 != "ok" }
    }

    /// Broken references between the tables. Foreign keys are declared, and checked here but not at each write: the
    /// writer knows its streams. https://www.sqlite.org/pragma.html#pragma_foreign_key_check
    func looseReferences() throws(DatabaseError) -> [String] {
        try connection.prepare("PRAGMA foreign_key_check").all { row in
            "a row of \(row.text(0)) refers to a row of \(row.text(2)) that does not exist"
        }
    }

    struct LooseRecord {
        var stream: String
        var step: Int
        var message: String
    }

    /// Records that do not fit the entries, the heads or each other.
    func looseRecords() throws(DatabaseError) -> [LooseRecord] {
        let limit = VerificationReport.limit
        return try connection.prepare(
            """
            SELECT stream.name, record.step, 'the record of its outcome belongs to no entry, or to another one'
            FROM step_record AS record JOIN stream ON stream.id = record.stream
            LEFT JOIN entry ON entry.stream = record.stream AND entry.step = record.step
            WHERE entry.digest IS NOT record.digest
            UNION ALL
            SELECT stream.name, run.step, 'the effect ' || run.ordinal || ' belongs to no entry'
            FROM effect_run AS run JOIN stream ON stream.id = run.stream
            LEFT JOIN entry ON entry.stream = run.stream AND entry.step = run.step
            WHERE entry.step IS NULL AND run.step > 0 AND NOT (run.described IS NOT NULL AND run.step <= stream.pruned_step)
            UNION ALL
            SELECT stream.name, remembered.step, 'a remembered step belongs to no effect'
            FROM effect_step AS remembered JOIN stream ON stream.id = remembered.stream
            LEFT JOIN effect_run AS run
                ON run.stream = remembered.stream AND run.step = remembered.step AND run.ordinal = remembered.ordinal
            WHERE run.step IS NULL
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
                AND run.status IN ('waiting', 'delayed', 'running', 'asked', 'parked', 'orphaned')
            UNION ALL
            SELECT stream.name, run.step, 'the queue of the effect ' || run.ordinal || ' is not recorded'
            FROM effect_run AS run JOIN stream ON stream.id = run.stream
            LEFT JOIN effect_queue AS queue ON queue.stream = run.stream AND queue.key = run.queue
            WHERE queue.key IS NULL AND run.queue IS NOT NULL AND run.described IS NOT NULL
                AND run.status IN ('waiting', 'delayed', 'running', 'asked', 'parked', 'orphaned')
            UNION ALL
            SELECT stream.name, record.step, 'the step is recorded as skipped, but no intervention skipped it'
            FROM step_record AS record JOIN stream ON stream.id = record.stream
            LEFT JOIN intervention AS act
                ON act.stream = record.stream AND act.step = record.step AND act.act = 'skip' AND act.ordinal IS NULL
            WHERE record.outcome = 'skipped' AND act.id IS NULL
            UNION ALL
            SELECT stream.name, record.step, 'its outcome is recorded, but the step is not settled'
            FROM step_record AS record JOIN stream ON stream.id = record.stream
            WHERE record.step > stream.settled_step AND record.outcome <> 'skipped'
            UNION ALL
            SELECT name, settled_step, 'more steps are settled than the stream has' FROM stream
            WHERE settled_step > head_step
            LIMIT \(limit)
            """
        ).all { LooseRecord(stream: $0.text(0), step: Int($0.integer(1)), message: $0.text(2)) }
    }

    func snapshotDigests(of stream: StreamID) throws(DatabaseError) -> [Int: Digest] {
        var digests: [Int: Digest] = [:]
        try connection.prepare("SELECT step, digest FROM snapshot WHERE stream = ?", stream).forEach {
            row throws(DatabaseError) in digests[Int(row.integer(0))] = try row.digest(1)
        }
        return digests
    }

    /// The links of the digest chain, in the order of the steps.
    func links(of stream: StreamID, from step: Int, upTo last: Int, limit: Int) throws(DatabaseError) -> [ChainCheck
        .Link]
    {
        return try statement(.links, stream, step, last, limit).all { row throws(DatabaseError) in
            let step = Int(row.integer(0))
            guard let origin = Origin(rawValue: Int(row.integer(2))) else {
                throw .damagedRow("step \(step) has an unknown origin")
            }
            let digest: Digest
            do throws(DatabaseError) {
                digest = try row.digest(8)
            } catch {
                throw .damagedRow("step \(step) has \(error.message)")
            }
            let cause = row.optionalInteger(4).map { step in
                Cause(
                    stream: row.optionalInteger(3).map { StreamID(rawValue: $0) }, step: Int(step),
                    run: row.optionalInteger(5).map { Int($0) })
            }
            let entry = NewEntry(
                stream: stream, action: row.text(7), version: Int(row.integer(6)), origin: origin, cause: cause,
                cancelID: row.optionalText(9))
            return ChainCheck.Link(
                step: step, time: Timestamp(microseconds: row.integer(1)), body: entry.body,
                digest: digest)
        }
    }
}
