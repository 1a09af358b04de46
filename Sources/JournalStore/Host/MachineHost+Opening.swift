// Streams are opened on demand: by one caller at a time, while the others wait.

extension MachineHost {
    /// The store of a stream, opened if it is not open.
    func store(of stream: String, createsStream: Bool = true) async throws(JournalError) -> Store<Action, State> {
        var mayAskAgain = true
        while true {
            try refuseIfStoreHasEnded(stream)
            let demand = try work.withLock { work throws(JournalError) in
                if work.isClosed { throw closedError(stream) }
                return work.streams.demand(stream) { !$0.engine.isClosed }
            }
            switch demand {
            case .ready(let store, let isToMeasure):
                if isToMeasure { measure(stream, store) }
                return store
            case .open: return try await openNow(stream, createsStream: createsStream)
            case .wait:
                // Checked again: another caller can have found the store ended since the check above.
                try refuseIfStoreHasEnded(stream)
                do throws(JournalError) {
                    if let store = try await wait(for: stream) { return store }
                } catch  where createsStream && error.code == .unknownStream {
                    // The other caller did not want to create it.
                } catch  where error.code == .streamOpen && (mayAskAgain || journal.isChanging(stream)) {
                    // The other caller can be middleware, which does not wait for the end of the store before.
                    guard await journal.waitForChange(of: stream) else { throw error }
                    mayAskAgain = false
                }
            }
        }
    }

    /// Waits for a stream that another caller opens or closes.
    ///
    /// - Returns: nil if it is done already.
    private func wait(for stream: String) async throws(JournalError) -> Store<Action, State>? {
        let result: Result<Store<Action, State>, JournalError>? = await withUnsafeContinuation { continuation in
            let waits = work.withLock { $0.streams.wait(for: stream) { continuation.resume(returning: $0) } }
            if !waits { continuation.resume(returning: nil) }
        }
        return try result?.get()
    }

    /// Opens a stream that the table has as being opened.
    func openNow(_ stream: String, createsStream: Bool = true) async throws(JournalError) -> Store<Action, State> {
        let result: Result<Store<Action, State>, JournalError>
        let continues = work.withLock { $0.continued.contains(ByteName(stream)) }
        do throws(JournalError) {
            if !createsStream { _ = try journal.reader.stream(stream) }
            result = .success(try await openForAll(stream, continues))
        } catch {
            result = .failure(error)
        }
        let bytes = (try? result.get()).map { stateBytes($0) } ?? 0
        let (waiters, mustSweep, isTooLate) = work.withLock { work in
            // A stream that cannot be opened still waits for its time.
            guard case .success(let store) = result else { return (work.streams.failed(stream), false, false) }
            work.timers.streams.remove(stream)
            work.pauses.streams.remove(stream)
            // Another stream can have had nothing to write.
            if work.failing?.streams.contains(ByteName(stream)) == true { work.failing = nil }
            work.continued.remove(ByteName(stream))
            let waiters = work.streams.opened(stream, store, stateBytes: bytes)
            return (waiters, mustStartSweeping(&work), work.endsStores)
        }
        // Middleware of another stream, or of another host, can wait for it.
        if isTooLate, case .success(let store) = result { store.engine.beginClosing() }
        for waiter in waiters { waiter(result) }
        if mustSweep { startSweeping() }
        noteProgress()
        let store = try result.get()
        report(store.recovery, of: store.engine.location)
        return store
    }

    /// Opens a stream at a usual priority if the caller has a low one: callers with a higher one can wait for it too.
    private func openForAll(
        _ stream: String, _ continues: Bool
    ) async throws(JournalError) -> Store<Action, State> {
        guard CurrentTask.hasLowPriority else { return try await open(stream, continues) }
        // Not as the task's result: the task would own the store for some time after that of the caller has ended.
        let answer = AnswerBox<Store<Action, State>>()
        let opening = Task(executorPreference: journal.options.executor, priority: .medium) { [open] in
            await answer.fill { () async throws(JournalError) in try await open(stream, continues) }
        }
        await opening.value
        return try answer.wait()
    }

