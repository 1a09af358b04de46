// What bodies do: they end, remember results, and send actions.

extension StoreEngine {
    func bodyEnded(_ key: RunKey, _ attempt: Int, _ error: (any Error)?) {
        guard let handle = effects.handles[key], handle.attempt == attempt else { return }
        let now = moment
        effects.handles[key] = nil
        handle.cut(CancellationError())
        if let error = error as? JournalError, error.code == .closed,
            error.isOfClosedHost || stream.journal.hosts.areClosing
        {
            // It has asked for something that was closed before its own store: that is how a process ends, and no
            // failure. Its record stays, and the next opening applies its restart policy.
            return failUnlessClosed(key, attempt, error)
        }
        ended(key, error, at: now)
    }

    /// Lets a run fail that was refused by a host that was closed, if the process goes on without that host.
    private func failUnlessClosed(_ key: RunKey, _ attempt: Int, _ error: JournalError) {
        _ = options.spawn { [weak self, ticker, hosts = stream.journal.hosts] in
            repeat {
                // Between the closing of two hosts, none may be closing.
                guard (try? await ticker.sleep(ticker.now() + .seconds(1))) != nil else { return }
                // All stores are closed with the journal.
                if hosts.isClosed { return }
            } while hosts.areClosing
            self?.postElsewhere(.bodyRefused(key, attempt: attempt, error))
        }
    }

    /// A body that was refused has ended some time ago, and its store was not closed.
    func bodyRefused(_ key: RunKey, _ attempt: Int, _ error: JournalError) {
        guard let run = scheduler.runs[key], run.phase == .running, run.record.attempts == attempt,
            effects.handles[key] == nil
        else { return }
        ended(key, error, at: moment)
    }

    private func ended(_ key: RunKey, _ error: (any Error)?, at now: Moment) {
        if let error {
            effects.errors[key] = error
            scheduler.bodyFailed(
                key, error: Self.text(of: error), names: RetryPolicy.names(of: error),
                isFinal: (error as? EffectFailure)?.isFinal == true, at: now)
        } else {
            scheduler.bodyCompleted(key, at: now)
        }
        startDue(now)
        // The failure action needs the error until it is sent.
        if scheduler.runs[key]?.phase.isSending != true { effects.errors[key] = nil }
        submitAdmitted()
    }

    /// Commits a remembered result. The record of the run is in the same transaction, or in an earlier one.
    func remember(
        _ step: RememberedStep, _ attempt: Int, _ reply: @escaping @Sendable (Result<Void, any Error>) -> Void
    ) {
        let key = RunKey(step: step.step, ordinal: step.ordinal)
        guard !isOver else { return reply(.failure(refusal)) }
        guard effects.handles[key]?.attempt == attempt else { return reply(.failure(CancellationError())) }
        // An ephemeral run has no record, so nothing of it is stored.
        if scheduler.runs[key]?.request.isEphemeral == true { return reply(.success(())) }
        keepRecords()
        var batch = Batch()
        batch.remembered = [step]
        stream.journal.submit(batch) { [weak self] result in
            switch result {
            case .success: reply(.success(()))
            case .failure(let error) where error.allowsLater:
                guard let self else { return reply(.failure(error)) }
                self.postElsewhere(.notRemembered(step, attempt: attempt, error, reply))
            case .failure(let error): reply(.failure(error))
            }
        }
    }

