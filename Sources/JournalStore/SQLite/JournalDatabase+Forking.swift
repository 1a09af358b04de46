/// Turns a copy into another journal. Called on a draft, which is deleted if anything fails.
extension JournalDatabase {
    static func openDraft(_ path: String) throws(DatabaseError) -> JournalDatabase {
        JournalDatabase(try Connection(path: path, access: .draft))
    }

    /// Makes the whole copy a journal of its own: live runs become asked unless they are cancelled, and later steps draw
    /// from a new seed.
    func detach() throws(DatabaseError) {
        try connection.transaction { () throws(DatabaseError) in
            try checkIsComplete()
            var last: StreamID?
            while let page = try nonEmpty(streams(after: last, limit: 1_000)) {
                for stream in page {
                    try changeRuns(
                        of: stream.id,
                        { after, limit throws(DatabaseError) in
                            try liveRuns(in: stream.id, after: after, limit: limit)
                        }
                    ) { $0.detached }
                    try renewSeed(of: stream.id, after: stream.headStep)
                    try finish(stream.id, head: stream.headStep, digest: stream.headDigest)
                }
                last = page.last?.id
            }
            try becomeAnotherJournal(surplus: try writer()?.surplus ?? 0)
        }
    }

    /// Keeps one stream up to a step that it has, and deletes the rest.
    ///
    /// - Returns: an effect that cannot go on in the fork, because its entry was pruned; nil if there is none.
    func fork(_ stream: StreamInfo, at step: Int) throws(DatabaseError) -> EffectRun? {
        try connection.transaction { () throws(DatabaseError) -> EffectRun? in
            try checkIsComplete(stream)
            let digest = try digest(of: stream, at: step)
            let point = ForkPoint(next: try timeOfEntry(of: stream.id, at: step + 1) ?? ForkPoint.never)
            let said = try said(in: stream, behind: step, point.next)
            let retries = try retries(in: stream.id, from: point.next)
            let attempts = try laterAttempts(in: stream.id, upTo: step, from: point.next)
            let cancelled = try cancelledByOperators(in: stream.id, before: point.next)
            try removeOthers(than: stream.id, behind: step)
            try changeRuns(
                of: stream.id,
                { after, limit throws(DatabaseError) in
                    try runs(of: stream.id, status: nil, after: after, limit: limit)
                }
            ) { run in
                point.run(
                    run, said: said[run.key] ?? ForkPoint.Said(), retry: retries[run.key],
                    attempts: attempts[run.key] ?? [], isCancelled: cancelled.contains(run.key))
            }
            // Runs that are live again can have queues that the original has forgotten.
            _ = try rememberQueues(of: stream.id)
            try forgetAttempts(in: stream.id, from: point.next)
            try forgetActs(in: stream.id, from: point.next)
            try leaveStubs(besides: stream)

            try renewSeed(of: stream.id, after: step)
            try finish(stream.id, head: step, digest: digest)
            try becomeAnotherJournal(surplus: Int(try surplus()?.found ?? 0))
            return try lostEffect(of: stream.id)
        }
    }

    /// Throws if a record of a stream is missing: ``finish(_:head:digest:)`` makes a new digest of the others,
    /// and afterwards no check would find it.
    ///
    /// - Parameter stream: the only stream to look at; nil for all.
    private func checkIsComplete(_ stream: StreamInfo? = nil) throws(DatabaseError) {
        guard let name = try incompleteStreams(only: stream?.id).first else { return }
        throw .damagedRow("a record of the stream '\(name)' is missing or was added")
    }

    /// Gives the later steps of a stream another random seed.
    private func renewSeed(of stream: StreamID, after step: Int) throws(DatabaseError) {
        try run(.deleteSeed, stream, step)
        try run(.insertSeed, stream, step, Platform.randomBytes(16))
    }

    /// Writes the row of a stream whose records are complete.
    private func finish(_ stream: StreamID, head step: Int, digest: Digest) throws(DatabaseError) {
        let records = try records(of: stream)
        try run(.finishCopy, step, digest, records.all, records.live, stream)
    }

