/// A transaction in the making: applies batches to the database and remembers what the heads will be once it is committed.
struct Draft {
    enum Failure: Error {
        /// This batch cannot be stored; the others can.
        case batch(JournalError)
        /// Nothing can be stored.
        case transaction(DatabaseError)
    }

    /// What the transaction makes of a stream.
    fileprivate struct StreamDraft {
        let id: StreamID
        /// As it was before; nil where it is not open.
        let stream: WriterState.OpenStream?
        var head: WriterState.Head?
        /// Up to where it is settled as far as is known; only noted with something else.
        var settled: Int
        /// Whether that is to be noted in any case.
        var mustSettle = false
    }

    let database: JournalDatabase
    let file: String?
    /// One moment for all entries of the transaction: they are committed at once.
    let time: Timestamp
    let retention: Retention
    /// Whether each row goes in by itself, so that it is known which one cannot.
    let isolated: Bool
    private(set) var lastPosition: Int
    private(set) var lastDigest = Digest(high: 0, low: 0)
    /// What is not written yet.
    private(set) var rows: EntryRows
    private var drafts: [StreamID: StreamDraft] = [:]
    /// The stream that was written to last: most often the next one too, and most often the only one. Not among the others.
    private var current: StreamDraft?

    init(
        database: JournalDatabase, file: String?, time: Timestamp, retention: Retention, isolated: Bool,
        lastPosition: Int, rows: consuming EntryRows
    ) {
        self.rows = rows
        self.database = database
        self.isolated = isolated
        self.file = file
        self.time = time
        self.retention = retention
        self.lastPosition = lastPosition
    }

    /// The same, but what fails leaves nothing behind in the transaction.
    mutating func applyAlone(
        _ batch: Batch, to streams: [StreamID: WriterState.OpenStream], _ appended: inout [Appended]
    ) throws(Failure) {
        let (before, count) = (self, appended.count)
        try mapping(.savepoint)
        do throws(Failure) {
            try apply(batch, to: streams, &appended)
            try mapping(.releaseSavepoint)
        } catch {
            self = before
            appended.removeLast(appended.count - count)
            if case .batch = error {
                try mapping(.rollbackToSavepoint)
                try mapping(.releaseSavepoint)
            }
            throw error
        }
    }

    private func mapping(_ query: Query) throws(Failure) {
        do throws(DatabaseError) { try database.run(query) } catch { throw .transaction(error) }
    }

    mutating func apply(
        _ batch: Batch, to streams: [StreamID: WriterState.OpenStream], _ appended: inout [Appended]
    ) throws(Failure) {
        for entry in batch.entries {
            turn(to: entry.stream, streams)
            appended.append(try append(entry))
        }
        for (stream, step) in batch.settled {
            turn(to: stream, streams)
            current?.settle(upTo: step)
        }
        if let records = batch.records {
            try writeRows()
            try write(records, of: streams)
        }
    }

    /// What comes next is of that stream.
    private mutating func turn(to id: StreamID, _ streams: [StreamID: WriterState.OpenStream]) {
        if current?.id == id { return }
        if let current { drafts[current.id] = current }
        current = drafts.removeValue(forKey: id) ?? StreamDraft(id, streams[id])
    }

    /// The order of the tables: what refers to a step comes behind the entry, what refers to a run behind the run.
    private func write(
        _ records: Batch.Records, of streams: [StreamID: WriterState.OpenStream]
    ) throws(Failure) {
        try each(records.steps, streams, \.stream, \.step) { step throws(DatabaseError) in try database.write(step) }
        try each(records.runs, streams, \.stream, \.step) { run throws(DatabaseError) in try database.write(run) }
        try each(records.remembered, streams, \.stream, \.step) { step throws(DatabaseError) in
            try database.write(step)
        }
        try each(records.queues, streams, \.stream, nil) { queue throws(DatabaseError) in try database.write(queue) }
        for (stream, interventions) in records.interventions {
            try each(interventions, streams, nil, \.step) { act throws(DatabaseError) in
                try database.write(act, in: stream)
            }
        }
        for (stream, caution) in records.cautions {
            try attempt(streams[stream]?.name, nil) { () throws(DatabaseError) in
                try database.write(caution: caution, of: stream)
            }
        }
        for snapshot in records.snapshots { try checkStep(of: snapshot, streams) }
        try each(records.snapshots, streams, \.stream, \.step) { snapshot throws(DatabaseError) in
            // A snapshot of a step of this very transaction takes the digest from the entry, which is there already.
            try database.write(snapshot, at: time)
            try database.dropSuperfluousSnapshots(of: snapshot.stream, retention)
        }
    }

    private func checkStep(
        of snapshot: NewSnapshot, _ streams: [StreamID: WriterState.OpenStream]
    ) throws(Failure) {
        guard let stream = streams[snapshot.stream] else { return }
        let draft = current?.id == snapshot.stream ? current : drafts[snapshot.stream]
        let head = (draft?.head ?? stream.head).step
        guard (0...head).contains(snapshot.step) else {
            throw .batch(
                JournalError(
                    .noSuchStep, "There is no such step: the stream ends at step \(head).",
                    advice: "Take a snapshot of a step that is there.", file: file, stream: stream.name,
                    step: snapshot.step))
        }
    }

