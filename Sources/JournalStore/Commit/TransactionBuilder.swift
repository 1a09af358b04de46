/// Applies batches to the database inside one transaction, and holds the new heads of their streams until the commit.
struct TransactionBuilder {
    enum Failure: Error {
        /// This batch cannot be stored, the others can.
        case batch(JournalError)
        /// The whole transaction has failed.
        case transaction(DatabaseError)
    }

    /// What the transaction changes of a stream.
    fileprivate struct StreamChange {
        let id: StreamID
        /// The stream, as it was before the transaction; nil if it is not open.
        let stream: WriterState.OpenStream?
        var head: WriterState.Head?
        /// The newest settlement watermark.
        var watermark: Int
        /// The change of the digests of its records.
        var records = RecordsDigest()
        /// The new record of the stream's crash loop; nil if it stays.
        var crashLoop: String??
        /// Whether the stream's row must be written.
        var isChanged = false
    }

    let database: JournalDatabase
    let file: String?
    /// The time of all entries of the transaction.
    let time: Timestamp
    let retention: Retention
    /// Whether each row is inserted by itself, so that it is known which one cannot be.
    let isolated: Bool
    private(set) var lastPosition: Int
    private(set) var lastDigest: Digest
    /// How many of its entries the app has dispatched.
    private(set) var dispatched = 0
    /// The number of this transaction.
    let number: Int64
    /// A stream whose row the transaction has written; nil until then.
    private(set) var changedStream: StreamID?
    /// Entries that are not inserted yet.
    private(set) var rows: EntryRows
    /// Runs that are not written yet: the newest record of each, because a short effect begins and ends in one
    /// transaction.
    private var runs = NewestRuns()
    /// What it changes of each stream, in the order in which they came.
    private var changes: [StreamChange] = []
    /// The places of the streams in ``changes``.
    private var places: [StreamID: Int] = [:]
    /// The place of the stream that was selected last.
    private var current = 0
    /// Whether anything was written since the batch that is being applied began. If not, it can fail without a
    /// rollback.
    private(set) var hasWritten = false
    /// The streams whose deferred writes failed, in this transaction or just before it, and why.
    private var excluded: [StreamID: JournalError]
    /// The streams whose deferred writes are in this transaction, or were written just before it.
    private var written: Set<StreamID>
    /// How often another connection has changed the file.
    private let changesByOthers: Int

    init(
        database: JournalDatabase, file: String?, time: Timestamp, retention: Retention, isolated: Bool,
        number: Int64, last: Acknowledged, rows: consuming EntryRows, after earlier: WriterState.EarlierRecords,
        changesByOthers: Int
    ) {
        (excluded, written, self.changesByOthers) = (earlier.refused, earlier.written, changesByOthers)
        self.rows = rows
        (self.database, self.isolated, self.file, self.time) = (database, isolated, file, time)
        (self.retention, self.number) = (retention, number)
        (lastPosition, lastDigest) = (last.position, last.digest)
    }

    /// Applies a batch in a savepoint: a batch that fails leaves nothing in the transaction.
    mutating func applyIsolated(
        _ batch: Batch, to streams: [StreamID: WriterState.OpenStream], _ appended: inout [Appended]
    ) throws(Failure) {
        let before = savedState(of: batch.streams)
        try run(.savepoint)
        do throws(Failure) {
            try checkRows(of: batch, streams)
            try apply(batch, to: streams, &appended)
            try run(.releaseSavepoint)
        } catch {
            restore(before)
            if case .batch = error {
                try run(.rollbackToSavepoint)
                try run(.releaseSavepoint)
            }
            throw error
        }
    }

    /// What a batch can change. Only its own streams: a copy of all would cost more with each stream of the
    /// transaction.
    private struct SavedState {
        var changes: [StreamChange]
        var changedStreams: Int
        var lastPosition: Int
        var lastDigest: Digest
        var dispatched: Int
    }

    /// - Parameter streams: those that the batch changes.
    private func savedState(of streams: Set<StreamID>) -> SavedState {
        SavedState(
            changes: streams.compactMap { change(of: $0) }, changedStreams: changes.count, lastPosition: lastPosition,
            lastDigest: lastDigest, dispatched: dispatched)
    }

    private mutating func restore(_ before: SavedState) {
        for change in changes[before.changedStreams...] { places[change.id] = nil }
        changes.removeLast(changes.count - before.changedStreams)
        current = 0
        for change in before.changes { if let place = places[change.id] { changes[place] = change } }
        (lastPosition, lastDigest, dispatched) = (before.lastPosition, before.lastDigest, before.dispatched)
        // In isolation the rows of earlier batches are written.
        rows.removeAll()
        runs = NewestRuns()
    }

