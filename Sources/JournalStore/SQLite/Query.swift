/// The statements that are prepared once and kept. One-off statements of opening and upkeep are where they are used.
enum Query: Int, CaseIterable {
    case begin, beginRead, commit, rollback, savepoint, releaseSavepoint, rollbackToSavepoint
    case epoch, userVersion, dataVersion
    case insertStream, openStream, crashLoop, updateCrashLoop, streamByName, streams, seeds, updateHead, updateSettled
    case insertEntry, insertSomeEntries, insertMostEntries
    case entryDigest, entryPosition, entriesForwards, entriesBackwards, entriesAfter, entriesBefore, storedSteps
    case lastPosition, lastStepNotAfter, entriesCausedHere, entriesCausedElsewhere
    case insertDispatchID, dispatchID, entryBySender
    case upsertStep, skippedSteps, stepRecords, upsertRun, insertRemembered, remembered, upsertQueue
    case upsertSnapshot, deleteSnapshot, markBase, snapshotMarks, snapshotAtOrBefore
    case insertIntervention, interventions
    case run, runs, liveRuns, liveRunSteps, liveCancelIDs, queues
    case links

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

        case .insertStream:
            "INSERT INTO stream (name, machine, created, seed, head_digest, writer_epoch) VALUES (?, ?, ?, ?, ?, ?)"
        case .openStream: "UPDATE stream SET writer_epoch = ? WHERE id = ?"
        case .crashLoop: "SELECT crash_loop FROM stream WHERE id = ?"
        case .updateCrashLoop: "UPDATE stream SET crash_loop = ? WHERE id = ?"
        case .streamByName: Query.selectStream + " WHERE name = ?"
        case .streams: Query.selectStream + " WHERE id > ? ORDER BY id LIMIT ?"
        case .seeds: "SELECT stream, step, seed FROM seed WHERE stream BETWEEN ? AND ? ORDER BY stream, step"
        case .updateHead:
            "UPDATE stream SET head_step = ?, head_digest = ?, settled_step = max(settled_step, ?) WHERE id = ?"
        case .updateSettled: "UPDATE stream SET settled_step = ?1, begun = 1 WHERE id = ?2 AND settled_step <= ?1"

        case .insertEntry: Self.insertEntries(1)
        case .insertSomeEntries: Self.insertEntries(EntryRows.some)
        case .insertMostEntries: Self.insertEntries(EntryRows.most)
        case .entryDigest: "SELECT digest FROM entry WHERE stream = ? AND step = ?"
        case .entryPosition: "SELECT position FROM entry WHERE stream = ? AND step = ?"
        case .entriesForwards:
            Query.selectEntry + " WHERE entry.stream = ? AND entry.step >= ? ORDER BY entry.step LIMIT ?"
        case .entriesBackwards:
            Query.selectEntry + " WHERE entry.stream = ? AND entry.step <= ? ORDER BY entry.step DESC LIMIT ?"
        case .entriesAfter: Query.selectEntry + " WHERE entry.position > ? ORDER BY entry.position LIMIT ?"
        case .entriesBefore:
            Query.selectEntry + " WHERE entry.position < ? ORDER BY entry.position DESC LIMIT ?"
        case .storedSteps:
            "SELECT step, time, digest, version, action FROM entry WHERE stream = ? AND step >= ? ORDER BY step LIMIT ?"
        case .lastPosition: "SELECT max(position) FROM entry"

        case .entriesCausedHere:
            Query.selectEntry
                + " WHERE entry.stream = ?1 AND entry.step > ?2 AND entry.cause_step = ?2 AND entry.cause_stream IS NULL"
                + " ORDER BY entry.step LIMIT ?3"
        case .entriesCausedElsewhere:
            Query.selectEntry
                + " WHERE entry.stream IN (SELECT id FROM stream) AND entry.cause_stream = ?1 AND entry.cause_step = ?2"
                + " ORDER BY entry.position LIMIT ?3"
        case .lastStepNotAfter: "SELECT step FROM entry WHERE stream = ? AND time <= ? ORDER BY step DESC LIMIT 1"

        case .insertDispatchID:
            "INSERT INTO dispatch_id (stream, id, step, action_digest) VALUES (?, ?, ?, ?)"
        case .dispatchID: "SELECT step, action_digest FROM dispatch_id WHERE stream = ? AND id = ?"

        case .entryBySender:
            """
            SELECT step, position FROM entry
            WHERE stream = ? AND cause_stream IS NOT NULL AND cause_stream = ? AND cause_step = ? AND cause_run = ?
            """

