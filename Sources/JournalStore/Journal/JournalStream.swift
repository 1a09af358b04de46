import Synchronization

/// One stream of a journal, open for appending. Closed with ``close(at:version:encode:)``, with the journal, or with the last reference.
public final class JournalStream: Sendable {
    private struct Snapshots {
        var last: Int
        var isUnderWay = false
        var task: Task<Void, Never>?
    }

    /// The journal it belongs to.
    public let journal: Journal
    /// The stream's name.
    public let name: String
    /// The machine it belongs to.
    public let machine: String
    /// How it was when it was opened.
    package let info: StreamInfo
    package var id: StreamID { info.id }
    /// Where a store says how far it has settled.
    let settled: SettledMark
    private let snapshots: Lock<Snapshots>
    /// The step at which the next snapshot is due, as far as the last one tells; asked at each step.
    private let nextSnapshot: Atomic<Int>
    private let isOpen = Atomic(true)

    init(journal: Journal, info: StreamInfo, settled: SettledMark, lastSnapshot: Int) {
        self.journal = journal
        name = info.name
        machine = info.machine
        self.info = info
        self.settled = settled
        snapshots = Lock(Snapshots(last: lastSnapshot))
        nextSnapshot = Atomic(journal.options.snapshots.next(after: lastSnapshot) ?? .max)
    }

    deinit {
        release()
    }

    /// Gives the stream back: it can be opened again. Only once, as somebody else may have it then.
    func release(_ done: @escaping @Sendable () -> Void = {}) {
        let isFirst = isOpen.exchange(false, ordering: .relaxed)
        journal.writer.later { [id = info.id] state in
            if isFirst { state.closeStream(id) }
            done()
        }
    }

    /// Appends an action. Returns once it is committed; it is then the next step of the stream.
    ///
    /// What is appended at the same time, to any stream, shares a transaction. A cancelled task does not take an action
    /// back that was handed in.
    ///
    /// - Parameters:
    ///   - action: the action as JSON text.
    ///   - version: of the machine that writes it.
    ///   - dispatchID: the caller's own ID. The same one again gives the first one's step and appends nothing.
    /// - Throws: ``JournalError``. Unless its code is ``JournalError/Code/outcomeUnknown``, nothing was appended.
    @discardableResult
    public func append(
        _ action: String, version: Int = 1, id dispatchID: String? = nil
    ) async throws(JournalError) -> Appended {
        let entry = NewEntry(stream: id, action: action, version: version, dispatchID: dispatchID)
        return try await commit(Batch(entries: [entry]))[0]
    }

    /// Appends many actions in one transaction: all of them or none.
    ///
    /// - Throws: ``JournalError`` as ``append(_:version:id:)``.
    @discardableResult
    public func append(
        contentsOf actions: some Sequence<String>, version: Int = 1
    ) async throws(JournalError) -> [Appended] {
        let stream = id
        return try await commit(
            Batch(entries: actions.map { NewEntry(stream: stream, action: $0, version: version) }))
    }

    /// An error that concerns the whole journal is told with the stream that met it.
    private func commit(_ batch: Batch) async throws(JournalError) -> [Appended] {
        do throws(JournalError) {
            return try await journal.writer.commit(batch)
        } catch {
            var told = error
            told.stream = error.stream ?? name
            throw told
        }
    }

    // MARK: Snapshots

    /// Keeps a state now. Returns once it is committed.
    ///
    /// - Parameters:
    ///   - state: the state as JSON text.
    ///   - step: the step after which this is the state.
    ///   - version: of the machine that writes it.
    ///   - isBase: whether it is truth from here on, and no fold crosses it.
    /// - Throws: ``JournalError``: there is no such step, or the journal cannot write.
    public func saveSnapshot(
        _ state: String, at step: Int, version: Int = 1, isBase: Bool = false
    ) async throws(JournalError) {
        var batch = Batch()
        batch.snapshots = [NewSnapshot(stream: id, step: step, version: version, isBase: isBase, state: state)]
        _ = try await commit(batch)
        snapshots.withLock { $0.last = max($0.last, step) }
        nextSnapshot.max(journal.options.snapshots.next(after: step) ?? .max, ordering: .relaxed)
    }

    /// Whether the policy says that it is time.
    func isSnapshotDue(at step: Int) -> Bool {
        step >= nextSnapshot.load(ordering: .relaxed) && snapshots.withLock { !$0.isUnderWay }
    }

    /// Keeps a state if the policy says that it is time. Returns at once: encoding and writing happen aside. A failure is
    /// reported as a ``Notice``, as nothing is lost by it.
    ///
    /// - Parameters:
    ///   - step: the step after which `encode` gives the state.
    ///   - version: of the machine that writes it.
    ///   - encode: gives the state as JSON text; called at most once, on another thread.
    public func offerSnapshot(at step: Int, version: Int = 1, encode: @escaping @Sendable () throws -> String) {
        let policy = journal.options.snapshots
        snapshots.withLock { snapshots in
            // One at a time: the next offer finds the policy still unmet.
            guard !snapshots.isUnderWay, policy.isDue(at: step, last: snapshots.last) else { return }
            snapshots.isUnderWay = true
            snapshots.task = journal.options.spawn(priority: .utility) {
                await self.take(at: step, version: version, encode)
                self.snapshots.withLock { $0.isUnderWay = false }
            }
        }
    }

    private func take(at step: Int, version: Int, _ encode: () throws -> String) async {
        do {
            try await saveSnapshot(try encode(), at: step, version: version)
        } catch {
            let reason =
                (error as? JournalError)
                ?? JournalError(
                    .notStorable, "The state could not be encoded (\(type(of: error))).",
                    advice: "Dispatching goes on; opening will take longer.", file: journal.file, stream: name,
                    step: step)
            journal.options.report(Notice(kind: .snapshotFailed, error: reason))
        }
    }

    // MARK: The end

    /// Closes the stream, so that it can be opened again. Where the policy says so, and there is something new, the state
    /// is kept first.
    ///
    /// - Parameters:
    ///   - step: the newest step; nil where no state is to be kept.
    ///   - version: of the machine that writes it.
    ///   - encode: gives the state after that step as JSON text.
    /// - Throws: ``JournalError`` where the journal is closed already or cannot write.
    public func close(
        at step: Int? = nil, version: Int = 1, encode: (() throws -> String)? = nil
    ) async throws(JournalError) {
        await snapshots.withLock { $0.task }?.value
        if let step, let encode, journal.options.snapshots.isDueOnClose(at: step, last: snapshots.withLock { $0.last })
        {
            await take(at: step, version: version, encode)
        }
        let isFirst = isOpen.exchange(false, ordering: .relaxed)
        try await journal.writer.alone { [id] state throws(JournalError) in
            _ = try state.usable()
            if isFirst { state.closeStream(id) }
        }
    }
}
