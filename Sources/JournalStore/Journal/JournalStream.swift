import Synchronization

/// One stream of a journal, open for appending: a log of actions that no store reduces. Stores open their streams
/// themselves.
///
/// ``close()`` closes it, and so does closing the journal or releasing the last reference.
///
/// ```swift
/// let log = try await journal.openStream("access", machine: "audit")
/// try await log.append(#"{"user":"anna"}"#, id: "request-17")
/// ```
public final class JournalStream: Sendable {
    private struct Use {
        var isOpen = true
        /// How many commits are under way.
        var commits = 0
        /// Whether all of them have ended, for those that close the stream meanwhile.
        var areOver: Watched<Bool>?

        /// - Returns: whether the commit may begin.
        mutating func begin() -> Bool {
            if isOpen { commits += 1 }
            return isOpen
        }

        /// - Returns: what to set when all commits have ended; nil if others are under way, or nothing waits.
        mutating func end() -> Watched<Bool>? {
            commits -= 1
            return commits == 0 ? areOver : nil
        }

        /// - Returns: whether it was open, and what to wait for.
        mutating func close() -> (wasOpen: Bool, areOver: Watched<Bool>?) {
            defer { isOpen = false }
            if commits > 0 { areOver = areOver ?? Watched(false) }
            return (isOpen, areOver)
        }
    }

    private struct Snapshots {
        /// The step of the newest snapshot.
        var last: Int
        /// The step of the newest attempt to take one.
        var lastAttempt: Int
        /// The length of the newest known state.
        var stateBytes: Int
        /// Whether the next one waits for the entries to be measured.
        var isToMeasure = false
        var isUnderWay = false
        var task: Task<Void, Never>?
    }

    /// The journal it belongs to.
    public let journal: Journal
    /// The stream's name.
    public var name: String { info.name }
    /// The machine it belongs to.
    public var machine: String { info.machine }
    /// The stream as it was when it was opened.
    package var info: StreamInfo { opened.value }
    /// Shared with the writer.
    let opened: Boxed<StreamInfo>
    package var id: StreamID { info.id }
    /// The first step that no store has reduced before: that of a message which arrived while the stream was closed, or
    /// the next one.
    let firstNewStep: Int
    /// The version of the machine that wrote the newest snapshot, when the stream was opened; 0 if there was none.
    let snapshotVersion: Int
    /// The settlement watermark, which the store advances.
    let watermark: SettlementWatermark
    private let snapshots: Lock<Snapshots>
    /// The step at which the next snapshot is due, or the entries are to be measured. Checked at each step.
    private let nextSnapshot: Atomic<Int>
    private let use = Lock(Use())
    /// Whether no store has it. If its machine has got a host since, that one opens it after this.
    private let isLog: Bool

    init(
        journal: Journal, opened: Boxed<StreamInfo>, watermark: SettlementWatermark, firstArrived: Int?,
        newestSnapshot: SnapshotMark?, isLog: Bool
    ) {
        self.isLog = isLog
        (self.journal, self.opened, firstNewStep) = (journal, opened, firstArrived ?? opened.value.headStep + 1)
        (self.watermark, snapshotVersion) = (watermark, newestSnapshot?.version ?? 0)
        let last = newestSnapshot?.step ?? 0
        snapshots = Lock(Snapshots(last: last, lastAttempt: last, stateBytes: 0))
        nextSnapshot = Atomic(.max)
        plan(after: last, stateBytes: newestSnapshot?.stateBytes ?? 0)
    }

    deinit {
        // Only the first close counts: later the stream may be open elsewhere.
        guard use.withLock({ $0.close().wasOpen }) else { return }
        journal.writer.closeStream(id) { [hosts = journal.hosts, info, isLog] in
            if isLog { hosts.mustReopen(info.name, of: info.machine) }
        }
    }

    var isOpen: Bool { use.withLock { $0.isOpen } }

