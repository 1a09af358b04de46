/// What the writer knows while it works, and what it does in one transaction. Guarded by the writer's lock.
struct WriterState {
    /// The newest entry of a stream that is open.
    struct Head {
        var step: Int
        var digest: Digest
    }

    struct OpenStream {
        var name: String
        var head: Head
        let watermark: SettlementWatermark
    }

    /// Whether it may still write.
    enum Condition {
        case open
        /// Nothing is written any more; each call is told why.
        case ended(JournalError)
    }

    let options: JournalOptions
    let file: String?
    /// Nil for a journal in memory, and after the end.
    private var names: FileNames?
    let epoch: Int64
    private let forkGeneration = ForkGuard.generation
    var database: JournalDatabase?
    var sidecar: Sidecar?
    private var condition = Condition.open
    /// What the connection said of changes after the last commit of its own.
    private var unchangedAt: UInt32?
    private var lastPosition: Int
    var streams: [StreamID: OpenStream] = [:]
    /// Room for the entries of a transaction.
    private var rows: EntryRows?
    var nextCheckpoint: Int

    init(_ opened: sending Opening.Opened, options: JournalOptions) {
        self.options = options
        file = opened.file
        names = opened.file.flatMap { file in opened.identity.map { FileNames(file, $0) } }
        epoch = opened.epoch
        database = opened.database
        sidecar = opened.sidecar
        lastPosition = opened.lastPosition
        nextCheckpoint = options.checkpointPages
    }

    /// The database, or why there is none any more.
    func usable() throws(JournalError) -> JournalDatabase {
        if case .ended(let error) = condition { throw error }
        guard forkGeneration == ForkGuard.generation else {
            throw JournalError(
                .fenced, "This process is a fork of the one that opened the journal.",
                advice: "Open it anew in the child, after the parent has closed it.", file: file)
        }
        guard let database else { throw closed }
        return database
    }

    private var closed: JournalError {
        JournalError(.closed, "The journal was closed.", advice: "Open it again.", file: file)
    }

    // MARK: A transaction

    /// What became of the batches of a transaction.
    struct Committed {
        /// The entries of all of them, in order.
        fileprivate(set) var appended: [Appended] = []
        /// Where those of each end.
        fileprivate var ends: [Int] = []
        /// Of those that could not be stored.
        fileprivate var failures: [Int: JournalError] = [:]
        /// Of all of them.
        fileprivate var failure: JournalError?
        /// The newest position, where entries were added.
        fileprivate(set) var lastPosition: Int?

        subscript(index: Int) -> Result<ArraySlice<Appended>, JournalError> {
            if let failure { return .failure(failure) }
            if !failures.isEmpty, let failure = failures[index] { return .failure(failure) }
            return .success(appended[(index == 0 ? 0 : ends[index - 1])..<ends[index]])
        }

        /// Whether each of the first so many was stored.
        func succeeded(upTo count: Int) -> Bool {
            failure == nil && (failures.isEmpty || !failures.keys.contains { $0 < count })
        }
    }

    /// Commits them in one transaction. Where an item of one of them cannot be stored, that batch alone fails.
    mutating func commit(_ submissions: [Submission]) -> Committed {
        var committed = Committed()
        do throws(JournalError) {
            // Savepoints cost time, so they are only taken when it is known that something has to be left out.
            if try !transaction(submissions, &committed, isolated: false) {
                committed = Committed()
                _ = try transaction(submissions, &committed, isolated: true)
            }
        } catch {
            committed = Committed(failure: error)
        }
        return committed
    }

    /// - Returns: false where a batch failed by itself and `isolated` is false: nothing was written.
    private mutating func transaction(
        _ submissions: [Submission], _ committed: inout Committed, isolated: Bool
    ) throws(JournalError) -> Bool {
        let database = try usable()
        committed.ends.reserveCapacity(submissions.count)
        // Whoever only asked for the others to be written.
        guard submissions.contains(where: { !$0.isBarrier }) else {
            committed.ends = Array(repeating: 0, count: submissions.count)
            return true
        }
        committed.appended.reserveCapacity(submissions.count)
        try begin(database)
        var builder = TransactionBuilder(
            database: database, file: file, time: options.clock(), retention: options.retention, isolated: isolated,
            lastPosition: lastPosition, rows: rows.take() ?? EntryRows())
        for submission in submissions {
            do throws(TransactionBuilder.Failure) {
                if isolated {
                    try builder.applyIsolated(submission.batch, to: streams, &committed.appended)
                } else {
                    try builder.apply(submission.batch, to: streams, &committed.appended)
                }
            } catch {
                guard isolated, case .batch(let error) = error else { return try undo(error, database) }
                if case .source = submission.destination { builder.exclude(submission.batch, error) }
                committed.failures[committed.ends.count] = error
            }
            committed.ends.append(committed.appended.count)
        }
        do throws(TransactionBuilder.Failure) { try builder.finish() } catch { return try undo(error, database) }
        try commit(database)
        rows = builder.rows
        builder.update(&streams)
        if builder.lastPosition > lastPosition {
            lastPosition = builder.lastPosition
            committed.lastPosition = lastPosition
            sidecar?.acknowledged = Acknowledged(position: lastPosition, digest: builder.lastDigest)
        }
        return true
    }