    /// Writes what waits, what the heads became, and up to where they are settled: once for each stream.
    mutating func finish() throws(Failure) {
        try writeRows()
        for draft in drafts.values { try write(draft) }
        if let current { try write(current) }
    }

    private func write(_ draft: StreamDraft) throws(Failure) {
        do throws(DatabaseError) {
            if let head = draft.head {
                try database.updateHead(of: draft.id, step: head.step, digest: head.digest, settled: draft.settled)
            } else if draft.mustSettle {
                try database.settle(draft.id, upTo: draft.settled)
            }
        } catch {
            throw .transaction(error)
        }
    }

    /// The heads are on the disk.
    func update(_ streams: inout [StreamID: WriterState.OpenStream]) {
        for draft in drafts.values { update(draft, &streams) }
        if let current { update(current, &streams) }
    }

    private func update(_ draft: StreamDraft, _ streams: inout [StreamID: WriterState.OpenStream]) {
        guard draft.head != nil || draft.mustSettle else { return }
        if let head = draft.head { streams[draft.id]?.head = head }
        if let mark = draft.stream?.settled { mark.noted = max(mark.noted, draft.settled) }
    }

    /// Adds an entry to the current stream.
    private mutating func append(_ entry: NewEntry) throws(Failure) -> Appended {
        guard let current, let stream = current.stream else {
            throw .batch(JournalError(.closed, "The stream is not open.", advice: "Open it again.", file: file))
        }
        if let dispatch = entry.dispatchID, let first = try repeated(entry, dispatch, stream) { return first }
        if let sender = entry.cause?.stream, let first = try delivered(entry, from: sender, stream) { return first }
        let head = current.head ?? stream.head
        let step = head.step + 1
        let digest = head.digest.chained(body: entry.body, step: step, time: time)
        let position = lastPosition + 1
        rows.append(entry, position: position, step: step, digest: digest)
        if rows.isFull || isolated || entry.dispatchID != nil { try writeRows() }
        if let dispatch = entry.dispatchID {
            try attempt(stream.name, step) { () throws(DatabaseError) in
                try database.insertDispatch(dispatch, in: current.id, step: step, action: Digest(of: entry.action))
            }
        }
        self.current?.head = WriterState.Head(step: step, digest: digest)
        lastPosition = position
        lastDigest = digest
        return Appended(step: step, position: position, stamp: Appended.Stamp(time: time, digest: digest))
    }

    /// The entries that wait. Before anything is written that refers to them, or read that they may be found by.
    private mutating func writeRows() throws(Failure) {
        guard let last = rows.rows.last else { return }
        do throws(DatabaseError) {
            try database.insert(rows, at: time)
        } catch {
            // The step is that of the one row; where there are several, nobody is told.
            throw failure(error, current?.stream?.name, last.step)
        }
        rows.removeAll()
    }

    /// Asking twice is asking once: the first one's place, where the ID was used before.
    private func repeated(
        _ entry: NewEntry, _ id: String, _ stream: WriterState.OpenStream
    ) throws(Failure) -> Appended? {
        let found = try attempt(stream.name, nil) { () throws(DatabaseError) in
            try database.dispatch(id, in: entry.stream)
        }
        guard let found else { return nil }
        guard found.action == Digest(of: entry.action) else {
            throw .batch(
                JournalError(
                    .dispatchIDReused, "The dispatch ID '\(id)' was used before, for another action.",
                    advice: "Give each action an ID of its own; the same one only to ask again for the same action.",
                    file: file, stream: stream.name, step: found.step))
        }
        let position = try attempt(stream.name, found.step) { () throws(DatabaseError) in
            try database.position(of: entry.stream, at: found.step)
        }
        return Appended(step: found.step, position: position, stamp: nil)
    }

    /// What another machine sends arrives once.
    private mutating func delivered(
        _ entry: NewEntry, from sender: StreamID, _ stream: WriterState.OpenStream
    ) throws(Failure) -> Appended? {
        try writeRows()
        return try attempt(stream.name, nil) { () throws(DatabaseError) in
            try database.entry(in: entry.stream, from: sender, step: entry.cause?.step, run: entry.cause?.run)
        }.map { Appended(step: $0.step, position: $0.position, stamp: nil) }
    }

    private func each<Item>(
        _ items: [Item], _ streams: [StreamID: WriterState.OpenStream], _ stream: KeyPath<Item, StreamID>?,
        _ step: KeyPath<Item, Int>?, _ write: (Item) throws(DatabaseError) -> Void
    ) throws(Failure) {
        for item in items {
            try attempt(stream.flatMap { streams[item[keyPath: $0]]?.name }, step.map { item[keyPath: $0] }) {
                () throws(DatabaseError) in try write(item)
            }
        }
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

extension Draft.StreamDraft {
    fileprivate init(_ id: StreamID, _ stream: WriterState.OpenStream?) {
        self.id = id
        self.stream = stream
        settled = stream?.settled.reached ?? 0
    }

    fileprivate mutating func settle(upTo step: Int) {
        settled = max(settled, step)
        mustSettle = true
    }
}