        case .upsertStep:
            """
            INSERT INTO step_record (stream, step, digest, outcome, reason, cascade, effects)
            VALUES (?1, ?2, (SELECT digest FROM entry WHERE stream = ?1 AND step = ?2), ?3, ?4, ?5, ?6)
            ON CONFLICT (stream, step) DO UPDATE
            SET digest = excluded.digest, outcome = excluded.outcome, reason = excluded.reason,
                cascade = excluded.cascade, effects = excluded.effects
            """
        case .skippedSteps: "SELECT step FROM step_record WHERE stream = ? AND outcome = 'skipped' ORDER BY step"
        case .stepRecords:
            """
            SELECT step, outcome, reason, cascade, effects FROM step_record WHERE stream = ? AND step >= ?
            ORDER BY step LIMIT ?
            """
        case .upsertRun:
            """
            INSERT INTO effect_run
                (stream, step, ordinal, root_step, name, effect_id, queue, cancel_id, status, attempts, restart, retry,
                 priority, delay, not_before, started, ended, error, delivered, described, version, sends, on_restart,
                 on_failure, on_orphan, entry_time, entry_digest, failures)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (stream, step, ordinal) DO UPDATE
            SET status = excluded.status, attempts = excluded.attempts, failures = excluded.failures,
                not_before = excluded.not_before,
                queue = excluded.queue, restart = excluded.restart, retry = excluded.retry,
                started = excluded.started, ended = excluded.ended, error = excluded.error,
                delivered = excluded.delivered, version = excluded.version, on_restart = excluded.on_restart,
                on_failure = excluded.on_failure, on_orphan = excluded.on_orphan
            """
        case .insertRemembered:
            "INSERT INTO effect_step (stream, step, ordinal, path, name, nth, result) VALUES (?, ?, ?, ?, ?, ?, ?)"
        case .remembered:
            """
            SELECT stream, step, ordinal, path, name, nth, result FROM effect_step
            WHERE stream = ? AND step = ? AND ordinal = ? ORDER BY path, name, nth
            """
        case .upsertQueue:
            """
            INSERT INTO effect_queue (stream, key, policy, last_start) VALUES (?, ?, ?, ?)
            ON CONFLICT (stream, key) DO UPDATE SET policy = excluded.policy, last_start = excluded.last_start
            """

        case .upsertSnapshot:
            // A base stays a base: a later snapshot of the same step, a mere cache, does not replace it.
            """
            INSERT INTO snapshot (stream, step, version, time, is_base, digest, state)
            VALUES (?1, ?2, ?3, ?4, ?5,
                coalesce(
                    (SELECT digest FROM entry WHERE stream = ?1 AND step = ?2),
                    (SELECT head_digest FROM stream WHERE id = ?1 AND head_step = ?2)),
                ?6)
            ON CONFLICT (stream, step) DO UPDATE
            SET version = excluded.version, time = excluded.time, is_base = excluded.is_base,
                digest = excluded.digest, state = excluded.state
            WHERE snapshot.is_base <= excluded.is_base
            """
        case .deleteSnapshot: "DELETE FROM snapshot WHERE stream = ? AND step = ?"
        case .markBase: "UPDATE snapshot SET is_base = 1 WHERE stream = ? AND step = ?"
        case .snapshotMarks: "SELECT step, is_base, version FROM snapshot WHERE stream = ? ORDER BY step"
        case .snapshotAtOrBefore:
            """
            SELECT step, version, time, is_base, digest, state FROM snapshot
            WHERE stream = ? AND step <= ? ORDER BY step DESC LIMIT 1
            """

        case .insertIntervention:
            "INSERT INTO intervention (time, stream, step, ordinal, act, before, reason) VALUES (?, ?, ?, ?, ?, ?, ?)"
        case .interventions:
            "SELECT act, step, ordinal, time, before, reason FROM intervention WHERE stream = ? ORDER BY id"
        case .run: Query.selectRun + " WHERE stream = ? AND step = ? AND ordinal = ?"
        case .runs:
            Query.selectRun + " WHERE stream = ?1 AND (step, ordinal) > (?2, ?3) AND (?4 IS NULL OR status = ?4)"
                + " ORDER BY step, ordinal LIMIT ?5"
        case .liveRuns:
            Query.selectRun + " WHERE stream = ?1 AND (step, ordinal) > (?2, ?3) AND " + Query.isLive
                + " ORDER BY step, ordinal LIMIT ?4"
        case .liveRunSteps:
            "SELECT DISTINCT step FROM effect_run WHERE stream = ? AND step > 0 AND described IS NULL AND "
                + Query.isLive
                + " ORDER BY step"

        case .liveCancelIDs:
            """
            SELECT DISTINCT root_step, cancel_id FROM effect_run WHERE stream = ? AND cancel_id IS NOT NULL AND
            """ + " " + Query.isLive
        case .queues: "SELECT key, policy, last_start FROM effect_queue WHERE stream = ?"

        case .links:
            """
            SELECT step, time, origin, cause_stream, cause_step, cause_run, version, action, digest, cancel_id
            FROM entry WHERE stream = ? AND step BETWEEN ? AND ? ORDER BY step LIMIT ?
            """
        }
    }

    private static let selectStream = """
        SELECT id, name, machine, created, head_step, head_digest, settled_step, pruned_step, seed, begun FROM stream
        """

    private static let selectEntry = """
        SELECT entry.position, stream.name, entry.step, entry.time, entry.origin, entry.cause_step, entry.cause_run,
            sender.name, entry.version, entry.action, entry.digest, entry.cancel_id
        FROM entry JOIN stream ON stream.id = entry.stream LEFT JOIN stream AS sender ON sender.id = entry.cause_stream
        """

    private static let selectRun = """
        SELECT stream, step, ordinal, root_step, name, effect_id, queue, status, cancel_id, attempts, restart, retry,
            priority, delay, not_before, started, ended, error, delivered, described, version, sends, on_restart,
            on_failure, on_orphan, entry_time, entry_digest, failures
        FROM effect_run
        """

    // The exact condition of the partial index, so that SQLite uses it: https://www.sqlite.org/partialindex.html
    private static let isLive = "status IN ('waiting', 'delayed', 'running', 'asked', 'parked', 'orphaned')"
}

extension Query {
    private static func insertEntries(_ count: Int) -> String {
        let row = "(\(Array(repeating: "?", count: EntryRows.columns).joined(separator: ", ")))"
        return """
            INSERT INTO entry
                (position, stream, step, time, origin, cause_stream, cause_step, cause_run, version, action,
                 cancel_id, digest)
            VALUES \(Array(repeating: row, count: count).joined(separator: ", "))
            """
    }
}
