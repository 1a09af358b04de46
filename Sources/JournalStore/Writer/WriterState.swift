/// What the writer knows while it works, and what it does in one transaction. Guarded by the writer's lock.
struct WriterState {
    /// The newest entry of a stream that is open.
    struct Head: Hashable {
        var step: Int
        var digest: Digest
    }

    struct OpenStream: Hashable {
        var name: String
        var head: Head
    }

    /// Whether it may still write.
    enum Condition {
        case open
        /// Nothing is written any more; each call is told why.
        case ended(JournalError)
    }

    let options: Journal.Options
    let file: String?
    private let identity: FileIdentity?
    private let walPath: String
    private let walIdentity: FileIdentity?
    private let epoch: Int64
    private let forkGeneration = ForkGuard.generation
    private var database: JournalDatabase?
    private var sidecar: Sidecar?
    private var condition = Condition.open
    private var lastPosition: Int
    private var streams: [StreamID: OpenStream] = [:]
    private var nextCheckpoint: Int

    init(_ opened: sending Opening.Opened, options: Journal.Options) {
        self.options = options
        file = opened.file
        identity = opened.identity
        walPath = (opened.file ?? "") + "-wal"
        walIdentity = opened.file == nil ? nil : Platform.status(ofPath: walPath)?.identity
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

    struct Committed {
        /// One for each batch, in order.
        var results: [Result<[Appended], JournalError>]
        /// The newest position, where entries were added.
        var lastPosition: Int?
    }

    /// Commits so many batches in one transaction. Where an item of one of them cannot be stored, that batch alone fails.
    mutating func commit(_ count: Int, _ batch: (Int) -> Batch) -> Committed {
        do throws(JournalError) {
            let before = lastPosition
            var results = try transaction(count, batch, isolated: false)
            // Savepoints cost time, so they are only taken when it is known that something has to be left out.
            if results == nil { results = try transaction(count, batch, isolated: true) }
            return Committed(results: results ?? [], lastPosition: lastPosition > before ? lastPosition : nil)
        } catch {
            return Committed(results: Array(repeating: .failure(error), count: count), lastPosition: nil)
        }
    }

    /// - Returns: nil where a batch failed by itself and `isolated` is false: nothing was written.
    private mutating func transaction(
        _ count: Int, _ batch: (Int) -> Batch, isolated: Bool
    ) throws(JournalError) -> [Result<[Appended], JournalError>]? {
        let database = try usable()
        try begin(database)
        var draft = Draft(
            database: database, file: file, time: options.clock(), retention: options.retention,
            lastPosition: lastPosition)
        var results: [Result<[Appended], JournalError>] = []
        results.reserveCapacity(count)
        for index in 0..<count {
            let batch = batch(index)
            do throws(Draft.Failure) {
                results.append(
                    .success(try isolated ? draft.applyAlone(batch, to: streams) : draft.apply(batch, to: streams)))
            } catch {
                switch error {
                case .batch(let error) where isolated:
                    results.append(.failure(error))
                case .batch:
                    database.rollback()
                    return nil
                case .transaction(let error):
                    database.rollback()
                    throw failed(error, while: "writing")
                }
            }
        }
        do throws(DatabaseError) {
            try draft.writeHeads()
        } catch {
            database.rollback()
            throw failed(error, while: "writing")
        }
        try commit(database)
        for (stream, head) in draft.heads { streams[stream]?.head = head }
        if draft.lastPosition > lastPosition {
            lastPosition = draft.lastPosition
            sidecar?.acknowledged = Sidecar.Acknowledged(position: lastPosition, digest: draft.lastDigest)
        }
        return results
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
        let found: Int64
        do throws(DatabaseError) {
            try database.run(.begin)
            found = try database.epoch()
        } catch {
            database.rollback()
            throw failed(error, while: "beginning a transaction")
        }
        guard found == epoch else {
            database.rollback()
            throw ended(
                JournalError(
                    .fenced, "Another writer has taken this journal over; this one may not write any more.",
                    advice: "The lock file was deleted or circumvented: let only one process open the journal.",
                    file: file))
        }
    }

    /// The last check and the COMMIT. What fails after it was asked for can have happened or not.
    private mutating func commit(_ database: JournalDatabase) throws(JournalError) {
        if let moved = fileWasMoved() {
            database.rollback()
            throw ended(moved)
        }
        do throws(DatabaseError) {
            try database.run(.commit)
        } catch {
            database.rollback()
            throw failed(error, while: "committing", undecided: true)
        }
    }

    /// The names must still lead to the files that are open: under another name another writer would have another lock and
    /// another WAL, and what goes into a WAL that was deleted is gone with this process. Two `stat` in each transaction.
    private func fileWasMoved() -> JournalError? {
        guard let file, let identity else { return nil }
        let here = Platform.status(ofPath: file)
        if here?.identity == identity, here?.links == 1 {
            if Platform.status(ofPath: walPath)?.identity == walIdentity { return nil }
            return JournalError(
                .fenced, "\(walPath) was deleted or replaced while it was open; the newest entries were in it.",
                advice: "Put it back if you can, and open the journal again.", file: file)
        }
        return JournalError(
            .fenced,
            here?.identity == identity
                ? "The file was given a second name while it was open."
                : "The file was moved or replaced while it was open.",
            advice: "Do not rename, link or replace a journal that an app has open. Open it again.", file: file)
    }

    // MARK: Errors

    /// Says what an error means for the journal. FULL and BUSY leave it as it was; after an I/O error nothing that is read
    /// through this connection can be trusted to be on the disk, so it stops, and is never synced again.
    private mutating func failed(
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
    private mutating func ended(_ error: JournalError) -> JournalError {
        condition = .ended(error)
        database = nil
        return error
    }

    // MARK: Streams

    mutating func openStream(
        _ name: String, machine: String
    ) throws(JournalError) -> StreamInfo {
        let epoch = epoch
        let created = options.clock()
        let info = try transaction(while: "opening stream '\(name)'") { database throws(DatabaseError) in
            if try database.stream(named: name) == nil {
                let seed = Platform.randomBytes(16)
                try database.insertStream(
                    name: name, machine: machine, created: created, seed: seed,
                    genesis: .genesis(name: name, machine: machine, seed: seed), epoch: epoch)
            }
            guard let info = try database.stream(named: name) else { throw .damagedRow("the stream is not there") }
            if info.machine == machine { try database.markOpen(info.id, epoch: epoch) }
            return info
        }
        guard info.machine == machine else {
            throw JournalError(
                .otherMachine, "The stream belongs to the machine '\(info.machine)', not to '\(machine)'.",
                advice: "Open it with its own machine, or use another name for the stream.", file: file, stream: name)
        }
        guard streams[info.id] == nil else {
            throw JournalError(
                .streamOpen, "The stream is open already.", advice: "Share the one that is open, or close it first.",
                file: file, stream: name)
        }
        streams[info.id] = OpenStream(name: name, head: Head(step: info.headStep, digest: info.headDigest))
        return info
    }

    mutating func closeStream(_ id: StreamID) {
        streams[id] = nil
    }

    // MARK: Pruning

    mutating func prune(_ name: String, before step: Int) throws(JournalError) -> PruneReport {
        let database = try usable()
        let (info, plan) = try JournalError.at(file, "planning to prune", stream: name) { () throws(DatabaseError) in
            guard let info = try database.stream(named: name) else { return (nil as StreamInfo?, nil as PrunePlan?) }
            return (
                info,
                PrunePlan(
                    before: step, settled: info.settledStep, marks: try database.snapshotMarks(of: info.id),
                    liveSteps: try database.liveRunSteps(of: info.id))
            )
        }
        guard step > 0 else {
            throw JournalError(
                .badArgument, "Steps begin with 1.", advice: "Name the first step that must stay.", file: file,
                stream: name)
        }
        guard let info else {
            throw JournalError(
                .unknownStream, "There is no such stream.", advice: "Check the name.", file: file, stream: name)
        }
        guard step <= info.headStep else {
            throw JournalError(
                .noSuchStep, "The stream ends at step \(info.headStep); the newest entry always stays.",
                advice: "Prune before a step that is there.", file: file, stream: name, step: step)
        }
        // Nothing before the base is there any more, but for what running effects needed: an earlier step means that step.
        if step <= info.prunedStep { return try prune(name, before: info.prunedStep + 1) }
        guard let plan else {
            throw JournalError(
                .noUsableSnapshot,
                "No snapshot before this step stands in for what would be removed (settled up to step \(info.settledStep)).",
                advice: "Take a snapshot first.", file: file, stream: name, step: step)
        }
        let isWhole = try JournalError.at(file, "checking the base", stream: name, step: plan.base) {
            () throws(DatabaseError) -> Bool in
            if plan.base == info.prunedStep { return true }
            let entry = try database.entryDigest(of: info.id, at: plan.base)
            return try database.snapshot(of: info.id, atOrBefore: plan.base)?.digest == entry
        }
        guard isWhole else {
            throw JournalError(
                .noUsableSnapshot, "The snapshot does not belong to the entry of its step, so nothing was removed.",
                advice: "Run `journal-replay verify`, and take a new snapshot.", file: file, stream: name,
                step: plan.base)
        }
        let removed = try transaction(while: "pruning") { database throws(DatabaseError) in
            try database.prune(info.id, plan)
        }
        return PruneReport(
            base: plan.base, removedEntries: removed, keptEntries: plan.islands.map(\.count).reduce(0, +))
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
        guard fileWasMoved() == nil, sidecar?.isInPlace != false else { return }
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

    // MARK: Checkpoints

    var checkpointIsDue: Bool {
        (database?.connection.pagesInWAL ?? 0) >= nextCheckpoint
    }

    /// PASSIVE, between two commits: inside of COMMIT it makes the slowest commits many times slower. The file is kept and
    /// overwritten, as that is twice as fast as one that grows; it is cut off only when it has grown abnormally.
    /// https://www.sqlite.org/wal.html#ckpt
    mutating func checkpoint() {
        guard let database, file != nil else { return }
        // A lock that is gone protects nothing: another writer may be at work on the same WAL.
        guard fileWasMoved() == nil, sidecar?.isInPlace != false else {
            nextCheckpoint = .max
            return
        }
        do throws(DatabaseError) {
            let pages = database.connection.pagesInWAL
            var isDone = try database.connection.checkpoint(.passive)
            if isDone, pages >= options.abnormalPages {
                database.connection.setBusyTimeout(milliseconds: 0)
                defer { database.setBusyTimeout(options.busyTimeout) }
                isDone = try database.connection.checkpoint(.truncate)
            }
            // A reader that stays in the way must not cause a checkpoint at every commit.
            nextCheckpoint = isDone ? options.checkpointPages : pages + options.checkpointPages
        } catch  where error.isBusy {
            nextCheckpoint += options.checkpointPages
        } catch {
            _ = failed(error, while: "copying the WAL into the database")
        }
    }
}
