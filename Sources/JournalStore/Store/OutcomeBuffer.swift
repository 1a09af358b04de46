/// The outcomes of a stream's steps on their way to the disk: records that the next transaction takes, and the
/// settlement watermark.
///
/// Records stay here until they are on the disk. While any of them is unwritten, the watermark stays at the step before
/// the oldest of them, whatever the reason: so a crash loses none of them, because the next opening settles those steps
/// again. Of each run and each queue only the newest record is kept.
final class OutcomeBuffer: DeferredWriteSource {
    private struct State {
        /// The newest step that is settled; nil if none was settled since the opening.
        var settled: Int?
        var isQueued = false
        /// It is queued as one that can wait.
        var isQueuedPatiently = false
        var isOver = false
        /// Records that no transaction has taken; nil if there are none.
        var unwritten: OutcomeRecords?
        /// Records in the transaction under way.
        var underWay: OutcomeRecords?
        /// Why the newest attempt to write failed; nil after one that succeeded.
        var failure: Boxed<JournalError>?
        /// How many changes are on the disk.
        var written = 0
        /// The store whose records these are.
        var owner: WeakStore?

        var holdsUnwritten: Bool { unwritten.map { !$0.isEmpty } ?? false }

        /// The step up to which every record is on the disk. Nil while records are unwritten: then it stays as it was.
        var watermark: Int? { !holdsUnwritten && underWay == nil ? settled : nil }

        /// The settled step that the database does not know of.
        func owed(_ noted: Int) -> Int? { settled.flatMap { $0 > noted ? $0 : nil } }

        func mustBeWritten(_ noted: Int) -> Bool { holdsUnwritten || owed(noted) != nil }
    }

    private let stream: StreamID
    private let writer: JournalWriter
    private let watermark: SettlementWatermark
    private let state = Lock(State())

    init(stream: StreamID, writer: JournalWriter, watermark: SettlementWatermark) {
        (self.stream, self.writer, self.watermark) = (stream, writer, watermark)
    }

    /// Sets the store to call when records were written, or could not be.
    func connect(_ owner: any OpenStore) {
        state.withLock { $0.owner = WeakStore(owner) }
    }

    /// Why records could not be written at the newest attempt; nil if all went well.
    var failure: JournalError? { state.withLock { $0.failure?.value } }

    /// Whether records are not on the disk yet. A settled step without records does not count: an opening settles it
    /// again.
    var holdsRecords: Bool { state.withLock { $0.holdsUnwritten || $0.underWay?.isEmpty == false } }

    /// The record of a step that is not on the disk yet.
    func unwrittenRecord(of step: Int) -> StepRecord? {
        state.withLock { state in
            for records in [state.unwritten, state.underWay] {
                if let record = records?.steps.last(where: { $0.step == step }) { return record }
            }
            return nil
        }
    }

    /// The records of a step's runs that are not on the disk.
    func unwrittenRuns(of step: Int) -> [RunKey: EffectRun] {
        state.withLock { state in
            let underWay = state.underWay?.runs(of: step) ?? [:]
            return underWay.merging(state.unwritten?.runs(of: step) ?? [:]) { _, newer in newer }
        }
    }

    /// A step is settled that has no records.
    func add(settled step: Int) {
        let urgency: DeferredWriteQueue.Urgency? = state.withLock { state in
            if state.isOver { return nil }
            state.settled = step
            guard let watermark = state.watermark else { return urgencyToQueue(&state) }
            // Noted with the stream's next entry, in the same row.
            self.watermark.reached = watermark
            defer { state.isQueuedPatiently = true }
            return state.isQueuedPatiently ? nil : .patient
        }
        if let urgency { writer.deferWrite(of: self, urgency) }
    }

    /// Adds records, and the step that is settled with them.
    func add(settled: Int?, _ records: OutcomeRecords) {
        let urgency: DeferredWriteQueue.Urgency? = state.withLock { state in
            if state.isOver { return nil }
            state.settled = settled ?? state.settled
            if let earlier = state.unwritten { earlier.add(records) } else { state.unwritten = records }
            return urgencyToQueue(&state)
        }
        if let urgency { writer.deferWrite(of: self, urgency) }
    }

    /// How the buffer must be queued now, and notes that it is; nil if it is queued, or has nothing to write. Records
    /// that could not be written are patient: to try them with each transaction would slow down all streams.
    private func urgencyToQueue(_ state: inout State) -> DeferredWriteQueue.Urgency? {
        guard !state.isOver, state.mustBeWritten(watermark.noted), state.underWay == nil else { return nil }
        if watermark.isBlocked {
            defer { state.isQueuedPatiently = true }
            return state.isQueuedPatiently ? nil : .patient
        }
        defer { state.isQueued = true }
        return state.isQueued ? nil : .soon
    }

    /// Drops everything: another store may have the stream from now on.
    ///
    /// - Parameter error: why, if callers may still wait for the records.
    func end(_ error: JournalError? = nil) {
        state.withLock { state in
            if let error, state.holdsUnwritten { state.failure = Boxed(error) }
            state.unwritten = nil
            state.settled = nil
            state.isOver = true
            state.owner = nil
        }
    }

    func take(_ urgency: DeferredWriteQueue.Urgency) -> Batch? {
        state.withLock { state -> Batch? in
            switch urgency {
            case .soon: state.isQueued = false
            case .patient: state.isQueuedPatiently = false
            }
            // It can be queued twice, and a transaction takes it once.
            if state.isOver || state.underWay != nil { return nil }
            guard state.mustBeWritten(watermark.noted) else { return nil }
            let records = state.unwritten.take() ?? OutcomeRecords()
            records.settled = state.owed(watermark.noted)
            state.underWay = records
            return records.batch(stream)
        }
    }

    func isStuck() -> Bool { watermark.isStuck() }

    func wasWritten(_ result: Result<Void, JournalError>) {
        var news: Result<Int, JournalError>?
        var urgency: DeferredWriteQueue.Urgency?
        var owner: WeakStore?
        state.withLock { state in
            owner = state.owner
            guard let records = state.underWay.take() else { return }
            switch result {
            case .success:
                // Records that came later can have been dropped.
                if !state.isOver { state.failure = nil }
                if let reached = state.watermark ?? records.settled {
                    watermark.reached = max(watermark.reached, reached)
                }
                // A step without records is no news.
                if records.changes > state.written {
                    state.written = records.changes
                    news = .success(records.changes)
                }
            case .failure(let error):
                news = .failure(error)
                state.failure = Boxed(error)
                if !state.isOver {
                    if let newer = state.unwritten { records.add(newer) }
                    state.unwritten = records
                }
            }
            // Other records of the stream build on these.
            watermark.isBlocked = state.failure.map { !$0.value.isTransient } ?? false
            watermark.isLate = state.failure != nil
            urgency = urgencyToQueue(&state)
        }
        if let urgency { writer.deferWrite(of: self, urgency) }
        if let news { owner?.store?.wereWritten(news) }
    }
}
