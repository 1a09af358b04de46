/// The statements of a write transaction. Every function here is called inside a transaction.
extension JournalDatabase {
    func epoch() throws(DatabaseError) -> Int64 {
        try statement(.epoch).first { $0.integer(0) } ?? 0
    }

    func lastPosition() throws(DatabaseError) -> Int {
        try statement(.lastPosition).first { row throws(DatabaseError) in
            try row.number(0, StoredRange.count, "a position")
        } ?? 0
    }

    func insertStream(
        name: String, machine: String, created: Timestamp, seed: [UInt8], genesis: Digest
    ) throws(DatabaseError) {
        let id = try connection.integer("SELECT coalesce(max(id), 0) + 1 FROM stream") ?? 1
        let insert = try statement(.insertStream)
        insert.bind(1, id, name, machine, created)
        insert.bind(5, seed, 0, genesis, 0)
        insert.bind(9, 0, 0, nil as String?, 0)
        insert.bind(13, Digest.none, Digest.none)
        try insert.run()
    }

    func write(crashLoop record: String?, of stream: StreamID) throws(DatabaseError) {
        try run(.updateCrashLoop, record, stream)
        try checkOneRowChanged("the row of the stream")
    }

    /// Inserts all rows, as many with each statement as possible.
    func insert(_ entries: EntryRows, at time: Timestamp) throws(DatabaseError) {
        var next = 0
        while next < entries.rows.count {
            let left = entries.rows.count - next
            if left >= EntryRows.most {
                try insert(entries, next..<next + EntryRows.most, by: .insertMostEntries, at: time)
                next += EntryRows.most
            } else if left >= EntryRows.some {
                try insert(entries, next..<next + EntryRows.some, by: .insertSomeEntries, at: time)
                next += EntryRows.some
            } else {
                try insert(entries, next..<next + 1, by: .insertEntry, at: time)
                next += 1
            }
        }
    }

    private func insert(
        _ entries: EntryRows, _ rows: Range<Int>, by query: Query, at time: Timestamp
    ) throws(DatabaseError) {
        let insert = try statement(query)
        let failure: DatabaseError? = entries.bytes.withUnsafeBytes { bytes in
            var column: Int32 = 0
            for row in rows {
                insert.bind(entries.rows[row], at: time, bytes, behind: column)
                column += Int32(EntryRows.columns)
            }
            do throws(DatabaseError) { try insert.run() } catch { return error }
            return nil
        }
        if let failure { throw failure }
    }

    /// What a transaction changes in a stream's row.
    struct StreamUpdate {
        var step: Int
        var digest: Digest
        /// The settlement watermark, which never moves back; -1 if the initial effect is not settled either.
        var settled: Int
        var transaction: Int64
        var records: RecordsDigest
    }

    /// Updates the row of a stream.
    func update(_ stream: StreamID, _ change: StreamUpdate) throws(DatabaseError) {
        let update = try statement(.updateStream)
        update.bind(1, change.step, change.digest, max(0, change.settled), change.settled >= 0 ? 1 : 0)
        update.bind(5, change.transaction, change.records.all, change.records.live, stream)
        try update.run()
    }

    /// Throws if the row of a stream holds something else than what the writer has written: an update would compute a
    /// right digest for it.
    ///
    /// - Parameters:
    ///   - kept: what its row holds in the columns that an update leaves as they are.
    ///   - watermark: the settlement watermark in the row; -1 if the initial effect is not settled either.
    func check(_ kept: StreamInfo, watermark: Int) throws(DatabaseError) {
        let check = try statement(.checkStream)
        check.bind(1, kept.id, kept.name, kept.machine, kept.created)
        check.bind(5, kept.seed.bytes, kept.prunedStep, kept.crashLoop, max(0, watermark))
        check.bind(9, watermark >= 0 ? 1 : 0)
        guard try check.first({ _ in true }) == true else {
            throw .damagedRow("the row of the stream '\(kept.name)' is not what was written")
        }
    }

    /// Throws if the last UPDATE has not found its row as it was written.
    func checkOneRowChanged(_ row: String) throws(DatabaseError) {
        guard connection.rowsChanged == 1 else { throw .damagedRow("\(row) is not what was written") }
    }

    /// Updates the row of a stream that no store has open.
    ///
    /// - Parameters:
    ///   - records: the change of the digests of its records.
    ///   - settled: the settlement watermark; -1 if it does not change.
    func update(
        _ stream: StreamID, records: RecordsDigest, settled: Int = -1, transaction: Int64
    ) throws(DatabaseError) {
        guard let info = try self.stream(stream) else { throw .damagedRow("the stream is not there") }
        try update(
            stream,
            StreamUpdate(
                step: info.headStep, digest: info.headDigest, settled: max(settled, info.watermark),
                transaction: transaction, records: info.records ^ records))
    }

    /// The first dispatch with an ID.
    struct FirstDispatch {
        var step: Int
        /// The digest of its action.
        var action: Digest
    }

