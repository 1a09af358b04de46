/// The writer's state, and its transactions. Guarded by the writer's lock.
struct WriterState {
    /// The newest entry of an open stream.
    struct Head {
        var step: Int
        var digest: Digest
    }

    /// A stream that is open. An object, so that the table of 100,000 of them is small. What a transaction changes of it is
    /// held by the ``TransactionBuilder`` until the commit.
    final class OpenStream {
        /// Its row as the opening has read it, or the transaction that changed it last: what an update leaves as it is.
        /// Each update computes the digest of the whole row anew, so the writer compares the row first.
        var kept: Boxed<StreamInfo>
        var head: Head
        /// The row digests of its records.
        var records: RecordsDigest
        let watermark: SettlementWatermark
        /// The number of changes by other connections when the stream's row was read or checked last.
        var checkedAt: Int
        /// Whether it is open without a store.
        let isLog: Bool

        init(_ info: StreamInfo, _ changesByOthers: Int, isLog: Bool = false) {
            (kept, checkedAt, self.isLog) = (Boxed(info), changesByOthers, isLog)
            head = Head(step: info.headStep, digest: info.headDigest)
            records = info.records
            watermark = SettlementWatermark(info.watermark)
        }

        var name: String { kept.value.name }
    }

    /// Whether the writer may still write.
    enum Condition {
        case open
        /// Nothing is written any more; each call throws this error.
        case ended(JournalError)
    }

    let options: JournalOptions
    let file: String?
    /// Nil for a journal in memory, and after the writer has ended.
    var names: FileNames?
    let epoch: Int64
    private let forkGeneration = ForkGuard.generation
    var database: JournalDatabase?
    var sidecar: Sidecar?
    private var condition = Condition.open
    /// Whether ``condition`` is the end, for those that cannot wait for the lock.
    let hasEnded = Flag()
    /// The connection's change count after its last commit.
    private var unchangedAt: UInt32?
    /// How often another connection was found to have changed the file.
    private(set) var changesByOthers = 0
    /// The version that SQLite gives the schema, which changes with it, and the number of changes by others when it was
    /// compared. Nil if the version could not be read: then the first change by another program is compared.
    private var schema: (version: Int64?, checkedAt: Int)
    /// The newest transaction, which is acknowledged as soon as it is committed.
    private var last: Acknowledged
    private var nextTransaction: Int64
    var streams: [StreamID: OpenStream] = [:]
    /// How many effects that have ended are being restored from their entries, to be retried. A stream can be closed
    /// meanwhile.
    var retries: [StreamID: Int] = [:]
    /// Of each stream without an open store: the step of the first message that arrived since it was closed.
    var arrived: [StreamID: Int] = [:]
    /// The buffer for a transaction's entries, kept for the next transaction.
    private var rows: EntryRows?
    var nextCheckpoint: Int
    /// How many pages were in the WAL when a checkpoint last waited for readers; 0 if all were copied since.
    var waitedAtPages = 0
    /// What holds up the transactions since the last one that was committed, as the app was told: a full disk, or another
    /// program that holds the database.
    private var obstacles: Set<Notice.Kind> = []
    /// The disk was full, and the WAL has not been truncated since.
    var mustTruncate = false
    /// When it was opened.
    private let since: Timestamp
    private var counters = TransactionCounters()
    /// When the transaction began, in microseconds of the monotonic clock.
    private var began: Int64 = 0
    /// Whether the table of streams was checked: once for each opening, before a stream is created.
    var streamsAreSound = false

    init(_ opened: sending Opening.Opened, options: JournalOptions) {
        self.options = options
        file = opened.file
        names = opened.file.flatMap { file in opened.identity.map { FileNames(file, $0) } }
        epoch = opened.epoch
        database = opened.database
        sidecar = opened.sidecar
        schema = (try? opened.database.schemaVersion(), 0)
        last = opened.last
        nextTransaction = opened.firstTransaction
        nextCheckpoint = options.checkpointPages
        since = opened.since
        // If it cannot be read, the first checkpoint notes the size.
        if let length = try? opened.database.connection.length() { names?.noteSize(atMost: length) }
    }

