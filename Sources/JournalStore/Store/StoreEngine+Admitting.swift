// Admit: encode what a caller dispatches, and submit it to the writer as soon as the order permits.

extension StoreEngine {
    // MARK: Encoding, on the caller

    func encode(_ action: Action) throws(JournalError) -> String { try program.encode(action, location) }

    /// - Parameters:
    ///   - id: the dispatch ID.
    ///   - cancelID: the cancel ID, as ``encodeCancelID(_:)`` returns it.
    func entry(_ action: Action, id: String? = nil, cancelID: String? = nil) throws(JournalError) -> NewEntry {
        NewEntry(
            stream: stream.id, action: try encode(action), version: program.version, dispatchID: id, cancelID: cancelID)
    }

    func encodeCancelID(_ id: (any EffectID)?) throws(JournalError) -> String? {
        guard let id else { return nil }
        return try program.encode(id: AnyEffectID(id), location)
    }

    /// This many actions are worth a task that encodes them.
    private static var actionsPerTask: Int { 128 }

    /// The entries of many actions, in order; several tasks encode a long list.
    func entries(_ actions: [Action], cancelID: String?) async throws(JournalError) -> [NewEntry] {
        let parts = min(WorkerPool.processors, actions.count / Self.actionsPerTask)
        guard parts > 1 else { return try entries(actions[...], cancelID).get() }
        let size = (actions.count + parts - 1) / parts
        typealias Part = (start: Int, entries: Result<[NewEntry], JournalError>)
        let results = await withTaskGroup(of: Part.self, returning: [Part].self) { group in
            for start in stride(from: size, to: actions.count, by: size) {
                let part = actions[start..<min(start + size, actions.count)]
                group.addTask { (start, self.entries(part, cancelID)) }
            }
            var results: [Part] = [(0, self.entries(actions[..<size], cancelID))]
            for await result in group { results.append(result) }
            return results.sorted { $0.start < $1.start }
        }
        var entries: [NewEntry] = []
        entries.reserveCapacity(actions.count)
        for result in results { entries += try result.entries.get() }
        return entries
    }

    private func entries(_ actions: ArraySlice<Action>, _ cancelID: String?) -> Result<[NewEntry], JournalError> {
        Result { () throws(JournalError) in
            var entries: [NewEntry] = []
            entries.reserveCapacity(actions.count)
            for action in actions { entries.append(try entry(action, cancelID: cancelID)) }
            return entries
        }
    }

    // MARK: Admitting

    /// Submits a dispatch, or lets it wait until earlier actions of effects are reduced.
    func admit(_ request: Request) {
        if isTraced { request.span = options.beginSpan(of: stream.name) }
        let (isRefused, mayPass) = gate.withLock { gate in
            if gate.isClosed { return (true, false) }
            if gate.queue.pass() { return (false, true) }
            wait(request, gate)
            return (false, false)
        }
        if isRefused { return request.fail(refusal) }
        guard mayPass else { return }
        stream.journal.writer.submit(request)
        if request.submitterDrains { drainInPlace() }
    }

    // Outlined: keeps generic metadata lookups off the hot path.
    @inline(never)
    private func wait(_ request: Request, _ gate: AdmissionGate<Request, Send>) {
        gate.queue.wait(request)
    }

    /// Queues an action of an effect.
    func admit(_ send: Send) {
        if isOver { return send.fail(refusal) }
        gate.withLock { $0.queue.add(send) }
        submitAdmitted()
    }

    /// Submits what waits and may pass now.
    func submitAdmitted() {
        // Entries that were committed before must be reduced before.
        guard !isRecovering, !holdsSends else { return }
        var dropped: [Send] = []
        let items = gate.withLock { gate in
            gate.queue.next(
                isLive: { send in
                    let isLive = isLive(send)
                    if !isLive { dropped.append(send) }
                    return isLive
                }, mayShare: { mayShare($0) })
        }
        for send in dropped { send.fail(CancellationError()) }
        guard !items.isEmpty else { return }
        // A run has no record before its step is settled.
        keepRecords()
        var submissions: [Submission] = []
        submissions.reserveCapacity(items.count)
        for item in items {
            switch item {
            case .dispatch(let request): submissions.append(request)
            case .send(let send) where submissions.isEmpty:
                let batch = batch(of: send)
                submissions.append(
                    Submission(batch) { self.postElsewhere(.sent(send, .recorded(batch.runs.first), $0)) })
            case .send(let send):
                // Its run's record is written when it is known whether it counts.
                let batch = Batch(entries: [entry(of: send, isProvisional: true)])
                submissions.append(Submission(batch) { self.postElsewhere(.sent(send, .provisional, $0)) })
            }
        }
        stream.journal.writer.submit(submissions)
    }

    /// Whether an action may be committed before the earlier ones are reduced, which may cancel its run.
    private func mayShare(_ send: Send) -> Bool {
        guard let run = scheduler.runs[send.key], send.completes(run.request.timer) else { return false }
        // An opening must decide as this store does. It knows nothing of an ephemeral run, and which run a queue evicts
        // can depend on ends that are not recorded.
        return !run.request.isEphemeral && !scheduler.evicts(run)
    }

    private func entry(of send: Send, isProvisional: Bool = false) -> NewEntry {
        NewEntry(
            stream: stream.id, action: send.text, version: program.version, origin: send.origin, cause: send.cause,
            isProvisional: isProvisional)
    }

    /// Whether the action of a run still counts.
    private func isLive(_ send: Send) -> Bool {
        // While the store closes, nothing is admitted: the next opening sends it.
        guard closeReplies.isEmpty else { return false }
        return switch send.kind {
        case .action(let attempt), .finalAction(let attempt): effects.handles[send.key]?.attempt == attempt
        // An operator may have released it meanwhile.
        case .restart, .orphan:
            scheduler.runs[send.key].map { $0.phase == .setAside && $0.record.status != .cancelling } ?? false
        case .message: true
        case .failure, .tick:
            scheduler.runs[send.key].map { $0.phase.isSending && $0.record.status != .cancelling } ?? false
        case .cancel: scheduler.runs[send.key]?.record.status == .cancelling
        }
    }

    /// The action, and the record of its run after it: one transaction.
    private func batch(of send: Send) -> Batch {
        var batch = Batch(entries: [entry(of: send)])
        if case .message(let delivery) = send.kind {
            batch.runs = [delivery.record]
        } else if let run = scheduler.runs[send.key], !run.request.isEphemeral {
            let now = moment
            let ticked =
                if case .tick = send.kind { scheduler.recordAfterTick(send.key, at: now) } else { EffectRun?.none }
            batch.runs = [ticked ?? send.record(after: run.record, at: now.date)]
        }
        return batch
    }
}