    func dispatch(_ id: String, in stream: StreamID) throws(DatabaseError) -> FirstDispatch? {
        let select = try statement(.dispatchID)
        select.bind(1, stream, id)
        return try select.first(FirstDispatch.init)
    }

    /// The entry of a message that has arrived.
    func entry(
        in stream: StreamID, from sender: StreamID, step: Int?, run: Int?
    ) throws(DatabaseError) -> (step: Int, position: Int)? {
        let select = try statement(.entryBySender)
        select.bind(1, stream, sender.rawValue, step, run)
        return try select.first { row throws(DatabaseError) in
            (try row.step(0), try row.number(1, StoredRange.count, "a position"))
        }
    }

    // Each function that writes a record returns the change of the digests of its stream's records.

    func insert(
        _ dispatch: NewEntry.Dispatch, in stream: StreamID, step: Int
    ) throws(DatabaseError) -> RecordsDigest {
        let insert = try statement(.insertDispatchID)
        insert.bind(1, stream, dispatch.id, step, dispatch.action)
        return try rowDigest(insert, isLive: false)
    }

    func write(_ record: StepRecord) throws(DatabaseError) -> RecordsDigest {
        let old = try oldDigest(.oldStepRecord) { $0.bind(1, record.stream, record.step) }
        let upsert = try statement(.upsertStep)
        let entry = try entryDigest(of: record.stream, at: record.step)
        upsert.bind(1, record.stream, record.step, entry, record.outcome.rawValue)
        upsert.bind(5, record.reason, record.cascade, record.effects)
        return try old ^ rowDigest(upsert, isLive: StepRecord.Outcome.notReduced.contains(record.outcome))
    }

    func write(_ run: EffectRun) throws(DatabaseError) -> RecordsDigest {
        let old = try oldDigest(.oldRun) { $0.bind(1, run.stream, run.step, run.ordinal) }
        let upsert = try statement(.upsertRun)
        upsert.bind(1, run.stream, run.step, run.ordinal, run.rootStep)
        upsert.bind(5, run.status.rawValue, run.name, run.effectIDText, run.queueText)
        upsert.bind(9, run.cancelID, run.attempts, run.failures, run.restart.rawValue)
        upsert.bind(13, run.retryText, run.priority, run.delay, run.notBefore)
        upsert.bind(17, run.started, run.ended, run.error, run.delivered)
        upsert.bind(21, run.described, run.entry?.time, run.entry?.digest, run.version)
        upsert.bind(25, run.sends, run.onRestart, run.onFailure, run.onCancel)
        upsert.bind(29, run.onOrphan, run.twin)
        var digest = try old ^ rowDigest(upsert, isLive: !run.status.isFinal)
        // An opening restores its remembered steps as long as it is live. A run that is new has none.
        let (wasThere, wasLive) = (old.all != .none, old.live != .none)
        if wasThere, wasLive == run.status.isFinal {
            digest.live ^= try combined(statement(.rememberedDigests, run.stream, run.step, run.ordinal)).live
        }
        if run.notes.isEmpty { return digest }
        for attempt in run.notes { digest ^= try write(attempt, of: run) }
        return try digest ^ dropSuperfluousAttempts(of: run)
    }

    private func write(_ attempt: EffectAttempt, of run: EffectRun) throws(DatabaseError) -> RecordsDigest {
        let old = try oldDigest(.oldAttempt) { $0.bind(1, run.stream, run.step, run.ordinal, attempt.number) }
        let known = try attempts(of: run.stream, step: run.step, ordinal: run.ordinal, from: attempt.number)
        let merged = attempt.merged(over: known.first { $0.number == attempt.number })
        let upsert = try statement(.upsertAttempt)
        upsert.bind(1, run.stream, run.step, run.ordinal, merged.number)
        upsert.bind(5, merged.started, merged.ended, merged.error)
        return try old ^ rowDigest(upsert, isLive: false)
    }

    private func dropSuperfluousAttempts(of run: EffectRun) throws(DatabaseError) -> RecordsDigest {
        guard let numbers = EffectAttempt.superfluous(of: run.attempts) else { return RecordsDigest() }
        let (first, last) = (numbers.lowerBound, numbers.upperBound)
        let old = try combined(statement(.superfluousAttempts, run.stream, run.step, run.ordinal, first, last))
        try self.run(.deleteAttempts, run.stream, run.step, run.ordinal, first, last)
        return old
    }

    /// The record of its run must be written already.
    func write(_ remembered: RememberedStep) throws(DatabaseError) -> RecordsDigest {
        let run = try oldDigest(.oldRun) { $0.bind(1, remembered.stream, remembered.step, remembered.ordinal) }
        let insert = try statement(.insertRemembered)
        insert.bind(1, remembered.stream, remembered.step, remembered.ordinal, remembered.path)
        insert.bind(5, remembered.name, remembered.use, remembered.result)
        return try rowDigest(insert, isLive: run.live != .none)
    }