    /// The row of a stream is written at the end, for all batches. If it cannot be, only the batches of that stream
    /// fail.
    private func checkRows(
        of batch: Batch, _ streams: [StreamID: WriterState.OpenStream]
    ) throws(Failure) {
        for id in batch.streams {
            guard let stream = streams[id], stream.checkedAt != changesByOthers else { continue }
            let kept = change(of: id)?.kept ?? stream.kept
            try attempt(stream.name, nil) { () throws(DatabaseError) in
                try database.check(kept.value, watermark: stream.watermark.noted)
            }
        }
    }

    private func run(_ query: Query) throws(Failure) {
        do throws(DatabaseError) { try database.run(query) } catch { throw .transaction(error) }
    }

    /// Refuses later batches that have records of the same streams: those records build on the ones of this batch.
    mutating func exclude(_ batch: Batch, _ error: JournalError) {
        for stream in batch.recordedStreams { excluded[stream] = error }
    }

    /// Notes that the records that were missing for a stream are in this transaction.
    mutating func include(_ batch: Batch) { written.formUnion(batch.recordedStreams) }

    /// Refuses what builds on records of a stream that could not be written.
    ///
    /// - Parameter stream: the stream; nil if it is not open.
    private func checkEarlierRecords(of id: StreamID, _ stream: WriterState.OpenStream?) throws(Failure) {
        if let error = excluded[id] { throw .batch(changed(error) { $0.isOfEarlierRecords = true }) }
        guard let stream, stream.watermark.isBlocked, !written.contains(id) else { return }
        throw .batch(.unwrittenRecords(of: stream.name, file: file))
    }

    mutating func apply(
        _ batch: Batch, to streams: [StreamID: WriterState.OpenStream], _ appended: inout [Appended]
    ) throws(Failure) {
        hasWritten = false
        if batch.records != nil {
            for stream in batch.recordedStreams { try checkEarlierRecords(of: stream, streams[stream]) }
        }
        for entry in batch.entries {
            select(entry.stream, streams)
            appended.append(try append(entry))
        }
        hasWritten = true
        for (stream, step) in batch.settled {
            select(stream, streams)
            changes[current].settle(upTo: step)
        }
        if var records = batch.records {
            // A message can have waited for its receiver since it was sent. It ends when that has it.
            if batch.entries.first?.origin == .machine {
                for index in records.runs.indices where records.runs[index].ended != nil {
                    records.runs[index].ended = time
                }
            }
            try writeRows()
            try write(records, of: streams)
        }
    }

    /// Makes a stream the current one. Usually it is already: the next entry is of the same stream.
    private mutating func select(_ id: StreamID, _ streams: [StreamID: WriterState.OpenStream]) {
        if current < changes.count, changes[current].id == id { return }
        if let place = places[id] {
            current = place
        } else {
            current = changes.count
            places[id] = current
            changes.append(StreamChange(id, streams[id]))
        }
    }

    /// What the transaction changes of a stream; nil if nothing.
    private func change(of id: StreamID) -> StreamChange? { places[id].map { changes[$0] } }

    /// Writes rows that refer to a step after its entry, and rows that refer to a run after the run.
    private mutating func write(_ records: Batch.Records, of streams: [StreamID: WriterState.OpenStream])
        throws(Failure)
    {
        let (database, time, retention) = (database, time, retention)
        for step in records.steps {
            try change(step.stream, step.step, streams) { () throws(DatabaseError) in try database.write(step) }
        }
        for run in records.runs { runs.add(run) }
        // Retention looks for live runs, and a remembered step for the run that it belongs to.
        if isolated || !records.snapshots.isEmpty || !records.remembered.isEmpty { try writeRuns(of: streams) }
        for step in records.remembered {
            try change(step.stream, step.step, streams) { () throws(DatabaseError) in try database.write(step) }
        }
        for queue in records.queues {
            try change(queue.stream, nil, streams) { () throws(DatabaseError) in try database.write(queue) }
        }
        for (stream, acts) in records.interventions {
            for act in acts {
                try change(stream, act.step, streams) { () throws(DatabaseError) in try database.write(act, in: stream)
                }
            }
        }
        for (stream, record) in records.crashLoops {
            try change(stream, nil, streams) { () throws(DatabaseError) in
                try database.write(crashLoop: record, of: stream)
                return RecordsDigest()
            }
            changes[current].crashLoop = .some(record)
        }
        for snapshot in records.snapshots { try check(snapshot, streams) }
        for snapshot in records.snapshots {
            try change(snapshot.stream, snapshot.step, streams) { () throws(DatabaseError) in
                try database.write(snapshot, at: time)
                    ^ database.dropSuperfluousSnapshots(of: snapshot.stream, retention)
            }
        }
    }

