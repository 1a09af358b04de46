import Synchronization

// The ends of a store: closed, released, or stopped with its journal. Each run is fenced before its task is cancelled,
// and its record stays as it is.

extension StoreEngine {
    var closedError: JournalError {
        location.error(.closed, "The store was closed.", advice: "Open it again.")
    }

    /// Why nothing is admitted any more.
    var refusal: JournalError { gate.withLock { $0.refusal } ?? closedError }

    /// Why the store has ended, unless it was closed.
    var failure: JournalError? { gate.withLock { $0.refusal?.code == .closed ? nil : $0.refusal } }

    var isClosed: Bool { gate.withLock { $0.isClosed } }

    /// Ends the store, and closes the stream.
    ///
    /// - Parameter steps: how many steps a snapshot must save.
    /// - Throws: ``JournalError`` if the journal cannot write. The stream is closed all the same.
    func close(saving steps: Int = 1) async throws(JournalError) {
        // Another opening of the stream waits for this. Also if it throws, the stream is closed.
        stream.journal.beginRelease(of: stream.name)
        defer { stream.journal.finishedRelease(of: stream.name) }
        var failure: JournalError?
        do throws(JournalError) { try await ask { .close($0) } } catch { failure = error }
        try await closeStream(saving: steps)
        if let failure { throw failure.ofEnd(of: location) }
    }

    /// Ends the store of an opening that has failed, and closes the stream, without a snapshot.
    func closeFailedOpening() async {
        guard middleware != nil else {
            try? await close(saving: .max)
            return
        }
        // A call of the middleware may wait for this opening, so only the next one waits for the middleware.
        let journal = stream.journal
        journal.beginRelease(of: stream.name)
        try? await ask { .close($0) }
        _ = options.spawn { [self] in
            try? await closeStream(saving: .max)
            journal.finishedRelease(of: stream.name)
        }
    }

    private func closeStream(saving steps: Int = 1) async throws(JournalError) {
        // Before the stream can be opened again: the next store's calls come after these.
        await finishMiddleware()
        let (state, step) = broadcast.newest
        // Of a store that has failed nothing is saved: its stream may have other steps by now. If an opening was not
        // completed, a snapshot would hide from the next one of this version that there is no base.
        guard let state, failure == nil, wasOpened.load(ordering: .acquiring) else { return try await stream.close() }
        try await stream.close(at: step, version: program.version, saving: steps) { [program, location] in
            try program.encode(state, location.at(step))
        }
    }

    /// Admits nothing more, and answers when everything admitted before is done.
    func close(_ reply: @escaping Event.Reply) {
        closeReplies.append(reply)
        guard !isOver else { return }
        // An opening that fails is closed before it is finished. What it was to send, the next one sends.
        isRecovering = false
        cutOffBodies()
        stream.journal.router.closes(stream.name)
        removeCrashLoopRecord()
        // What met a full disk is tried once more. If there is still no room, the next opening sends it.
        fullDisk.retryAt = nil
        gate.withLock { $0.queue.unstick() }
        submitAdmitted()
    }

    /// Admits nothing more, and cuts off the bodies.
    func cutOffBodies() {
        refuse(closedError)
        effects.unbegun.formUnion(cutAll(closedError))
        // Nothing starts, and no timer fires: the close would wait for it.
        scheduler.stopStarting()
    }

    func finishClosing() {
        guard !closeReplies.isEmpty, isOver || gate.withLock({ $0.queue.isIdle }) else { return }
        let failures = scheduler.unreported.map(\.failure)
        let wasOpen = !isOver
        if wasOpen {
            putBackUnbegun()
            end(closedError)
        }
        let replies = closeReplies
        closeReplies = []
        // The next opening must find all records, and no write may follow it.
        submitBarrier { [self, buffer = recorder.buffer] result in
            let written = buffer.failure.map(Result.failure) ?? result.map { _ in }
            if case .success = written { report(failures) }
            if wasOpen { _ = lastWrite.storeIfNil(Boxed(written)) }
            buffer.end()
            // A store that had ended with an error has nothing left to write.
            for reply in replies { reply(lastWrite.load()?.value ?? .success(())) }
        }
    }

    /// The records of these effects are on the disk.
    private func report(_ failures: [Scheduler.UnheardFailure]) {
        for failure in failures { options.notify(.effectFailed, location.failedEffect(failure)) }
    }

    func addJoin(_ join: Join) {
        let joins = joins ?? Joins()
        self.joins = joins
        if join.bodiesOnly { joins.ofBodies.add(join) } else { joins.ofEffects.add(join) }
    }

    func leaveJoin(_ join: Join) {
        guard let joins else { return }
        if join.bodiesOnly { joins.ofBodies.leave(join) } else { joins.ofEffects.leave(join) }
        if joins.isEmpty { self.joins = nil }
    }

    /// Answers the callers that wait until no effect runs, if none does or the store has ended.
    func answerJoins() {
        guard let joins, isOver || gate.withLock({ $0.queue.isIdle }) else { return }
        if isOver || effects.handles.isEmpty && !scheduler.isStarting {
            for join in joins.ofBodies.takeAll() { join.reply() }
        }
        if isOver || scheduler.isQuiet {
            for join in joins.ofEffects.takeAll() { join.reply() }
        }
        if joins.isEmpty { self.joins = nil }
    }