    func write(_ queue: QueueMemory) throws(DatabaseError) -> RecordsDigest {
        let old = try oldDigest(.oldQueue) { $0.bind(1, queue.stream, queue.key) }
        if queue.isForgotten {
            // There is no row if the queue was both added and forgotten since the last transaction.
            if old.all != .none { try run(.deleteQueue, queue.stream, queue.key) }
            return old
        }
        let upsert = try statement(.upsertQueue)
        upsert.bind(1, queue.stream, queue.key, queue.policy, queue.lastStart)
        return try old ^ rowDigest(upsert, isLive: true)
    }

    func write(_ intervention: Intervention, in stream: StreamID) throws(DatabaseError) -> RecordsDigest {
        let id = try connection.integer("SELECT coalesce(max(id), 0) + 1 FROM intervention") ?? 1
        let insert = try statement(.insertIntervention)
        insert.bind(1, id, intervention.time, stream, intervention.step)
        insert.bind(
            5, intervention.ordinal, intervention.act.rawValue, intervention.before?.rawValue, intervention.reason)
        insert.bind(9, intervention.user)
        return try rowDigest(insert, isLive: false)
    }

    /// The digest of a row that is about to be replaced, if there is one.
    private func oldDigest(_ query: Query, _ bind: (Statement) -> Void) throws(DatabaseError) -> RecordsDigest {
        let select = try statement(query)
        bind(select)
        return try select.first { row throws(DatabaseError) in
            RecordsDigest(try row.digest(0), isLive: row.integer(1) != 0)
        } ?? RecordsDigest()
    }

    /// Runs a statement that writes a row.
    ///
    /// - Returns: the digest that it computed. A RETURNING clause would cost more than the rest of the statement.
    private func rowDigest(_ write: Statement, isLive: Bool) throws(DatabaseError) -> RecordsDigest {
        try write.run()
        return RecordsDigest(connection.lastRowDigest, isLive: isLive)
    }

    /// Writes a snapshot, with the digest of its step's entry, which must be inserted already.
    func write(_ snapshot: NewSnapshot, at time: Timestamp) throws(DatabaseError) -> RecordsDigest {
        let old = snapshot.isBase ? try base(of: snapshot.stream, at: snapshot.step) : RecordsDigest()
        let select = try statement(.digestForSnapshot)
        select.bind(1, snapshot.stream, snapshot.step)
        let digest = try select.first { row throws(DatabaseError) in try row.optionalDigest(0) } ?? nil
        let upsert = try statement(.upsertSnapshot)
        upsert.bind(1, snapshot.stream, snapshot.step, snapshot.version, time)
        upsert.bind(5, snapshot.isBase ? 1 : 0, digest, snapshot.stateDigest, snapshot.state.utf8.count)
        try upsert.run(lending: snapshot.state, to: 9)
        let new = RecordsDigest(connection.lastRowDigest, isLive: true)
        // Only a base is a record, and it stays one.
        guard snapshot.isBase else { return RecordsDigest() }
        try dropSnapshots(after: snapshot)
        return old ^ new
    }

    /// Makes a snapshot a base.
    func markBase(of stream: StreamID, at step: Int) throws(DatabaseError) -> RecordsDigest {
        let old = try base(of: stream, at: step)
        let mark = try statement(.markBase)
        mark.bind(1, stream.rawValue)
        mark.bind(2, step)
        return try old ^ rowDigest(mark, isLive: true)
    }

    /// The row digest of a base; none if there is none.
    private func base(of stream: StreamID, at step: Int) throws(DatabaseError) -> RecordsDigest {
        try oldDigest(.oldBase) { $0.bind(1, stream, step) }
    }

    /// A fold that begins with a base may come to other states than the snapshots after it, which an older version has
    /// computed.
    private func dropSnapshots(after base: NewSnapshot) throws(DatabaseError) {
        for mark in try snapshotMarks(of: base.stream) where mark.step > base.step && !mark.isBase {
            _ = try deleteSnapshot(of: base.stream, at: mark.step)
        }
    }

    func deleteSnapshot(of stream: StreamID, at step: Int) throws(DatabaseError) -> RecordsDigest {
        let old = try base(of: stream, at: step)
        try run(.deleteSnapshot, stream, step)
        return old
    }
}

extension Statement {
    fileprivate func bind(
        _ row: EntryRows.Row, at time: Timestamp, _ bytes: UnsafeRawBufferPointer, behind column: Int32
    ) {
        bind(column + 1, row.position)
        bind(column + 2, row.stream.rawValue)
        bind(column + 3, row.step)
        bind(column + 4, time.microseconds)
        bind(column + 5, row.origin)
        bind(column + 6, row.cause?.stream?.rawValue)
        bind(column + 7, row.cause?.step)
        bind(column + 8, row.cause?.run)
        bind(column + 9, row.version)
        let action = row.start + Digest.length
        bind(column + 10, lent: UnsafeRawBufferPointer(rebasing: bytes[row.start..<action]))
        bind(column + 11, lentText: UnsafeRawBufferPointer(rebasing: bytes[action..<action + row.actionLength]))
        bind(column + 12, row.cancelID)
    }
}