    private mutating func writeRuns(of streams: [StreamID: WriterState.OpenStream]) throws(Failure) {
        let database = database
        for run in runs.take() {
            try change(run.stream, run.step, streams) { () throws(DatabaseError) in try database.write(run) }
        }
    }

    /// Writes a record of a stream.
    ///
    /// - Parameter write: returns the change of the digests of the stream's records.
    private mutating func change(
        _ stream: StreamID, _ step: Int?, _ streams: [StreamID: WriterState.OpenStream],
        _ write: () throws(DatabaseError) -> RecordsDigest
    ) throws(Failure) {
        select(stream, streams)
        let digest = try attempt(changes[current].stream?.name, step, write)
        changes[current].records ^= digest
        changes[current].isChanged = true
    }

    private func check(version: Int, _ stream: String) throws(Failure) {
        guard NewEntry.versions.contains(version) else {
            throw .batch(
                ErrorLocation(file: file, stream: stream).error(
                    .badArgument, "The version \(version) cannot be stored.",
                    advice: "Use one from 0 to \(NewEntry.versions.upperBound)."))
        }
    }

    private func check(_ snapshot: NewSnapshot, _ streams: [StreamID: WriterState.OpenStream]) throws(Failure) {
        guard let stream = streams[snapshot.stream] else { return }
        try check(version: snapshot.version, stream.name)
        let head = (change(of: snapshot.stream)?.head ?? stream.head).step
        guard (0...head).contains(snapshot.step) else {
            throw .batch(
                ErrorLocation(file: file, stream: stream.name, step: snapshot.step).error(
                    .noSuchStep, "There is no such step: the stream ends at step \(head).",
                    advice: "Take a snapshot of a step up to that one."))
        }
    }

    /// Writes the remaining entries and runs, and the row of each changed stream once.
    mutating func finish(_ streams: [StreamID: WriterState.OpenStream]) throws(Failure) {
        try writeRows()
        try writeRuns(of: streams)
        for change in changes { try write(change) }
    }

    private mutating func write(_ change: StreamChange) throws(Failure) {
        guard change.isChanged else { return }
        do throws(DatabaseError) {
            if let stream = change.stream {
                let head = change.head ?? stream.head
                if stream.checkedAt != changesByOthers {
                    let kept = change.kept ?? stream.kept
                    try database.check(kept.value, watermark: stream.watermark.noted)
                }
                try database.update(
                    change.id,
                    JournalDatabase.StreamUpdate(
                        step: head.step, digest: head.digest, settled: max(change.watermark, stream.watermark.noted),
                        transaction: number, records: stream.records ^ change.records))
            } else {
                try database.update(
                    change.id, records: change.records, settled: change.watermark, transaction: number)
            }
        } catch {
            // In isolation the row was checked before.
            throw isolated ? .transaction(error) : failure(error, change.stream?.name, nil)
        }
        changedStream = change.id
    }

    /// Updates the streams' heads after the commit.
    func updateStreams() {
        for change in changes { update(change) }
    }

    private func update(_ change: StreamChange) {
        guard change.isChanged, let stream = change.stream else { return }
        stream.checkedAt = changesByOthers
        if let head = change.head { stream.head = head }
        stream.records ^= change.records
        if change.crashLoop != nil, let kept = change.kept { stream.kept = kept }
        stream.watermark.noted = max(stream.watermark.noted, change.watermark)
    }

    /// Appends an entry to the current stream.
    private mutating func append(_ entry: NewEntry) throws(Failure) -> Appended {
        guard let stream = changes[current].stream else {
            throw .batch(JournalError(.closed, "The stream is not open.", advice: "Open it again.", file: file))
        }
        try check(version: entry.version, stream.name)
        if let dispatch = entry.dispatch, let first = try repeated(entry, dispatch, stream) { return first }
        if let sender = entry.cause?.stream, let first = try delivered(entry, from: sender, stream) { return first }
        // It ends its run. Without the record of that run, an opening with newer code could take it for that of another.
        if entry.isProvisional { try checkEarlierRecords(of: entry.stream, stream) }
        let head = changes[current].head ?? stream.head
        let step = head.step + 1
        let position = lastPosition + 1
        // No reader accepts a number after the last one. A file from elsewhere can have it.
        guard step <= StoredRange.last, position <= StoredRange.last else {
            throw .batch(
                ErrorLocation(file: file, stream: stream.name, step: head.step).error(
                    .notStorable, "No entry can follow: its step or its position is the last one.",
                    advice: "Run `journal-replay verify`: the file was changed by hand or comes from elsewhere."))
        }
        let digest = head.digest.chained(body: entry.body, position: position, time: time)
        hasWritten = true
        rows.append(entry, position: position, step: step, digest: digest)
        if rows.isFull || isolated || entry.dispatch != nil { try writeRows() }
        if let dispatch = entry.dispatch {
            let digest = try attempt(stream.name, step) { () throws(DatabaseError) in
                try database.insert(dispatch, in: entry.stream, step: step)
            }
            changes[current].records ^= digest
        }
        changes[current].isChanged = true
        changes[current].head = WriterState.Head(step: step, digest: digest)
        lastPosition = position
        lastDigest = digest
        if entry.origin == .dispatched { dispatched += 1 }
        return Appended(step: step, position: position, stamp: Appended.Stamp(time: time, digest: digest))
    }