    /// Appends an action. Returns once it is committed; it is then the next step of the stream.
    ///
    /// Concurrent appends, to any streams, share a transaction. Cancelling the task does not revoke an action that was
    /// submitted.
    ///
    /// - Parameters:
    ///   - action: the action as JSON text.
    ///   - version: the version of the machine that writes it.
    ///   - dispatchID: the caller's own ID. A second call with the same action and ID appends nothing and returns the
    ///     first step; with another action it throws ``JournalError/Code/dispatchIDReused``.
    /// - Throws: ``JournalError``. Unless its code is ``JournalError/Code/outcomeUnknown``, nothing was appended.
    @discardableResult
    @concurrent public func append(
        _ action: String, version: Int = 1, id dispatchID: String? = nil
    ) async throws(JournalError) -> Appended {
        let entry = NewEntry(stream: id, action: action, version: version, dispatchID: dispatchID)
        return try await commit(Batch(entries: [entry]))[0]
    }

    /// Appends many actions in one transaction: all of them or none.
    ///
    /// - Throws: ``JournalError`` as ``append(_:version:id:)``.
    @discardableResult
    @concurrent public func append(
        contentsOf actions: some Sequence<String>, version: Int = 1
    ) async throws(JournalError) -> [Appended] {
        let stream = id
        return try await commit(Batch(entries: actions.map { NewEntry(stream: stream, action: $0, version: version) }))
    }

    /// Adds the stream's name to an error that concerns the whole journal.
    private func commit(_ batch: Batch) async throws(JournalError) -> [Appended] {
        // The stream may be open elsewhere: then this one must not write between its steps.
        guard use.withLock({ $0.begin() }) else {
            throw JournalError(
                .closed, "The stream was closed.", advice: "Open it again.", file: journal.file, stream: name)
        }
        defer { use.withLock { $0.end() }?.change { $0 = true } }
        do throws(JournalError) {
            return try await journal.writer.commit(batch)
        } catch {
            throw changed(error) { $0.stream = $0.stream ?? name }
        }
    }

    // MARK: Snapshots

    /// Stores a snapshot now. Returns once it is committed.
    ///
    /// - Parameters:
    ///   - state: the state as JSON text.
    ///   - step: the step after which this is the state.
    ///   - version: the version of the machine that writes it.
    /// - Throws: ``JournalError`` if there is no such step, or the journal cannot write.
    @concurrent public func saveSnapshot(_ state: String, at step: Int, version: Int = 1) async throws(JournalError) {
        guard step > 0 else {
            throw JournalError(
                .noSuchStep, "Steps begin with 1.", advice: "Save the state after a step.", file: journal.file,
                stream: name, step: step)
        }
        try await save(NewSnapshot(stream: id, step: step, version: version, state: state))
    }

    /// Stores a snapshot now. Returns once it is committed.
    func save(_ snapshot: NewSnapshot) async throws(JournalError) {
        var batch = Batch()
        batch.snapshots = [snapshot]
        _ = try await commit(batch)
        wasSaved(snapshot)
    }

    /// A snapshot is committed: the next one is planned.
    func wasSaved(_ snapshot: NewSnapshot) {
        snapshots.withLock { snapshots in
            // A base removes the snapshots of later steps.
            if snapshot.isBase { (snapshots.last, snapshots.lastAttempt) = (snapshot.step, snapshot.step) }
            snapshots.last = max(snapshots.last, snapshot.step)
        }
        plan(after: snapshot.step, stateBytes: snapshot.state.utf8.count)
    }

    /// Plans the next snapshot, after an attempt: after a failure too, it is not due at each step.
    private func plan(after step: Int, stateBytes: Int? = nil) {
        let policy = journal.options.snapshots
        snapshots.withLock { snapshots in
            guard step >= snapshots.lastAttempt else { return }
            snapshots.lastAttempt = step
            snapshots.stateBytes = stateBytes ?? snapshots.stateBytes
            snapshots.isToMeasure = policy.dependsOnEntries(stateBytes: snapshots.stateBytes)
            nextSnapshot.store(policy.next(after: step) ?? .max, ordering: .relaxed)
        }
    }

    /// Whether the policy wants a snapshot now and none is under way. If the policy depends on the length of the
    /// entries since the last one, a task measures them first.
    func isSnapshotDue(at step: Int) -> Bool {
        guard step >= nextSnapshot.load(ordering: .relaxed) else { return false }
        return snapshots.withLock { snapshots in
            guard !snapshots.isUnderWay, step >= nextSnapshot.load(ordering: .relaxed) else { return false }
            guard snapshots.isToMeasure else { return true }
            snapshots.isToMeasure = false
            run(&snapshots) { $0.measure(upTo: step) }
            return false
        }
    }