    /// The database; throws if the writer has ended or the process is a fork.
    func usable() throws(JournalError) -> JournalDatabase {
        if case .ended(let error) = condition { throw error }
        guard forkGeneration == ForkGuard.generation else {
            throw fenced(
                "This process is a fork of the one that opened the journal.",
                "Fork before the journal is opened, or let the child end with `exec` or `_exit`.")
        }
        guard let database else { throw .closed(file) }
        return database
    }

    func location(_ stream: String, _ step: Int? = nil) -> ErrorLocation {
        ErrorLocation(file: file, stream: stream, step: step)
    }

    /// Reads something of a stream that must exist.
    mutating func read<Value>(
        _ name: String, while doing: String, _ body: (JournalDatabase, StreamInfo) throws(DatabaseError) -> Value
    ) throws(JournalError) -> Value {
        let database = try usable()
        let found: Value?
        do throws(DatabaseError) {
            found = try database.stream(named: name).map { info throws(DatabaseError) in try body(database, info) }
        } catch {
            throw changed(failed(error, while: doing, isTransaction: false)) { $0.stream = name }
        }
        guard let found else { throw location(name).unknownStream }
        return found
    }

    /// What it has done, without what a reader can count.
    func metrics() throws(JournalError) -> JournalMetrics {
        _ = try usable()
        var metrics = JournalMetrics(since: since, time: options.wallClock(), process: Int(options.identity().process))
        (metrics.entries, metrics.dispatched) = (counters.entries, counters.dispatched)
        (metrics.commits, metrics.commitTimes) = (counters.commitTimes.count, counters.commitTimes)
        (metrics.failedCommits, metrics.isDiskFull, metrics.openStreams) = (
            counters.failed, obstacles.contains(.diskFull), streams.count
        )
        return metrics
    }

    // MARK: A transaction

    /// Commits batches in one transaction. If an item of one of them cannot be stored, only that batch fails. If the
    /// transaction fails for a reason that can be one of them, such as a damaged page of a table, they are committed in
    /// several.
    ///
    /// - Parameter earlier: what transactions just before this one did with records that the batches build on.
    mutating func commit(
        _ submissions: [Submission], after earlier: EarlierRecords = EarlierRecords()
    ) -> Committed {
        var committed = Committed()
        let span = options.beginSpan()
        let before = last.position
        do throws(JournalError) {
            // Savepoints cost time, so they are used only after a batch has failed.
            if try !transaction(submissions, &committed, isolated: false, earlier) {
                committed = Committed()
                _ = try transaction(submissions, &committed, isolated: true, earlier)
            }
            if let span, committed.isTransaction { span.end(.commit) { $0.count = last.position - before } }
            return committed
        } catch {
            span?.end(.commit) { $0.error = "\(error)" }
            guard committed.hasBegun, submissions.count > 1, !error.isTransient, !error.isFinal else {
                noteObstacle(error)
                return Committed(failure: error)
            }
            return commitInHalves(submissions, after: earlier)
        }
    }

    /// The records of sources come first, and what builds on those that cannot be written is refused.
    private mutating func commitInHalves(_ submissions: [Submission], after earlier: EarlierRecords) -> Committed {
        let sources = submissions.prefix { $0.isOfSource }.count
        let middle = sources > 0 && sources < submissions.count ? sources : submissions.count / 2
        var (earlier, committed) = (earlier, Committed())
        for half in [Array(submissions[..<middle]), Array(submissions[middle...])] {
            // What a full disk holds up must not be overtaken.
            let part = committed.obstacle.map { Committed(failure: $0) } ?? commit(half, after: earlier)
            for (index, submission) in half.enumerated() where submission.isOfSource {
                earlier.note(submission.batch, part[index])
            }
            committed.add(part, of: half.count)
        }
        return committed
    }

