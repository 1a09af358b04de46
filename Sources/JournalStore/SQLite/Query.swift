/// The statements that are prepared once and kept. One-off statements of opening and upkeep are where they are used.
enum Query: Int, CaseIterable {
    case begin, beginRead, commit, rollback, savepoint, releaseSavepoint, rollbackToSavepoint
    case epoch, userVersion, dataVersion
    case insertStream, updateCrashLoop, streamByName, streamByID, streams, crashLoops, seeds, updateStream, checkStream
    case lastTransaction
    case insertEntry, insertSomeEntries, insertMostEntries
    case entryDigest, entryPosition, entriesForwards, entriesBackwards, entriesAfter, entriesBefore, storedSteps
    case lastPosition, lastStepNotAfter, firstStepNotBefore, lastPositionNotAfter, firstPositionNotBefore
    case entriesCausedHere, entriesCausedElsewhere
    case insertDispatchID, dispatchID, dispatchIDOfStep, dispatchesByID, entryBySender, entryTime
    case upsertStep, skippedSteps, cancelledSteps, firstOutcome, firstUndecided, undecidedOfRun, stepRecord,
        stepRecords, upsertRun, upsertAttempt, oldAttempt, attempts, superfluousAttempts, deleteAttempts,
        insertRemembered, remembered, rememberedUses, rememberedDigests, upsertQueue, deleteQueue
    case oldStepRecord, oldRun, oldQueue
    case upsertSnapshot, oldBase, digestForSnapshot, deleteSnapshot, markBase, snapshotMarks, snapshotAtOrBefore,
        snapshotDigests, snapshotDigest
    case insertIntervention, interventions, newestIntervention, interventionList, interventionListOfStream
    case nameOfStream, snapshotList, runList, liveRunList, failedRunList, laterRun, stepRecordsAt
    case run, runs, failedRuns, runsOfStep, brokenRunsOfStep, liveRuns, liveRunSteps, liveRunOfSteps, records,
        liveRecords, queue, queues,
        missingQueues
    case links, actionBytes
    case deleteSeed, insertSeed, finishCopy, deleteUnstartedAttempts, deleteUnstartedRemembered