    /// Gives the file a new random identity, as no process has opened it yet.
    private func becomeAnotherJournal(surplus: Int) throws(DatabaseError) {
        try write(WriterRow(journal: Platform.randomBytes(16), epoch: 0, path: "", surplus: surplus))
    }

    /// The digest of a step. If its entry was pruned, the base has it.
    private func digest(of stream: StreamInfo, at step: Int) throws(DatabaseError) -> Digest {
        if let digest = try entryDigest(of: stream.id, at: step) { return digest }
        guard let base = try snapshot(in: stream.id, atOrBefore: step), base.step == step else {
            throw .damagedRow("the step has neither an entry nor a base")
        }
        return base.digest
    }

    /// Whether a run of a step up to this one had not ended when that was committed.
    func hasRun(of stream: StreamID, upTo step: Int) throws(DatabaseError) -> Bool {
        let time = try timeOfEntry(of: stream, at: step) ?? Timestamp(microseconds: .min)
        return try connection.prepare(
            "SELECT 1 FROM effect_run WHERE stream = ? AND step <= ? AND (ended IS NULL OR ended >= ?) LIMIT 1",
            stream, step, time
        ).first { _ in true } ?? false
    }

    /// When a step was committed; nil if it has no entry.
    func timeOfEntry(of stream: StreamID, at step: Int) throws(DatabaseError) -> Timestamp? {
        try statement(.entryTime, stream, step).first { row throws(DatabaseError) in try row.time(0) }
    }

    /// A live effect that is found only by reducing its entry, which was pruned.
    private func lostEffect(of stream: StreamID) throws(DatabaseError) -> EffectRun? {
        try connection.prepare(
            DigestedTable.run.select + """
                 WHERE stream = ?1 AND step > 0 AND described IS NULL AND \(EffectRun.Status.isLive("status"))
                    AND NOT EXISTS (
                        SELECT 1 FROM entry WHERE entry.stream = effect_run.stream AND entry.step = effect_run.step)
                """, stream
        ).first(EffectRun.init)
    }

    /// What the stream's runs sent after a step, without the actions that did not count; and until it, what was
    /// committed no earlier than the next one.
    private func said(
        in stream: StreamInfo, behind step: Int, _ next: Timestamp
    ) throws(DatabaseError) -> [RunKey: ForkPoint.Said] {
        var said: [RunKey: ForkPoint.Said] = [:]
        let (effect, provisional) = (StoredOrigin.effect.rawValue, StoredOrigin.provisional.rawValue)
        let counts = "(origin = \(effect) OR origin = \(provisional) AND step <= ?3)"
        let retried = try endsBeforeRetries(in: stream.id)
        try connection.prepare(
            """
            -- First what is needed of each entry, so that no actions are sorted.
            WITH sent AS MATERIALIZED (
                SELECT cause_step, cause_run, step, time, \(counts) AS counts, \(Self.isReported) AS is_reported,
                    \(Self.canBeReport("run.on_failure, run.on_cancel")) AS can_be_report,
                    step = ?2 + 1 AND \(Self.canBeReport("run.on_cancel")) AS can_be_cancel
                FROM entry
                WHERE stream = ?1 AND step > ?2 AND coalesce(cause_stream, ?1) = ?1 AND cause_step <= ?2
                    AND cause_run IS NOT NULL
                    AND NOT (origin = \(provisional) AND EXISTS (
                        SELECT 1 FROM step_record AS record
                        WHERE record.stream = entry.stream AND record.step = entry.step
                            AND record.outcome = 'cancelled')))
            SELECT cause_step, cause_run, count(*), count(*) FILTER (WHERE counts), min(time),
                count(*) FILTER (WHERE counts AND can_be_report), is_reported, count(*) FILTER (WHERE can_be_cancel)
            FROM sent
            GROUP BY 1, 2
            """, stream.id, step, stream.settledStep
        ).forEach { row throws(DatabaseError) in
            let key = RunKey(step: try row.step(0), ordinal: try row.ordinal(1))
            // A body can send the same action as its report, so no more of them are reports than there were ends.
            let reports = min(Int(row.integer(5)), Int(row.integer(6)) + (retried[key] ?? 0))
            said[key] = ForkPoint.Said(
                entries: Int(row.integer(2)), delivered: Int(row.integer(3)) - reports, since: try row.time(4),
                beginsWithCancel: row.integer(7) > 0)
        }
        try connection.prepare(
            """
            SELECT cause_step, cause_run, max(time)
            FROM entry
            WHERE stream = ?1 AND step <= ?2 AND time >= ?3 AND coalesce(cause_stream, ?1) = ?1
                AND cause_run IS NOT NULL
            GROUP BY 1, 2
            """, stream.id, step, next
        ).forEach { row throws(DatabaseError) in
            let key = RunKey(step: try row.step(0), ordinal: try row.ordinal(1))
            said[key, default: ForkPoint.Said()].shared = try row.time(2)
        }
        return said
    }