    /// - Returns: false if a batch cannot be stored and `isolated` is false: nothing was written.
    private mutating func transaction(
        _ submissions: [Submission], _ committed: inout Committed, isolated: Bool, _ earlier: EarlierRecords
    ) throws(JournalError) -> Bool {
        let database = try usable()
        committed.ends.reserveCapacity(submissions.count)
        // Barriers have nothing to write themselves.
        guard submissions.contains(where: { !$0.isBarrier }) else {
            committed.ends = Array(repeating: 0, count: submissions.count)
            return true
        }
        committed.appended.reserveCapacity(submissions.count)
        try begin(database)
        committed.hasBegun = true
        var builder = TransactionBuilder(
            database: database, file: file, time: options.wallClock(), retention: options.retention, isolated: isolated,
            number: nextTransaction, last: last, rows: rows.take() ?? EntryRows(), after: earlier,
            changesByOthers: changesByOthers)
        for submission in submissions {
            if submission.isOfSource { builder.include(submission.batch) }
            do throws(TransactionBuilder.Failure) {
                if isolated {
                    try builder.applyIsolated(submission.batch, to: streams, &committed.appended)
                } else {
                    try builder.apply(submission.batch, to: streams, &committed.appended)
                }
            } catch {
                guard isolated || !builder.hasWritten, case .batch(let error) = error else {
                    return try undo(error, database)
                }
                committed.appended.removeLast(committed.appended.count - (committed.ends.last ?? 0))
                if submission.isOfSource { builder.exclude(submission.batch, error) }
                committed.failures[committed.ends.count] = error
            }
            committed.ends.append(committed.appended.count)
        }
        do throws(TransactionBuilder.Failure) { try builder.finish(streams) } catch { return try undo(error, database) }
        try commit(database)
        rows = builder.rows
        committed.isTransaction = true
        builder.updateStreams()
        if builder.lastPosition > last.position {
            committed.lastPosition = builder.lastPosition
            counters.entries += builder.lastPosition - last.position
            counters.dispatched += builder.dispatched
        }
        if let stream = builder.changedStream {
            acknowledge(
                Acknowledged(
                    position: builder.lastPosition, digest: builder.lastDigest, transaction: builder.number,
                    stream: stream))
        }
        return true
    }

    /// Rolls back. Returns false if one batch cannot be stored, and throws if the whole transaction has failed.
    private mutating func undo(_ failure: TransactionBuilder.Failure, _ database: JournalDatabase) throws(JournalError)
        -> Bool
    {
        database.rollback()
        switch failure {
        case .batch: return false
        case .transaction(let error): throw failed(error, while: "writing")
        }
    }

    private mutating func acknowledge(_ newest: Acknowledged) {
        last = newest
        nextTransaction = newest.transaction + 1
        sidecar?.acknowledged = newest
    }

    /// Runs a closure in a separate transaction, with the same checks.
    ///
    /// - Parameters:
    ///   - stream: the stream whose row the closure updates with the number of the transaction; nil if it does not.
    ///   - body: called with the number of the transaction.
    mutating func transaction<Value>(
        while doing: String, of stream: StreamID? = nil,
        _ body: (JournalDatabase, Int64) throws(DatabaseError) -> Value
    ) throws(JournalError) -> Value {
        let span = options.beginSpan()
        let value: Value
        do throws(JournalError) {
            value = try separateTransaction(while: doing, body)
        } catch {
            span?.end(.commit) { $0.error = "\(error)" }
            noteObstacle(error)
            throw error
        }
        span?.end(.commit) { $0.count = 0 }
        if let stream {
            acknowledge(
                changed(last) {
                    $0.transaction = nextTransaction
                    $0.stream = stream
                })
        }
        return value
    }