    var sql: String {
        switch self {
        // A DEFERRED transaction that becomes a write later fails at once, whatever the timeout.
        // https://www.sqlite.org/lang_transaction.html
        case .begin: "BEGIN IMMEDIATE"
        case .beginRead: "BEGIN"
        case .commit: "COMMIT"
        case .rollback: "ROLLBACK"
        case .savepoint: "SAVEPOINT batch"
        case .releaseSavepoint: "RELEASE batch"
        case .rollbackToSavepoint: "ROLLBACK TO batch"

        case .epoch: "SELECT epoch FROM writer WHERE id = 1"
        case .userVersion: "PRAGMA user_version"
        case .dataVersion: "PRAGMA data_version"

        case .insertStream: DigestedTable.stream.insert
        case .updateCrashLoop: DigestedTable.stream.updateSound(["crash_loop": "?1"], where: "id = ?2")
        case .streamByName: DigestedTable.stream.select + " WHERE name = ?"
        case .streamByID: DigestedTable.stream.select + " WHERE id = ?"
        case .streams: DigestedTable.stream.select + " WHERE id > ? ORDER BY id LIMIT ?"
        // No index: few streams have one, and only for moments.
        case .crashLoops: DigestedTable.stream.select + " WHERE crash_loop IS NOT NULL ORDER BY id"
        case .seeds:
            DigestedTable.seed.select + " WHERE stream BETWEEN ? AND ? ORDER BY stream, step"
        case .updateStream:
            DigestedTable.stream.update(
                [
                    "head_step": "?1", "head_digest": "?2", "settled_step": "?3", "begun": "?4",
                    "last_transaction": "?5", "records_digest": "?6", "live_digest": "?7",
                ],
                where: "id = ?8")
        case .checkStream:
            """
            SELECT id FROM stream WHERE id = ?1 AND name = ?2 AND machine = ?3 AND created = ?4 AND seed = ?5
                AND pruned_step = ?6 AND crash_loop IS ?7 AND settled_step = ?8 AND begun <= ?9
            """
        case .lastTransaction: "SELECT last_transaction, \(DigestedTable.stream.check) FROM stream WHERE id = ?"

        case .insertEntry: Self.insertEntries(1)
        case .insertSomeEntries: Self.insertEntries(EntryRows.some)
        case .insertMostEntries: Self.insertEntries(EntryRows.most)
        case .entryDigest: "SELECT digest FROM entry WHERE stream = ? AND step = ?"
        case .entryTime: "SELECT time FROM entry WHERE stream = ? AND step = ?"
        case .entryPosition: "SELECT position FROM entry WHERE stream = ? AND step = ?"
        case .entriesForwards:
            Query.selectEntry + " WHERE entry.stream = ? AND entry.step >= ? ORDER BY entry.step LIMIT ?"
        case .entriesBackwards:
            Query.selectEntry + " WHERE entry.stream = ? AND entry.step <= ? ORDER BY entry.step DESC LIMIT ?"
        case .entriesAfter: Query.selectEntry + " WHERE entry.position > ? ORDER BY entry.position LIMIT ?"
        case .entriesBefore:
            Query.selectEntry + " WHERE entry.position < ? ORDER BY entry.position DESC LIMIT ?"
        case .storedSteps:
            """
            SELECT step, time, digest, version, action, origin, cause_stream, cause_step, cause_run, cancel_id, position
            FROM entry
            WHERE stream = ? AND step >= ? ORDER BY step LIMIT ?
            """
        case .lastPosition: "SELECT max(position) FROM entry"

        case .entriesCausedHere:
            Query.selectEntry
                + " WHERE entry.stream = ?1 AND entry.step > ?2 AND entry.cause_step = ?2"
                + " AND entry.cause_stream IS NULL ORDER BY entry.step LIMIT ?3"
        case .entriesCausedElsewhere:
            Query.selectEntry
                + " WHERE entry.stream IN (SELECT id FROM stream) AND entry.cause_stream = ?1 AND entry.cause_step = ?2"
                + " ORDER BY entry.position LIMIT ?3"
        case .lastStepNotAfter: "SELECT step FROM entry WHERE stream = ? AND time <= ? ORDER BY step DESC LIMIT 1"
        case .firstStepNotBefore:
            "SELECT step FROM entry WHERE stream = ? AND step BETWEEN ? AND ? AND time >= ? ORDER BY step LIMIT 1"
        // No index: it would slow down each commit, and to read the times takes a fraction of reading the entries.
        case .lastPositionNotAfter:
            "SELECT position FROM entry WHERE position BETWEEN ? AND ? AND time <= ? ORDER BY position DESC LIMIT 1"
        case .firstPositionNotBefore:
            "SELECT position FROM entry WHERE position BETWEEN ? AND ? AND time >= ? ORDER BY position LIMIT 1"

        case .insertDispatchID:
            DigestedTable.dispatchID.insert
        case .dispatchID:
            DigestedTable.dispatchID.select + " WHERE stream = ? AND id = ?"
        case .dispatchIDOfStep:
            // Without the name SQLite searches the primary key, and reads all dispatch IDs of the stream.
            DigestedTable.dispatchID.select(from: "dispatch_id INDEXED BY dispatch_id_by_step")
                + " WHERE stream = ? AND step = ?"
        case .dispatchesByID:
            // The key begins with the stream: one search in each stream.
            DigestedTable.dispatchID.select
                + " WHERE stream IN (SELECT stream.id FROM stream) AND id = ? ORDER BY stream"

        case .entryBySender:
            """
            SELECT step, position FROM entry
            WHERE stream = ? AND cause_stream IS NOT NULL AND cause_stream = ? AND cause_step = ? AND cause_run = ?
            """

        case .upsertStep: DigestedTable.stepRecord.upsert(key: ["stream", "step"])
        case .oldStepRecord: Query.digest(.stepRecord, "stream = ? AND step = ?")
        case .skippedSteps:
            """
            SELECT step, \(DigestedTable.stepRecord.check) FROM step_record INDEXED BY step_skipped
            WHERE stream = ? AND outcome = 'skipped'
            ORDER BY step
            """
        case .cancelledSteps:
            """
            SELECT step, \(DigestedTable.stepRecord.check) FROM step_record INDEXED BY step_cancelled
            WHERE stream = ? AND step BETWEEN ? AND ? AND outcome = 'cancelled'
            """
        case .firstOutcome:
            "SELECT step FROM step_record WHERE stream = ? AND step > ? AND outcome <> 'skipped' ORDER BY step LIMIT 1"
        case .firstUndecided: Query.selectUndecided + " ORDER BY step LIMIT 1"
        case .undecidedOfRun: Query.selectUndecided + " AND cause_step = ? AND cause_run = ? LIMIT 1"
        case .stepRecord: DigestedTable.stepRecord.select + " WHERE stream = ? AND step = ?"
        case .stepRecords:
            DigestedTable.stepRecord.select + " WHERE stream = ? AND step BETWEEN ? AND ? ORDER BY step LIMIT ?"
        case .upsertRun: DigestedTable.run.upsert(key: ["stream", "step", "ordinal"])
        case .oldRun: Query.digest(.run, "stream = ? AND step = ? AND ordinal = ?")
        case .upsertAttempt: DigestedTable.attempt.upsert(key: ["stream", "step", "ordinal", "attempt"])
        case .oldAttempt:
            Query.digest(.attempt, "stream = ? AND step = ? AND ordinal = ? AND attempt = ?")
        case .attempts:
            DigestedTable.attempt.select
                + " WHERE stream = ? AND step = ? AND ordinal = ? AND attempt >= ? ORDER BY attempt"
        case .superfluousAttempts: Query.digest(.attempt, Query.attemptsOfRun)
        case .deleteAttempts: "DELETE FROM \(DigestedTable.attempt.rawValue) WHERE \(Query.attemptsOfRun)"
        case .insertRemembered: DigestedTable.remembered.insert
        case .remembered:
            DigestedTable.remembered.select
                + " WHERE stream = ? AND step = ? AND ordinal = ? ORDER BY path, name, nth"
        case .rememberedUses:
            DigestedTable.remembered.select
                + " WHERE stream = ? AND step = ? AND ordinal = ? AND path = ? AND name = ? AND nth >= ? ORDER BY nth"
        case .rememberedDigests:
            "SELECT row_digest, TRUE FROM effect_step WHERE stream = ? AND step = ? AND ordinal = ?"
        case .upsertQueue: DigestedTable.queue.upsert(key: ["stream", "key"])
        case .oldQueue: Query.digest(.queue, "stream = ? AND key = ?")
        case .deleteQueue: "DELETE FROM \(DigestedTable.queue.rawValue) WHERE stream = ? AND key = ?"

        case .digestForSnapshot:
            """
            SELECT coalesce(
                (SELECT digest FROM entry WHERE stream = ?1 AND step = ?2),
                (SELECT head_digest FROM stream WHERE id = ?1 AND head_step = ?2),
                (SELECT digest FROM snapshot WHERE stream = ?1 AND step = ?2))
            """
        case .upsertSnapshot:
            // A base stays a base: a later snapshot of the same step, a mere cache, does not replace it.
            DigestedTable.snapshot.insert([("state", "?9")]) + """
                 ON CONFLICT (stream, step) DO UPDATE
                SET version = excluded.version, time = excluded.time, is_base = excluded.is_base,
                    digest = excluded.digest, state = excluded.state, state_digest = excluded.state_digest,
                    state_bytes = excluded.state_bytes,
                    row_digest = excluded.row_digest
                WHERE snapshot.is_base <= excluded.is_base
                """
        case .oldBase: Query.digest(.snapshot, "stream = ? AND step = ? AND is_base")
        case .deleteSnapshot: "DELETE FROM snapshot WHERE stream = ? AND step = ?"
        case .markBase: DigestedTable.snapshot.update(["is_base": "1"], where: "stream = ? AND step = ?")
        case .snapshotMarks:
            """
            SELECT step, is_base, version, state_bytes, \(DigestedTable.snapshot.check) FROM snapshot
            WHERE stream = ? AND step BETWEEN ? AND ? ORDER BY step DESC LIMIT ?
            """
        case .snapshotDigests: "SELECT step, digest, is_base FROM snapshot WHERE stream = ?"
        case .snapshotDigest: "SELECT digest FROM snapshot WHERE stream = ? AND step = ?"
        case .snapshotAtOrBefore:
            DigestedTable.snapshot.select + " WHERE stream = ? AND step <= ? ORDER BY step DESC LIMIT 1"

        case .insertIntervention:
            DigestedTable.intervention.insert
        case .interventions:
            DigestedTable.intervention.select
                + " WHERE stream = ?1 AND (?2 IS NULL OR step BETWEEN ?2 AND ?3) ORDER BY id"
        case .newestIntervention:
            DigestedTable.intervention.select
                + " WHERE stream = ? AND step = ? AND ordinal = ? AND act = ? ORDER BY id DESC LIMIT 1"
        case .interventionList:
            DigestedTable.intervention.select + " WHERE id > ? ORDER BY id LIMIT ?"
        case .interventionListOfStream:
            DigestedTable.intervention.select + " WHERE stream = ? AND id > ? ORDER BY id LIMIT ?"
        case .run: DigestedTable.run.select + " WHERE stream = ? AND step = ? AND ordinal = ?"
        case .nameOfStream: "SELECT name, \(DigestedTable.stream.check) FROM stream WHERE id = ?"
        case .snapshotList:
            """
            SELECT stream, step, is_base, version, state_bytes, \(DigestedTable.snapshot.check), time FROM snapshot
            WHERE (stream, step) > (?, ?) AND stream <= ? ORDER BY stream, step LIMIT ?
            """
        case .runList:
            DigestedTable.run.select + " WHERE " + Query.isListed + " ORDER BY stream, step, ordinal LIMIT ?9"
        case .stepRecordsAt:
            DigestedTable.stepRecord.select
                + " WHERE (stream, step) IN (SELECT stream, step FROM entry WHERE position BETWEEN ? AND ?)"
        case .liveRunList:
            DigestedTable.selectLiveRuns + " WHERE " + Query.isListed + " AND " + Query.isLive
                + " ORDER BY stream, step, ordinal LIMIT ?9"
        case .failedRunList:
            Query.selectFailedRuns + " AND " + Query.isListed + " ORDER BY stream, step, ordinal LIMIT ?9"
        case .laterRun:
            """
            SELECT stream, step, ordinal FROM effect_run
            WHERE (stream, step, ordinal) > (?, ?, ?) AND stream <= ?
            ORDER BY stream, step, ordinal LIMIT 1 OFFSET ?
            """
        case .runs: Query.runs(DigestedTable.run.select + " WHERE TRUE")
        case .failedRuns: Query.runs(Query.selectFailedRuns)
        case .runsOfStep: DigestedTable.run.select + " WHERE stream = ? AND step = ? ORDER BY ordinal LIMIT ?"
        case .brokenRunsOfStep:
            DigestedTable.run.select + " WHERE stream = ? AND step = ? AND \(EffectRun.Status.isBroken("status"))"
        case .records:
            DigestedTable.records.map { table in
                Query.digest(table, "stream = ?1 AND \(table.recordCondition)")
            }.joined(separator: " UNION ALL ")
        case .liveRecords:
            DigestedTable.records.flatMap { table in
                let row = table.rawValue
                return table.restored.map {
                    """
                    SELECT \(row).row_digest, \(table != .snapshot) FROM \($0.source)
                    WHERE \(row).stream = ?1 AND \($0.condition)
                    """
                }
            }.joined(separator: " UNION ALL ")
        case .liveRuns:
            Query.runs(DigestedTable.selectLiveRuns + " WHERE " + Query.isLive)
        case .liveRunSteps:
            """
            SELECT step, \(DigestedTable.run.check) FROM \(DigestedTable.liveRuns)
            WHERE stream = ? AND step > 0 AND described IS NULL AND \(Query.isLive) ORDER BY step
            """
        case .liveRunOfSteps:
            """
            SELECT \(DigestedTable.run.check) FROM \(DigestedTable.liveRuns)
            WHERE stream = ? AND step >= ? AND step <= ? AND described IS NULL AND \(Query.isLive) ORDER BY step LIMIT 1
            """

        case .queue:
            DigestedTable.queue.select + " WHERE stream = ? AND key = ?"
        case .queues:
            DigestedTable.queue.select + " WHERE stream = ? ORDER BY key"
        case .missingQueues:
            """
            SELECT DISTINCT run.queue FROM effect_run AS run INDEXED BY effect_run_open
            WHERE run.stream = ?1 AND \(EffectRun.Status.isLive("run.status"))
                AND run.described IS NOT NULL AND run.queue IS NOT NULL AND NOT EXISTS (
                    SELECT 1 FROM effect_queue WHERE effect_queue.stream = ?1 AND effect_queue.key = run.queue)
            ORDER BY run.queue
            """

        case .deleteSeed: "DELETE FROM seed WHERE stream = ? AND step = ?"
        case .insertSeed: DigestedTable.seed.insert
        case .finishCopy:
            DigestedTable.stream.update(
                [
                    "head_step": "?1", "head_digest": "?2", "settled_step": "min(settled_step, ?1)",
                    "crash_loop": "NULL", "last_transaction": "0", "records_digest": "?3", "live_digest": "?4",
                ], where: "id = ?5")
        case .deleteUnstartedAttempts: Query.deleteUnstarted(.attempt)
        case .deleteUnstartedRemembered: Query.deleteUnstarted(.remembered)

        case .actionBytes:
            "SELECT coalesce(sum(length(CAST(action AS BLOB))), 0) FROM entry WHERE stream = ? AND step BETWEEN ? AND ?"
        case .links:
            """
            SELECT step, time, origin, cause_stream, cause_step, cause_run, version, action, digest, cancel_id, position
            FROM entry WHERE stream = ? AND step BETWEEN ? AND ? ORDER BY step LIMIT ?
            """
        }
    }