    /// Reports what the opening found. An app that opens a stream itself reads this in `store.recovery`.
    private func report(_ recovery: RecoveryReport, of location: ErrorLocation) {
        if let orphan = recovery.lastingOrphan {
            // One that waits for a decision keeps its status.
            let status: EffectRun.Status = orphan.status.waitsForDecision ? orphan.status : .orphaned
            reportOnce(
                .orphanedEffects,
                location.orphan(
                    orphan,
                    advice:
                        "`journal-replay effects \(location.fileWord) --status \(status)` lists all of them, also "
                        + "those of other streams. Open the journal with code that knows them, or cancel them."),
                of: status.rawValue)
        }
        if let parked = recovery.parked.first { journal.options.notify(.askedEffects, location.waiting(parked)) }
        if let asked = recovery.asked.first { reportOnce(.askedEffects, location.waiting(asked)) }
        if recovery.isCrashLoop {
            reportOnce(
                .crashLoop,
                location.error(
                    .crashed,
                    "Several openings in a row ended before they were stable: in this stream, and perhaps in others, "
                        + "restored effects start in groups.",
                    advice: JournalError.adviceForCrashLoop(location)))
        }
        if let error = recovery.skippedSnapshotsError {
            // A state that this version cannot decode is in many streams. Other damage is of one stream.
            if error.concernsDecoding {
                reportOnce(.snapshotSkipped, error)
            } else {
                journal.options.notify(.snapshotSkipped, error)
            }
        }
        if let error = recovery.olderStepsError(of: location) { reportOnce(.olderSteps, error) }
    }

    /// - Parameter subject: what tells notices of the same kind apart, if each of them is reported once.
    private func reportOnce(_ kind: Notice.Kind, _ error: JournalError, of subject: String = "") {
        guard work.withLock({ $0.reported.insert("\(kind.rawValue) \(subject)").inserted }) else { return }
        journal.options.notify(kind, error)
    }

    // MARK: Measuring

    /// The length of a state, if the options limit it.
    private func stateBytes(_ store: Store<Action, State>) -> Int {
        guard options.maxStateBytes != nil else { return 0 }
        let (state, step) = store.newest
        let engine = store.engine
        return (try? engine.program.encode(state, engine.location.at(step)).utf8.count) ?? 0
    }

    /// Measures the state of a stream after a call, if it is time to.
    func measureIfDue(_ stream: String, _ store: Store<Action, State>) {
        guard options.maxStateBytes != nil, work.withLock({ $0.streams.isToMeasure(stream) }) else { return }
        measure(stream, store)
    }

    private func measure(_ stream: String, _ store: Store<Action, State>) {
        guard options.maxStateBytes != nil else { return }
        let bytes = stateBytes(store)
        let mustSweep = work.withLock { work in
            work.streams.measured(stream, stateBytes: bytes)
            return mustStartSweeping(&work)
        }
        if mustSweep { startSweeping() }
    }

    /// Refuses a call of middleware if its store has ended: what the call would wait for waits for its return.
    func refuseIfStoreHasEnded(_ stream: String) throws(JournalError) {
        guard MiddlewareCall.isOfEndedStore(of: stream, in: ObjectIdentifier(journal)) else { return }
        throw JournalError(
            .closed, "The store whose middleware asks for this stream has ended.",
            advice:
                "The stream is opened again when the middleware has returned. Ask in a task that outlives the call.",
            file: journal.file, stream: stream)
    }

    func closedError(_ stream: String? = nil) -> JournalError {
        let advice = journal.stores.withLock { $0.isClosed } ? "Open the journal again." : "Make another one."
        return JournalError(.closed, JournalError.hostWasClosed, advice: advice, file: journal.file, stream: stream)
    }
}