    private mutating func separateTransaction<Value>(
        while doing: String, _ body: (JournalDatabase, Int64) throws(DatabaseError) -> Value
    ) throws(JournalError) -> Value {
        let database = try usable()
        try begin(database)
        let value: Value
        do throws(DatabaseError) {
            value = try body(database, nextTransaction)
        } catch {
            database.rollback()
            throw failed(error, while: doing)
        }
        try commit(database)
        return value
    }

    private mutating func begin(_ database: JournalDatabase) throws(JournalError) {
        try beginAsOnlyWriter(database)
        try checkSchema(database)
    }

    /// Another program can have added a trigger, or dropped an index, while the journal was open.
    private mutating func checkSchema(_ database: JournalDatabase) throws(JournalError) {
        guard schema.checkedAt != changesByOthers else { return }
        var harm: SchemaCheck.Difference?
        do throws(DatabaseError) {
            let version = try database.schemaVersion()
            if version != schema.version {
                harm = try SchemaCheck(database.connection).differences.first(where: \.concernsTransactions)
            }
            schema = (version, changesByOthers)
        } catch {
            database.rollback()
            throw failed(error, while: "comparing the schema")
        }
        guard let harm else { return }
        database.rollback()
        throw stopped(changedSchema(harm.message))
    }

    private func changedSchema(_ harm: String) -> JournalError {
        fenced(
            "The schema was changed while the journal was open: \(harm).",
            "Undo that while no app has the journal open, or restore a backup.")
    }

    private mutating func beginAsOnlyWriter(_ database: JournalDatabase) throws(JournalError) {
        // The last transaction is still open if there was too little memory for its ROLLBACK.
        database.rollback()
        do throws(DatabaseError) {
            began = Platform.uptime()
            try database.run(.begin)
            guard StoredRange.transaction.contains(nextTransaction) else {
                throw .damagedRow("the number of the last transaction has no next one")
            }
            // If no other connection has committed since, no other writer has taken the journal over.
            if let count = database.connection.changeCount, count == unchangedAt { return }
            changesByOthers += 1
            let found = try database.epoch()
            if found == epoch { return }
        } catch {
            database.rollback()
            if error.untrustedItem != nil { throw stopped(changedSchema(error.message)) }
            throw failed(error, while: "beginning a transaction")
        }
        database.rollback()
        throw stopped(
            fenced(
                "Another writer has taken this journal over; this one may not write any more.",
                "The lock file was deleted or circumvented: let only one process open the journal."))
    }

    /// Checks the paths, then commits. If COMMIT fails with an I/O error, its outcome is unknown.
    private mutating func commit(_ database: JournalDatabase) throws(JournalError) {
        let finding = lookAtNames()
        if finding != .inPlace {
            database.rollback()
            if case .unknown(let code) = finding { throw unreachable(code) }
            if let displacement = displacement(finding) { throw stopped(displacement) }
        }
        do throws(DatabaseError) {
            try database.run(.commit)
            try emptyCacheOfDrive()
        } catch {
            database.rollback()
            throw failed(error, while: "committing", undecided: true)
        }
        unchangedAt = database.connection.changeCount
        if !obstacles.isEmpty { obstacles = [] }
        counters.commitTimes.add(microseconds: Int(Platform.uptime() - began))
        options.probe?(.committed)
    }

    /// Apple's SQLite answers `PRAGMA fullfsync` with a barrier: the drive keeps the order of what it writes, but a power
    /// loss can take the newest of it.
    private func emptyCacheOfDrive() throws(DatabaseError) {
        guard Platform.commitsNeedSync, options.durability == .full, let names else { return }
        if !Platform.sync(names.wal) { throw .failedSync(Platform.lastError, during: "syncing the WAL") }
    }

    // MARK: Errors