    private static let selectEntry = """
        SELECT entry.position, stream.name, entry.step, entry.time, entry.origin, entry.cause_stream, entry.cause_step,
            entry.cause_run, sender.name, entry.version, entry.action, entry.digest, entry.cancel_id
        FROM entry JOIN stream ON stream.id = entry.stream LEFT JOIN stream AS sender ON sender.id = entry.cause_stream
        """

    /// The actions after a step that count only if their effects are still live when their turn comes.
    private static let selectUndecided = """
        SELECT step FROM entry INDEXED BY entry_provisional
        WHERE stream = ? AND step > ? AND origin = \(StoredOrigin.provisional.rawValue)
        """

    /// The digests of rows, and whether an opening would restore them.
    private static func digest(_ table: DigestedTable, _ condition: String) -> String {
        "SELECT row_digest, \(table.restoredCondition) FROM \(table.rawValue) WHERE \(condition)"
    }

    /// Deletes the rows of a stream's runs that have not started.
    private static func deleteUnstarted(_ table: DigestedTable) -> String {
        let row = table.rawValue
        return """
            DELETE FROM \(row) WHERE stream = ? AND EXISTS (
                SELECT 1 FROM effect_run AS run WHERE run.stream = \(row).stream AND run.step = \(row).step
                    AND run.ordinal = \(row).ordinal AND run.attempts = 0)
            """
    }