    /// The store was released. Its state is saved, as when it is closed: the next version of the code begins with it.
    func abandon() {
        let failures = scheduler.unreported.map(\.failure)
        let wasOpen = !isOver
        // The machine can have got a host since the store was opened.
        let mustReopen = wasOpen && hasWorkLeft
        if wasOpen {
            refuse(closedError)
            removeCrashLoopRecord()
            warnAboutLiveEffects()
            putBackUnbegun()
            end(closedError)
        }
        submitBarrier { [self, buffer = recorder.buffer] result in
            switch buffer.failure.map(Result.failure) ?? result.map({ _ in }) {
            case .success: report(failures)
            // A journal that has stopped is a notice of its own.
            case .failure(let error) where wasOpen && !stream.journal.writer.hasEnded:
                options.notify(.recordIncomplete, error.ofEnd(of: location))
            case .failure: break
            }
            buffer.end()
            // Nobody waits for the result. A snapshot that fails is a notice.
            _ = options.spawn { [self] in
                if wasOpen {
                    try? await closeStream()
                } else {
                    // It has failed, or was closed already.
                    await finishMiddleware()
                    try? await stream.close()
                }
                if mustReopen { stream.journal.hosts.mustReopen(stream.name, of: program.name) }
                stream.journal.finishedRelease(of: stream.name)
            }
        }
    }

    /// Whether the next opening of the stream has something to do, now or later.
    private var hasWorkLeft: Bool {
        let recorded = scheduler.runs.values.lazy.filter { !$0.request.isEphemeral }.map(\.record)
        return WakePlan(recorded, knowsOrphans: true) != .never || !gate.withLock({ $0.queue.isIdle })
    }

    private func warnAboutLiveEffects() {
        let stopped: [EffectRun] = scheduler.runs.values.map(\.record).filter { run in
            run.status == .running || run.status == .waiting || run.status == .delayed
        }
        let names = Set(stopped.map { "'\($0.name)'" }).sorted()
        if names.isEmpty { return }
        options.notify(
            .storeReleased,
            location.error(
                .closed, "The last reference to the store was released, which stops its effects: \(names.listed(5)).",
                advice:
                    "They continue when the stream is opened again. Keep the store, or the host that opened it, and "
                    + "close it before it is released. A host keeps the stores of live effects."))
    }

    /// Ends the store with an error that ends its journal, or this opening of the stream.
    ///
    /// - Parameter alone: whether the journal goes on.
    func fail(_ error: JournalError, alone: Bool = false) {
        guard !isOver else { return }
        let alone = alone || !stream.journal.writer.hasEnded
        let located = changed(error) { $0.stream = $0.stream ?? stream.name }
        // A failed opening throws the error to its caller, and closes the stream.
        let closesStream = alone && !isRecovering
        // Before anybody can notice the end: another opening of the stream waits until it is closed.
        if closesStream { stream.journal.beginRelease(of: stream.name) }
        refuse(located)
        cutAll(located)
        // Before the end: the end of an effect must not be written without the step that ends it.
        recorder.buffer.end(located)
        if alone { removeCrashLoopRecordAlone() }
        end(located)
        // Before the report, which can take long.
        if closesStream { closeFailed() }
        if alone { options.notify(.storeStopped, located) }
    }

    /// Closes the stream, so that it can be opened again while the app still has this store, and finishes the release.
    private func closeFailed() {
        let journal = stream.journal
        _ = options.spawn { [self] in
            await finishMiddleware()
            try? await stream.close()
            journal.finishedRelease(of: stream.name)
            journal.hosts.mustReopen(stream.name, of: program.name)
        }
    }

    private func refuse(_ error: JournalError) {
        gate.withLock { $0.refusal = $0.refusal ?? error }
    }

    /// - Returns: the runs whose bodies have not begun.
    @discardableResult
    private func cutAll(_ reason: JournalError) -> Set<RunKey> {
        let handles = effects.handles
        effects.handles = [:]
        var unbegun: Set<RunKey> = []
        for handle in handles.values where !handle.cut(reason) { unbegun.insert(handle.key) }
        return unbegun
    }

    /// Runs whose bodies have not begun wait again, so that the next opening starts them whatever their restart policies
    /// are.
    private func putBackUnbegun() {
        scheduler.putBack(effects.unbegun.union(cutAll(closedError)))
        effects.unbegun = []
        execute()
    }

    private func end(_ reason: JournalError) {
        keepRecords()
        // A body that was to start when its record was written may have started since the store began to close.
        cutAll(reason)
        isOver = true
        isStable = true
        if unstableOpening != nil { endCrashLoopTurn() }
        stream.journal.stores.withLock { $0.remove(stream.id) }
        stream.journal.router.closes(stream.name)
        stream.journal.router.closed(stream.name)
        for item in gate.withLock({ $0.queue.takeAll() }) {
            switch item {
            case .dispatch(let request): request.fail(reason)
            case .send(let send): send.fail(reason)
            }
        }
        for request in waitingForState.takeAll() { request.fail(reason) }
        for body in effects.bodies.values { body.tracker?.end() }
        for tracker in dispatches.tracked { tracker.end() }
        forgetEffects()
        sleeper?.task.cancel()
        sleeper = nil
        broadcast.end()
        outputs.end()
        let events = deferredEvents + fullDisk.events
        deferredEvents = []
        fullDisk.events = []
        for event in events where event.needsAnswer { handle(event) }
    }
}

extension JournalError {
    /// The error of a store that is closed although its last records could not be written: nothing tries that again.
    fileprivate func ofEnd(of location: ErrorLocation) -> JournalError {
        guard isTransient else { return self }
        return changed(self) {
            $0.stream = $0.stream ?? location.stream
            $0.advice +=
                " The store is closed all the same, and what it had not recorded is forgotten: the restart policies of "
                + "effects that ended last still apply. Repeat what operators did in it, if `interventions` does not "
                + "list that."
        }
    }
}