    /// Inserts the entries that wait: before rows that refer to them, and before queries that must find them.
    private mutating func writeRows() throws(Failure) {
        guard let last = rows.rows.last else { return }
        hasWritten = true
        do throws(DatabaseError) {
            try database.insert(rows, at: time)
        } catch {
            // If there are several rows, the transaction is repeated in isolation, and then the step is right.
            throw failure(error, changes.isEmpty ? nil : changes[current].stream?.name, last.step)
        }
        rows.removeAll()
    }

    /// The first entry with the same dispatch ID, if there is one.
    private func repeated(
        _ entry: NewEntry, _ dispatch: NewEntry.Dispatch, _ stream: WriterState.OpenStream
    ) throws(Failure) -> Appended? {
        let found = try attempt(stream.name, nil) { () throws(DatabaseError) in
            try database.dispatch(dispatch.id, in: entry.stream)
        }
        guard let found else {
            do throws(JournalError) {
                try NameRule.check(dispatchID: dispatch.id, file: file, stream: stream.name)
            } catch {
                throw .batch(error)
            }
            return nil
        }
        guard found.action == dispatch.action else {
            throw .batch(
                ErrorLocation(file: file, stream: stream.name, step: found.step).error(
                    .dispatchIDReused, "The dispatch ID '\(dispatch.id)' was used before, for another action.",
                    advice: "Use an ID again only to ask again for the same action."
                        + (found.step > stream.kept.value.prunedStep
                            ? ""
                            : " The entry was pruned, so only an action with the same text is recognized.")))
        }
        let position = try attempt(stream.name, found.step) { () throws(DatabaseError) in
            try database.position(of: entry.stream, at: found.step)
        }
        return Appended(step: found.step, position: position, stamp: nil)
    }

    /// The entry of the same message, if it was delivered before: a message arrives once.
    private mutating func delivered(
        _ entry: NewEntry, from sender: StreamID, _ stream: WriterState.OpenStream
    ) throws(Failure) -> Appended? {
        try writeRows()
        return try attempt(stream.name, nil) { () throws(DatabaseError) in
            try database.entry(in: entry.stream, from: sender, step: entry.cause?.step, run: entry.cause?.run)
        }.map { Appended(step: $0.step, position: $0.position, stamp: nil) }
    }

    private func attempt<Value>(
        _ stream: String?, _ step: Int?, _ body: () throws(DatabaseError) -> Value
    ) throws(Failure) -> Value {
        do throws(DatabaseError) {
            return try body()
        } catch {
            throw failure(error, stream, step)
        }
    }

    private func failure(_ error: DatabaseError, _ stream: String?, _ step: Int?) -> Failure {
        guard error.concernsOneItem else { return .transaction(error) }
        return .batch(JournalError(error, file: file, stream: stream, step: step, while: "writing"))
    }
}

extension TransactionBuilder.StreamChange {
    fileprivate init(_ id: StreamID, _ stream: WriterState.OpenStream?) {
        self.id = id
        self.stream = stream
        watermark = stream?.watermark.reached ?? -1
    }

    /// What the stream's row holds besides, with what this transaction has written.
    fileprivate var kept: Boxed<StreamInfo>? {
        guard let stream else { return nil }
        guard let crashLoop else { return stream.kept }
        return Boxed(changed(stream.kept.value) { $0.crashLoop = crashLoop })
    }

    fileprivate mutating func settle(upTo step: Int) {
        watermark = max(watermark, step)
        isChanged = true
    }
}

extension JournalError {
    /// Records of a stream wait that could not be written, and what is asked for would have to come after them.
    static func unwrittenRecords(of stream: String, file: String?) -> JournalError {
        changed(
            JournalError(
                .notStorable, "Earlier records of the stream could not be written yet.",
                advice:
                    "The notice `record-incomplete` names the cause. Remove that cause, then call `flush()`, which "
                    + "writes them.",
                file: file, stream: stream)
        ) { $0.isOfEarlierRecords = true }
    }
}