    /// The condition of entries that can report a failure or a cancel: a run has not delivered its reports.
    private static func canBeReport(_ actions: String) -> String {
        """
        EXISTS (
            SELECT 1 FROM effect_run AS run
            WHERE run.stream = entry.stream AND run.step = entry.cause_step AND run.ordinal = entry.cause_run
                AND entry.action IN (\(actions)))
        """
    }

    /// Whether the run that sent an entry has ended with a failure or a cancel.
    private static let isReported = """
        coalesce((
            SELECT run.status IN ('failed', 'cancelled') FROM effect_run AS run
            WHERE run.stream = entry.stream AND run.step = entry.cause_step AND run.ordinal = entry.cause_run), 0)
        """

    /// How often each run had ended with a failure or a cancel when it was retried.
    private func endsBeforeRetries(in stream: StreamID) throws(DatabaseError) -> [RunKey: Int] {
        var ends: [RunKey: Int] = [:]
        for act in try interventions(in: stream) where act.act == .retry {
            guard let ordinal = act.ordinal, act.before == .failed || act.before == .cancelled else { continue }
            ends[RunKey(step: act.step, ordinal: ordinal), default: 0] += 1
        }
        return ends
    }

    /// The first retry, from a time on, of each run that had ended.
    private func retries(in stream: StreamID, from time: Timestamp) throws(DatabaseError) -> [RunKey: ForkPoint.Retry] {
        var retries: [RunKey: ForkPoint.Retry] = [:]
        for act in try interventions(in: stream) where act.act == .retry && act.time >= time {
            guard let ordinal = act.ordinal, let before = act.before, before.isFinal else { continue }
            let key = RunKey(step: act.step, ordinal: ordinal)
            guard retries[key] == nil else { continue }
            retries[key] = ForkPoint.Retry(
                time: act.time, before: before,
                attempts: try attempts(of: stream, step: key.step, ordinal: key.ordinal))
        }
        return retries
    }

    /// The runs that operators had cancelled by then, and not retried.
    private func cancelledByOperators(in stream: StreamID, before time: Timestamp) throws(DatabaseError) -> Set<RunKey>
    {
        var cancelled: Set<RunKey> = []
        for act in try interventions(in: stream) where act.time < time {
            guard let ordinal = act.ordinal else { continue }
            let key = RunKey(step: act.step, ordinal: ordinal)
            switch act.act {
            case .cancel: cancelled.insert(key)
            case .retry: cancelled.remove(key)
            default: break
            }
        }
        return cancelled
    }

    /// What is recorded of the attempts of each run of the steps that stay, if some started or ended after a time.
    private func laterAttempts(
        in stream: StreamID, upTo step: Int, from time: Timestamp
    ) throws(DatabaseError) -> [RunKey: [EffectAttempt]] {
        let keys = try connection.prepare(
            """
            SELECT DISTINCT step, ordinal FROM effect_attempt
            WHERE stream = ?1 AND step <= ?2 AND (started >= ?3 OR ended >= ?3)
            """, stream, step, time
        ).all { row throws(DatabaseError) in RunKey(step: try row.step(0), ordinal: try row.ordinal(1)) }
        var found: [RunKey: [EffectAttempt]] = [:]
        for key in keys { found[key] = try attempts(of: stream, step: key.step, ordinal: key.ordinal) }
        return found
    }