    /// - Returns: false where that is one batch's own fault.
    private mutating func undo(_ failure: TransactionBuilder.Failure, _ database: JournalDatabase) throws(JournalError) -> Bool {
        database.rollback()
        switch failure {
        case .batch: return false
        case .transaction(let error): throw failed(error, while: "writing")
        }
    }

    /// Runs something in a transaction of its own, under the same guards.
    mutating func transaction<Value>(
        while doing: String, _ body: (JournalDatabase) throws(DatabaseError) -> Value
    ) throws(JournalError) -> Value {
        let database = try usable()
        try begin(database)
        let value: Value
        do throws(DatabaseError) {
            value = try body(database)
        } catch {
            database.rollback()
            throw failed(error, while: doing)
        }
        try commit(database)
        return value
    }

    private mutating func begin(_ database: JournalDatabase) throws(JournalError) {
        do throws(DatabaseError) {
            try database.run(.begin)
            // Where nobody else has committed since, nobody has taken the journal over either.
            if let count = database.connection.changeCount, count == unchangedAt { return }
            let found = try database.epoch()
            if found == epoch { return }
        } catch {
            database.rollback()
            throw failed(error, while: "beginning a transaction")
        }
        database.rollback()
        throw ended(
            JournalError(
                .fenced, "Another writer has taken this journal over; this one may not write any more.",
                advice: "The lock file was deleted or circumvented: let only one process open the journal.",
                file: file))
    }

    /// The last check and the COMMIT. What fails after it was asked for can have happened or not.
    private mutating func commit(_ database: JournalDatabase) throws(JournalError) {
        if let displacement {
            database.rollback()
            throw ended(displacement)
        }
        do throws(DatabaseError) {
            try database.run(.commit)
        } catch {
            database.rollback()
            throw failed(error, while: "committing", undecided: true)
        }
        unchangedAt = database.connection.changeCount
        options.probe?(.committed)
    }

    /// Why nothing may be written any more: what the names lead to.
    var displacement: JournalError? {
        names.flatMap { error(of: $0.look()) }
    }

    private func error(of finding: FileNames.Finding) -> JournalError? {
        let advice = "Do not rename, link or replace a journal that an app has open. Open it again."
        switch finding {
        case .inPlace: return nil
        case .moved:
            return JournalError(
                .fenced, "The file was moved or replaced while it was open.", advice: advice, file: file)
        case .linked:
            return JournalError(
                .fenced, "The file was given a second name while it was open.", advice: advice, file: file)
        case .withoutWAL:
            return JournalError(
                .fenced, "\(names?.wal ?? "") was deleted while it was open; the newest entries were in it.",
                advice: "Put it back if you can, and open the journal again.", file: file)
        }
    }

    // MARK: Errors

    /// Says what an error means for the journal. FULL and BUSY leave it as it was; after an I/O error nothing that is read
    /// through this connection can be trusted to be on the disk, so it stops, and is never synced again.
    mutating func failed(
        _ error: DatabaseError, while doing: String, undecided: Bool = false
    ) -> JournalError {
        // The WAL may hold room that a checkpoint gives back: the next transaction can then overwrite it.
        if error.isFull { nextCheckpoint = 1 }
        guard error.isInputOutput else { return JournalError(error, file: file, while: doing) }
        sidecar?.mark = .stopped
        let advice =
            "The journal has stopped. Check the disk, then open the journal again: it is copied to a new file first."
        _ = ended(
            JournalError(
                .outcomeUnknown, "The journal stopped at an I/O error (\(error.message)); this was not tried any more.",
                advice: advice, file: file, underlying: error.code))
        return JournalError(
            undecided ? .outcomeUnknown : .inputOutput,
            undecided
                ? "The disk failed at the commit (\(error.message)): what was being written may be there or not."
                : "The disk failed while \(doing) (\(error.message)); nothing of this was written.",
            advice: advice, file: file, underlying: error.code)
    }

    /// Nothing is written from here on. The connection goes at once, without a checkpoint.
    mutating func ended(_ error: JournalError) -> JournalError {
        condition = .ended(error)
        database = nil
        names = nil
        return error
    }

    // MARK: The end

    /// Copies the whole WAL into the database and gives the lock back. Open streams are closed with it.
    mutating func close() throws(JournalError) {
        if case .ended(let error) = condition {
            guard error.code != .closed else { return }
            sidecar = nil
            throw error
        }
        defer {
            _ = ended(closed)
            sidecar = nil
        }
        guard let database, file != nil, forkGeneration == ForkGuard.generation else { return }
        guard displacement == nil, sidecar?.isInPlace != false else { return }
        do throws(DatabaseError) {
            // An empty WAL cannot be read into a file that is put in this one's place. A reader in the way is no error:
            // then the WAL stays as it is.
            database.connection.setBusyTimeout(milliseconds: 0)
            try database.connection.checkpoint(.truncate)
        } catch  where error.isBusy {
        } catch {
            throw failed(error, while: "closing")
        }
    }
}