    /// Applies a database error to the journal. FULL and BUSY leave it as it was. After an I/O error, data read through
    /// this connection may not be on the disk, so the journal stops and is never synced again.
    ///
    /// - Parameter isTransaction: whether a transaction has failed, and not a checkpoint.
    mutating func failed(
        _ error: DatabaseError, while doing: String, undecided: Bool = false, isTransaction: Bool = true
    ) -> JournalError {
        if isTransaction { counters.failed += 1 }
        if undecided, error.isOutOfMemory {
            return JournalError(
                .outcomeUnknown,
                "There was too little memory during the commit: it is unknown whether this was written.",
                advice: "End other programs, or raise the limit. Then open the stream again, and look at its state.",
                file: file, underlying: error.told)
        }
        guard undecided ? error.leavesCommitUndecided : error.isInputOutput else {
            // A checkpoint may free room in the WAL, which the next transaction can then overwrite.
            if error.isFull { (nextCheckpoint, mustTruncate) = (1, true) }
            return JournalError(error, file: file, while: doing)
        }
        sidecar?.mark = .stopped
        let advice =
            "The journal has stopped. Check the disk, then open the journal again: it is copied to a new file first."
        return stopped(
            JournalError(
                undecided ? .outcomeUnknown : .inputOutput,
                undecided
                    ? "The disk failed during the commit (\(error.reason)): it is unknown whether this was written."
                    : "The disk failed while \(doing) (\(error.reason)); "
                        + (isTransaction
                            ? "nothing of this was written."
                            : "what was acknowledged before is in the file or its WAL."),
                advice: advice, file: file, underlying: error.code),
            later: JournalError(
                .outcomeUnknown, "The journal stopped at an I/O error (\(error.reason)) before; this was not tried.",
                advice: advice, file: file, underlying: error.code))
    }

    /// Tells the app once what holds up the transactions: effects and timers have no caller who gets the error.
    private mutating func noteObstacle(_ error: JournalError) {
        let obstacle = [JournalError.Code.diskFull: Notice.Kind.diskFull, .busy: .busy][error.code]
        if let obstacle, obstacles.insert(obstacle).inserted { options.notify(obstacle, error) }
    }

    /// Ends the writer because it can or may not write any more, and tells the app, which may only be waiting for
    /// timers.
    ///
    /// - Parameter later: the error of later calls, if it is another one.
    mutating func stopped(_ error: JournalError, later: JournalError? = nil) -> JournalError {
        end(later ?? error)
        options.notify(.journalStopped, error)
        return error
    }

    /// Ends the writer, and closes the connection at once, without a checkpoint.
    private mutating func end(_ error: JournalError) {
        condition = .ended(error)
        hasEnded.set()
        database = nil
        names = nil
    }

    // MARK: The end

    /// Copies the whole WAL into the database and releases the lock. Open streams are closed with it.
    mutating func close() throws(JournalError) {
        if case .ended(let error) = condition {
            guard error.code != .closed else { return }
            sidecar = nil
            throw error
        }
        defer {
            end(.closed(file))
            sidecar = nil
        }
        guard let database, file != nil, forkGeneration == ForkGuard.generation else { return }
        // If the file or its WAL was deleted, what was acknowledged ends with this process, and the caller can still save it.
        if let displacement { throw stopped(displacement) }
        guard isInPlace, sidecar?.isInPlace != false else { return }
        do throws(DatabaseError) {
            // An empty WAL cannot be applied to a file that replaces this one later, and people copy a closed file
            // without its WAL. A read of this process ends in moments. If another one blocks the checkpoint for longer,
            // that is no error.
            database.connection.setBusyTimeout(milliseconds: 50)
            try database.connection.checkpoint(.truncate)
        } catch  where error.isBusy {
        } catch  where error.isFull {
            let isLimit = Platform.isFileSizeLimit(error.system)
            options.notify(
                .diskFull,
                JournalError(
                    .diskFull,
                    (isLimit ? "The file cannot grow any more" : "The disk is full")
                        + ", so the WAL could not be copied into the database file. Nothing is lost.",
                    advice: (isLimit ? JournalError.adviceForFileSize + " Then" : "Free some space, then")
                        + " open and close the journal. Until then do not copy its file without the -wal.", file: file))
        } catch {
            throw failed(error, while: "closing", isTransaction: false)
        }
    }
}