    /// Deletes other streams and later steps from every table with a column `stream`, also from later schemas.
    private func removeOthers(than stream: StreamID, behind step: Int) throws(DatabaseError) {
        for table in try TableShape.all(in: connection) where table.has("stream") {
            let isBehind = table.has("step") ? " OR step > ?2" : ""
            let delete = try connection.prepare("DELETE FROM \(table.quotedName) WHERE stream <> ?1\(isBehind)")
            delete.bind(1, stream.rawValue)
            if !isBehind.isEmpty { delete.bind(2, step) }
            try delete.run()
        }
    }

    private func changeRuns(
        of stream: StreamID, _ page: ((step: Int, ordinal: Int), _ limit: Int) throws(DatabaseError) -> [EffectRun],
        _ change: (EffectRun) -> EffectRun
    ) throws(DatabaseError) {
        var last = (step: 0, ordinal: -1)
        while let runs = try nonEmpty(page(last, 1_000)) {
            for run in runs {
                let changed = change(run)
                if changed != run { _ = try write(changed) }
            }
            last = runs.last.map { ($0.step, $0.ordinal) } ?? last
        }
        // A run that had not started at the fork has no attempts and no remembered steps.
        try run(.deleteUnstartedAttempts, stream)
        try run(.deleteUnstartedRemembered, stream)
    }

    /// Deletes attempts that started later, and the ends of those that ended later.
    private func forgetAttempts(in stream: StreamID, from time: Timestamp) throws(DatabaseError) {
        try connection.run("DELETE FROM effect_attempt WHERE stream = ? AND started >= ?", stream, time)
        try connection.run(
            DigestedTable.attempt.update(["ended": "NULL", "error": "NULL"], where: "stream = ?1 AND ended >= ?2"),
            stream, time)
    }

    /// Deletes later interventions on effects, as their runs are reset too. Skipped steps stay skipped.
    private func forgetActs(in stream: StreamID, from time: Timestamp) throws(DatabaseError) {
        try connection.run(
            "DELETE FROM intervention WHERE stream = ? AND ordinal IS NOT NULL AND time >= ?", stream, time)
    }

    /// Deletes the other streams. Those that sent this one messages keep a row: their IDs are part of the digests.
    private func leaveStubs(besides stream: StreamInfo) throws(DatabaseError) {
        try connection.run(
            """
            DELETE FROM stream
            WHERE id <> ? AND id NOT IN (SELECT cause_stream FROM entry WHERE cause_stream IS NOT NULL)
            """, stream.id)
        var taken = Set(try connection.prepare("SELECT name FROM stream").all { $0.text(0) })
        var last: StreamID?
        while let page = try nonEmpty(streams(after: last, limit: 1_000)) {
            for old in page where old.id != stream.id {
                let name = ForkPoint.nameOfStub(old, taken: taken)
                taken.insert(name)
                try leaveStub(old, named: name)
            }
            last = page.last?.id
        }
    }

    private func leaveStub(_ old: StreamInfo, named name: String) throws(DatabaseError) {
        try connection.run(
            DigestedTable.stream.update(
                [
                    "name": "?1", "head_step": "0", "head_digest": "?2", "settled_step": "0", "pruned_step": "0",
                    "crash_loop": "NULL", "last_transaction": "0", "records_digest": "?3",
                    "live_digest": "?3",
                ], where: "id = ?4"),
            name, Digest.genesis(name: name, machine: old.machine, seed: old.seed.bytes), Digest.none, old.id)
    }
}

/// The page; nil if it is empty.
private func nonEmpty<Row>(_ page: [Row]) -> [Row]? {
    page.isEmpty ? nil : page
}