    /// The writer has committed an action of a run, or could not.
    func sent(_ send: Send, _ form: Event.SentAs, _ result: Result<[Appended], JournalError>) {
        switch result {
        case .success(let entries):
            if case .message(let delivery) = send.kind { delivery.reply(.delivered) }
            // A message that was delivered before is in the journal already.
            guard !isOver, let entry = entries.first, let stamp = entry.stamp else {
                send.reply?(.failure(CancellationError()))
                break
            }
            endFullDisk()
            committed(send, form, entry.step, stamp)
        case .failure(let error) where send.waits(after: error) && !closeReplies.isEmpty:
            // Its run keeps its record.
            send.fail(error)
        case .failure(let error) where send.waits(after: error) && !isOver:
            if !error.isTransient { reportOnce(error) }
            // The run keeps its slot, and nothing new starts until the journal takes its action.
            let isLast = gate.withLock { $0.queue.postpone(send) }
            waitForRoom()
            guard isLast else { return }
            // Dispatches that waited behind it learn what is wrong.
            submitAdmitted()
            handleDeferredEvents()
            return submitAdmitted()
        case .failure(let error):
            send.reply?(.failure(error))
            if case .message(let delivery) = send.kind { delivery.reply(.failed(error)) }
            if error.isFinal { return fail(error) }
            if send.isLast {
                let now = moment
                effects.handles.removeValue(forKey: send.key)?.cut(error)
                // What the body threw, if its failure is what cannot be sent.
                effects.errors[send.key] = effects.errors[send.key] ?? error
                scheduler.couldNotSend(send.key, error: Self.text(of: error, unsent: send.kind), at: now)
                startDue(now)
                effects.errors[send.key] = nil
            }
        }
        guard gate.withLock({ $0.queue.finishedSend() }) else { return }
        handleDeferredEvents()
        submitAdmitted()
    }

    /// An action of a run is in the journal.
    private func committed(_ send: Send, _ form: Event.SentAs, _ step: Int, _ stamp: Appended.Stamp) {
        if case .provisional = form, !counts(send.key) {
            passOver(send, at: step, stamp)
            send.reply?(.failure(CancellationError()))
            return
        }
        if case .message = send.kind {
            _ = try? reduce(send.action, at: step, stamp, StepCause(origin: .machine, root: step))
            return
        }
        let body = effects.bodies[send.key]
        let run = scheduler.runs[send.key]
        let cause = StepCause(
            origin: send.origin, root: run?.record.rootStep ?? send.key.step,
            priority: body?.priority ?? run?.record.taskPriority,
            cancelID: run?.record.cancelID)
        let inherited = body?.tracker.flatMap { $0.tracksFeedback ? $0 : nil }
        // New runs of this action count before its own run ends, so the tracker does not finish in between.
        dispatches.heldRoot = cause.root
        body?.tracker?.begin()
        body?.tracker?.sent(send.action)
        switch (send.kind, form) {
        case (.action, _): scheduler.sent(send.key)
        case (.tick, .recorded(let record)):
            if let record { scheduler.ticked(send.key, record, at: moment) }
        case (_, .recorded(let record)):
            effects.handles.removeValue(forKey: send.key)?.cut(CancellationError())
            let now = moment
            // An ephemeral run ends in the same way, without a record.
            scheduler.sentLast(send.key, record ?? run.map { send.record(after: $0.record, at: now.date) }, at: now)
        case (_, .provisional):
            effects.handles.removeValue(forKey: send.key)?.cut(CancellationError())
            scheduler.sentLast(send.key, run?.record.completed(at: stamp.time), at: moment, isRecorded: false)
        }
        execute()
        _ = try? reduce(send.action, at: step, stamp, cause, inherited)
        // Only now the slot goes to the next run: the action may cancel that one.
        startDue(moment)
        dispatches.heldRoot = nil
        dropIfDone(root: cause.root)
        body?.tracker?.finish()
        // An entry that is fenced ends the store and is not reduced.
        send.reply?(isOver ? .failure(refusal) : .success(()))
    }

    /// Whether the provisional action of a run counts: nothing has ended or cancelled the run.
    private func counts(_ key: RunKey) -> Bool {
        scheduler.runs[key].map { $0.record.status != .cancelling } ?? false
    }

    /// Ends the run of a provisional entry that an earlier process has committed.
    ///
    /// - Returns: false if the entry does not count, because the run was cancelled before.
    func endRun(of entry: Entry) -> Bool {
        guard let cause = entry.cause, let run = cause.run else { return false }
        let key = RunKey(step: cause.step, ordinal: run)
        guard counts(key), let record = scheduler.runs[key]?.record else { return false }
        scheduler.sentLast(key, record.completed(at: entry.time), at: moment, isRecorded: false)
        execute()
        return true
    }

    /// Handles what waited for the sends that were under way. What that wants to send is submitted together afterwards,
    /// by the caller: if the first event put a send under way, the others would wait again.
    func handleDeferredEvents() {
        let events = deferredEvents
        deferredEvents = []
        holdsSends = true
        for event in events { handle(event) }
        holdsSends = false
    }
}