    /// Measures the entries since the last snapshot, and plans the next one when as many more are as long as the state.
    private func measure(upTo step: Int) {
        let (last, stateBytes) = snapshots.withLock { ($0.lastAttempt, $0.stateBytes) }
        guard last < step else { return }
        // If they cannot be read, the snapshot is due now, and reports that in its own way.
        guard let actionBytes = try? journal.reader.actionBytes(of: name, in: last + 1...step) else { return }
        let distance = StateWeight.entries(stateBytes, actionBytes, in: step - last)
        snapshots.withLock { snapshots in
            guard snapshots.lastAttempt == last else { return }
            let next = journal.options.snapshots.next(after: last, distance: distance)
            nextSnapshot.store(next ?? .max, ordering: .relaxed)
        }
    }

    /// Stores a snapshot if the policy wants one. Returns at once: a task of its own encodes and writes it. A failure
    /// is reported as a ``Notice``, because it loses nothing.
    ///
    /// - Parameters:
    ///   - step: the step after which `encode` returns the state.
    ///   - version: the version of the machine that writes it.
    ///   - encode: returns the state as JSON text; called at most once, on another thread.
    package func offerSnapshot(at step: Int, version: Int = 1, encode: @escaping @Sendable () throws -> String) {
        guard isSnapshotDue(at: step) else { return }
        snapshots.withLock { snapshots in
            // One at a time: if one is skipped here, a later offer finds it still due.
            guard !snapshots.isUnderWay else { return }
            run(&snapshots) { await $0.take(at: step, version: version, encode) }
        }
    }

    /// Waits for the snapshot that is under way, if there is one.
    func finishSnapshot() async {
        await snapshots.withLock { $0.task }?.value
    }

    private func run(_ snapshots: inout Snapshots, _ work: @escaping @Sendable (JournalStream) async -> Void) {
        snapshots.isUnderWay = true
        snapshots.task = journal.options.spawn(priority: .utility) {
            await work(self)
            self.snapshots.withLock { $0.isUnderWay = false }
        }
    }

    private func take(at step: Int, version: Int, _ encode: () throws -> String) async {
        do {
            try await saveSnapshot(try encode(), at: step, version: version)
        } catch {
            plan(after: step)
            let known = error as? JournalError
            // A snapshot only saves time, and other notices say that nothing can be written.
            if known?.isOfWholeJournal == true || known?.isTransient == true { return }
            var reason =
                known
                ?? JournalError(
                    .notStorable, "The state could not be encoded (\(type(of: error))).",
                    advice: "Make sure it holds only what its codec can encode.", file: journal.file, stream: name,
                    step: step)
            if reason.code == .notStorable {
                reason.advice += " Dispatching continues; the next opening takes longer."
            }
            journal.options.notify(.snapshotFailed, reason)
        }
    }

    // MARK: Closing

    /// Closes the stream, so that it can be opened again. Appends that are under way are committed first.
    ///
    /// - Throws: ``JournalError`` if the journal is closed already or cannot write.
    @concurrent public func close() async throws(JournalError) {
        await finishSnapshot()
        try await release()
    }

    /// Closes the stream, and first stores a snapshot if there are new steps and the policy wants one.
    ///
    /// - Parameters:
    ///   - step: the newest step.
    ///   - version: the version of the machine that writes it.
    ///   - steps: how many steps a snapshot must save.
    ///   - encode: returns the state after that step as JSON text.
    /// - Throws: ``JournalError`` if the journal is closed already or cannot write.
    func close(
        at step: Int, version: Int = 1, saving steps: Int = 1, encode: () throws -> String
    ) async throws(JournalError) {
        await finishSnapshot()
        let last = snapshots.withLock { $0.last }
        if journal.options.snapshots.isDueOnClose(at: step, last: last, saving: steps) {
            await take(at: step, version: version, encode)
        }
        try await release()
    }

    private func release() async throws(JournalError) {
        let (isFirst, areOver) = use.withLock { $0.close() }
        // What has begun is committed before another store can open the stream. A cancelled task waits as well.
        if let areOver { await journal.options.spawn { _ = await areOver.wait { $0 ? true : nil } }.value }
        try await journal.writer.closeStream(isFirst ? id : nil)
        if isLog, isFirst { journal.hosts.mustReopen(name, of: machine) }
    }
}
