// What bodies say: ends, results to be remembered, actions that were committed.

extension Core {
    func bodyEnded(_ key: RunKey, _ attempt: Int, _ error: (any Error)?) {
        guard let handle = turn.handles[key], handle.attempt == attempt else { return }
        let now = moment
        turn.handles[key] = nil
        handle.cut(CancellationError())
        if let error {
            turn.failures[key] = error
            if (error as? EffectFailure)?.isFinal == true {
                turn.scheduler.fail(key, error: Core.text(of: error), at: now)
            } else {
                turn.scheduler.bodyFailed(
                    key, error: Core.text(of: error), names: RetryPolicy.names(of: error), at: now)
            }
        } else {
            turn.scheduler.bodyCompleted(key, at: now)
        }
        carryOn(now)
        // Kept where the machine is to be told of it.
        if turn.scheduler.runs[key]?.phase.isSending != true { turn.failures[key] = nil }
        release()
    }

    /// Commits the result of a step inside a body. The record of the run is in the same transaction, or in an earlier one.
    func remember(
        _ step: RememberedStep, _ attempt: Int, _ reply: @escaping @Sendable (Result<Void, any Error>) -> Void
    ) {
        let key = RunKey(step: step.step, ordinal: step.ordinal)
        guard !turn.isOver else { return reply(.failure(refusal)) }
        guard turn.handles[key]?.attempt == attempt else { return reply(.failure(CancellationError())) }
        // Of a run that is not recorded nothing is kept.
        if turn.scheduler.runs[key]?.request.isEphemeral == true { return reply(.success(())) }
        keep()
        var batch = Batch()
        batch.remembered = [step]
        stream.journal.handIn(batch) { [weak self] result in
            switch result {
            case .success: reply(.success(()))
            case .failure(let error) where error.isPassing: self?.arrived(.notRemembered(step, attempt, reply))
            case .failure(let error): reply(.failure(error))
            }
        }
    }

    func sent(_ send: Send, _ record: EffectRun?, _ result: Result<[Appended], JournalError>) {
        switch result {
        case .success(let entries):
            if case .message(let delivery) = send.word { delivery.reply(.delivered) }
            // A message that was delivered before is in the journal already.
            guard !turn.isOver, let entry = entries.first, let stamp = entry.stamp else {
                send.reply?(.failure(CancellationError()))
                break
            }
            thereIsRoom()
            committed(send, record, entry.step, stamp)
        case .failure(let error) where error.isPassing && !turn.isOver:
            // It keeps its slot, and nothing new starts until there is room.
            entrance.withLock { $0.lane.postpone(send) }
            waitForRoom()
            return resumeDeferred()
        case .failure(let error):
            if case .message(let delivery) = send.word { delivery.reply(.failed(error)) }
            send.reply?(.failure(error))
            if error.isFinal { return fail(error) }
            if send.isLast {
                let now = moment
                turn.handles.removeValue(forKey: send.key)?.cut(error)
                turn.failures[send.key] = error
                turn.scheduler.couldNotSend(send.key, error: Core.text(of: error), at: now)
                carryOn(now)
                turn.failures[send.key] = nil
            }
        }
        entrance.withLock { $0.lane.finishedSend() }
        resumeDeferred()
        release()
    }

    /// An action of a run is in the journal, and so is the end of the run where it was its last.
    private func committed(_ send: Send, _ record: EffectRun?, _ step: Int, _ stamp: Appended.Stamp) {
        if case .message = send.word {
            _ = reduce(
                send.action, at: step, stamp,
                StepCause(origin: .machine, root: step))
            return
        }
        let body = turn.bodies[send.key]
        let run = turn.scheduler.runs[send.key]
        let cause = StepCause(
            origin: send.origin, root: run?.record.rootStep ?? send.key.step, priority: body?.priority,
            cancelID: run?.record.cancelID)
        let inherited = body?.tracker.flatMap { $0.tracksFeedback ? $0 : nil }
        // What the action leads to is counted before the run is not any more.
        turn.heldRoot = cause.root
        body?.tracker?.begin()
        body?.tracker?.sent(send.action)
        switch send.word {
        case .more: turn.scheduler.sent(send.key)
        case .tick:
            if let record { turn.scheduler.ticked(send.key, record, at: moment) }
        case .last, .restart, .orphan, .failure, .message:
            turn.handles.removeValue(forKey: send.key)?.cut(CancellationError())
            let now = moment
            // One that is not recorded has come to the same.
            turn.scheduler.sentLast(send.key, record ?? run.map { send.record(after: $0.record, at: now.date) }, at: now)
        }
        execute()
        _ = reduce(send.action, at: step, stamp, cause, inherited)
        // Only now the slot goes to the next: what the action cancels must not start first.
        carryOn(moment)
        turn.heldRoot = nil
        forget(root: cause.root)
        body?.tracker?.finish()
        send.reply?(.success(()))
    }

    private func resumeDeferred() {
        let events = turn.deferred
        turn.deferred = []
        for event in events { handle(event) }
    }
}