    private static let attemptsOfRun = "stream = ? AND step = ? AND ordinal = ? AND attempt BETWEEN ? AND ?"

    /// The statuses and the names are arrays of JSON, or null for all.
    private static let isListed = """
        (stream, step, ordinal) > (?1, ?2, ?3) AND (stream, step, ordinal) <= (?4, ?5, ?6)
            AND (?7 IS NULL OR status IN (SELECT value FROM json_each(?7)))
            AND (?8 IS NULL OR name IN (SELECT value FROM json_each(?8)))
        """

    // The exact condition of the partial index, so that SQLite uses it: https://www.sqlite.org/partialindex.html
    private static let isLive = DigestedTable.run.restoredCondition

    private static let selectFailedRuns =
        DigestedTable.run.select(from: DigestedTable.failedRuns) + " WHERE status = 'failed'"

    /// A page of the runs of one stream, of all statuses or of one.
    private static func runs(_ select: String) -> String {
        "\(select) AND stream = ?1 AND (step, ordinal) > (?2, ?3) AND (?4 IS NULL OR status = ?4) "
            + "ORDER BY step, ordinal LIMIT ?5"
    }
}

extension Query {
    private static func insertEntries(_ count: Int) -> String {
        let row = "(\(Array(repeating: "?", count: EntryRows.columns).joined(separator: ", ")))"
        return """
            INSERT INTO entry
                (position, stream, step, time, origin, cause_stream, cause_step, cause_run, version, digest, action,
                 cancel_id)
            VALUES \(Array(repeating: row, count: count).joined(separator: ", "))
            """
    }
}
