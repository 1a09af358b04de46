/// The statements of a write transaction. Every function here is called inside a transaction.
extension JournalDatabase {
    func epoch() throws(DatabaseError) -> Int64 {
        try statement(.epoch).first { $0.integer(0) } ?? 0
    }

    func lastPosition() throws(DatabaseError) -> Int {
        try statement(.lastPosition).first { Int($0.integer(0)) } ?? 0
    }

    func insertStream(
        name: String, machine: String, created: Timestamp, seed: [UInt8], genesis: Digest, epoch: Int64
    ) throws(DatabaseError) {
        try run(.insertStream, name, machine, created, seed, genesis, epoch)
    }

    func markOpen(_ stream: StreamID, epoch: Int64) throws(DatabaseError) {
        try run(.openStream, epoch, stream)
    }

    func write(crashLoop record: String?, of stream: StreamID) throws(DatabaseError) {
        try run(.updateCrashLoop, record, stream)
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

    func updateHead(of stream: StreamID, step: Int, digest: Digest, settled: Int) throws(DatabaseError) {
        let update = try statement(.updateHead)
        update.bind(1, step, digest, settled, stream)
        try update.run()
    }

    func settle(_ stream: StreamID, upTo step: Int) throws(DatabaseError) {
        try run(.updateSettled, step, stream)
    }

    func dispatch(_ id: String, in stream: StreamID) throws(DatabaseError) -> (step: Int, action: Digest)? {
        let select = try statement(.dispatchID)
        select.bind(1, stream, id)
        return try select.first { row throws(DatabaseError) in (Int(row.integer(0)), try row.digest(1)) }
    }

    /// The entry of a message that has arrived.
    func entry(
        in stream: StreamID, from sender: StreamID, step: Int?, run: Int?
    ) throws(DatabaseError) -> (step: Int, position: Int)? {
        let select = try statement(.entryBySender)
        select.bind(1, stream, sender.rawValue, step, run)
        return try select.first { (Int($0.integer(0)), Int($0.integer(1))) }
    }

    func insertDispatch(_ id: String, in stream: StreamID, step: Int, action: Digest) throws(DatabaseError) {
        let insert = try statement(.insertDispatchID)
        insert.bind(1, stream, id, step, action)
        try insert.run()
    }

    func write(_ record: StepRecord) throws(DatabaseError) {
        let upsert = try statement(.upsertStep)
        upsert.bind(1, record.stream, record.step, record.outcome.rawValue, record.reason)
        upsert.bind(5, record.cascade, record.effects)
        try upsert.run()
    }

    func write(_ run: EffectRun) throws(DatabaseError) {
        let upsert = try statement(.upsertRun)
        upsert.bind(1, run.stream, run.step, run.ordinal, run.rootStep)
        upsert.bind(5, run.name, run.effectIDText, run.queueText, run.cancelID)
        upsert.bind(9, run.status.rawValue, run.attempts, run.restart.rawValue, run.retryText)
        upsert.bind(13, run.priority, run.delay, run.notBefore, run.started)
        upsert.bind(17, run.ended, run.error, run.delivered, run.described)
        upsert.bind(21, run.version, run.sends, run.onRestart, run.onFailure)
        upsert.bind(25, run.onOrphan, run.entry?.time, run.entry?.digest, run.failures)
        try upsert.run()
    }

    func write(_ remembered: RememberedStep) throws(DatabaseError) {
        let insert = try statement(.insertRemembered)
        insert.bind(1, remembered.stream, remembered.step, remembered.ordinal, remembered.path)
        insert.bind(5, remembered.name, remembered.use, remembered.result)
        try insert.run()
    }

    func write(_ queue: QueueMemory) throws(DatabaseError) {
        try run(.upsertQueue, queue.stream, queue.key, queue.policy, queue.lastStart)
    }

    func write(_ intervention: Intervention, in stream: StreamID) throws(DatabaseError) {
        try run(
            .insertIntervention, intervention.time, stream, intervention.step, intervention.ordinal,
            intervention.act.rawValue, intervention.before?.rawValue, intervention.reason)
    }

    func write(_ snapshot: NewSnapshot, at time: Timestamp) throws(DatabaseError) {
        try run(
            .upsertSnapshot, snapshot.stream, snapshot.step, snapshot.version, time, snapshot.isBase ? 1 : 0,
            snapshot.state)
    }

    func deleteSnapshot(of stream: StreamID, at step: Int) throws(DatabaseError) {
        try run(.deleteSnapshot, stream, step)
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
        bind(column + 10, lentText: UnsafeRawBufferPointer(rebasing: bytes[action..<action + row.actionLength]))
        bind(column + 11, row.cancelID)
        bind(column + 12, lent: UnsafeRawBufferPointer(rebasing: bytes[row.start..<action]))
    }
}
