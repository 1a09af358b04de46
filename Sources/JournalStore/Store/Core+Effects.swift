// Commands carried out: bodies started and cut off, sends handed in, records kept.

extension Core {
    /// Starts what may start now, and carries out what was decided.
    func carryOn(_ now: Moment) {
        turn.scheduler.pump(at: now)
        execute()
    }

    /// Carries out what the scheduler decided, in order.
    func execute() {
        var (mustFlush, mustRelease) = (false, false)
        var messages: [RunKey] = []
        // What one of them leads to is carried out as well.
        while case let commands = turn.scheduler.takeCommands(), !commands.isEmpty {
            for command in commands {
                switch command {
                case .start(let key, let attempt): start(key, attempt)
                case .stop(let key): turn.handles.removeValue(forKey: key)?.cut(CancellationError())
                case .record(let record): turn.runs.append(record)
                case .recordQueue(let name, let rule, let lastStart):
                    guard let text = try? program.records.encode(rule) else { continue }
                    turn.queues.append(QueueMemory(stream: stream.id, key: name, policy: text, lastStart: lastStart))
                case .sendAction(let key) where turn.scheduler.runs[key]?.request.isMessage == true: messages.append(key)
                case .sendAction(let key):
                    tick(key)
                    mustRelease = true
                case .sendFailure(let key, let error):
                    tellFailure(key, error)
                    mustRelease = true
                case .ended(let key, let status, let error): ended(key, status, error)
                case .flush: mustFlush = true
                }
            }
        }
        if mustFlush { writeNow() }
        if mustRelease { release() }
        if !messages.isEmpty {
            // No record of a run behind the one that ends it.
            keep()
            for key in messages { send(key) }
        }
    }

    private func start(_ key: RunKey, _ attempt: Int) {
        guard let body = turn.bodies[key], let record = turn.scheduler.runs[key]?.record,
            let work = body.run.work.body
        else { return }
        let handle = RunHandle(self, key: key, attempt: attempt)
        turn.handles[key] = handle
        let context = EffectContext(
            stream: stream.name, step: key.step, ordinal: key.ordinal, attempt: attempt, isResumed: body.isResumed,
            delivered: record.delivered, clock: ticker.clock, time: body.time, seed: body.seed,
            memory: StepMemory(handle, program.records, checksCoding: stream.journal.options.checksCoding))
        handle.start(
            work, context, record: record, priority: body.priority, stream.journal.options)
    }

    private func ended(_ key: RunKey, _ status: EffectRun.Status, _ error: String?) {
        guard let body = turn.bodies.removeValue(forKey: key) else { return }
        if body.root != turn.heldRoot { forget(root: body.root) }
        let thrown = turn.failures.removeValue(forKey: key)
        body.tracker?.finish(status == .failed ? thrown ?? EffectFailure(description: error ?? "") : nil)
    }

    // MARK: What runs without a body say

    private func tick(_ key: RunKey) {
        guard case .timer(_, let action) = turn.bodies[key]?.run.work else { return }
        say(action, .tick, of: key)
    }

    private func tellFailure(_ key: RunKey, _ error: String) {
        let action: Action? =
            switch turn.bodies[key]?.run.failure {
            case .action(let action): action
            case .closure(let make): make(turn.failures[key] ?? EffectFailure(description: error))
            case nil: nil
            }
        guard let action else { return turn.scheduler.end(key, .failed, at: moment, error: error) }
        say(action, .failure(error), of: key)
    }

    /// Has an action of a run committed. A run whose word cannot be encoded has failed.
    func say(_ action: Action, _ word: Send.Word, of key: RunKey) {
        do {
            let text = try encode(action)
            entrance.withLock { $0.lane.add(Send(key: key, word, action: action, text: text)) }
        } catch {
            turn.scheduler.end(key, .failed, at: moment, error: Core.text(of: error))
        }
    }

    /// Where nothing is left of a dispatch, nobody can ask for it any more.
    func forget(root: Int) {
        guard turn.scheduler.keys(ofRoot: root).isEmpty else { return }
        turn.trackers[root] = nil
        for (id, var roots) in turn.roots where roots.remove(root) != nil {
            turn.roots[id] = roots.isEmpty ? nil : roots
        }
    }

    // MARK: Handing in

    /// Hands in what the lane lets go.
    func release() {
        // What was committed before must be reduced before.
        guard !turn.isRecovering else { return }
        var dropped: [Send] = []
        let items = entrance.withLock { entrance in
            entrance.lane.next { send in
                let isLive = isLive(send)
                if !isLive { dropped.append(send) }
                return isLive
            }
        }
        for send in dropped { send.fail(CancellationError()) }
        guard !items.isEmpty else { return }
        // No record of a run before its step is settled.
        keep()
        stream.journal.writer.submit(
            items.map { item -> any Submission in
                switch item {
                case .dispatch(let request): return request
                case .send(let send):
                    let batch = batch(of: send)
                    return Writer.Told(batch) { self.arrived(.sent(send, batch.runs.first, $0)) }
                }
            })
    }

    /// Whether a run may still say that.
    private func isLive(_ send: Send) -> Bool {
        // What a store that is being closed would say, the next opening says.
        guard turn.closing.isEmpty else { return false }
        return switch send.word {
        case .more(let attempt), .last(let attempt): turn.handles[send.key]?.attempt == attempt
        case .restart, .orphan: turn.scheduler.runs[send.key] != nil
        case .message: true
        case .failure, .tick: turn.scheduler.runs[send.key]?.phase.isSending == true
        }
    }

    /// The action and what becomes of its run by it: in one transaction.
    private func batch(of send: Send) -> Batch {
        var batch = Batch(entries: [
            NewEntry(
                stream: stream.id, action: send.text, version: send.version ?? program.version, origin: send.origin,
                cause: send.cause)
        ])
        if case .message(let delivery) = send.word {
            batch.runs = [delivery.record]
        } else if let run = turn.scheduler.runs[send.key], !run.request.isEphemeral {
            let now = moment
            batch.runs = [
                turn.scheduler.recordAfterTick(send.key, at: now) ?? send.record(after: run.record, at: now.date)
            ]
        }
        return batch
    }

    // MARK: Records

    /// Gives the records that have come together to those who write them.
    func keep() {
        let isPlain =
            turn.steps.isEmpty && turn.runs.isEmpty && turn.queues.isEmpty && turn.caution == nil
            && turn.scheduler.changes == turn.keptChanges
        guard let settled = turn.settled, isPlain else { return keepRecords() }
        pending.add(settled: settled)
        turn.settled = nil
    }

    private func keepRecords() {
        guard turn.settled != nil || !turn.runs.isEmpty || !turn.queues.isEmpty || turn.caution != nil else { return }
        turn.keptChanges = turn.scheduler.changes
        pending.add(
            settled: turn.settled, steps: turn.steps, runs: turn.runs, queues: turn.queues,
            caution: turn.caution, changes: turn.scheduler.changes)
        turn.caution = nil
        turn.settled = nil
        turn.steps = []
        turn.runs = []
        turn.queues = []
    }

    /// Has a transaction made for them.
    func writeNow() {
        keep()
        stream.journal.handIn(Batch()) { _ in }
    }

    /// Answers once everything so far is on the disk.
    func onceWritten(_ reply: @escaping @Sendable (Result<Void, JournalError>) -> Void) {
        keep()
        guard !turn.isOver else { return reply(.failure(refusal)) }
        // Answered on the way back from the transaction, after whatever it carried was told of.
        var batch = Batch()
        if !turn.interventions.isEmpty { batch.interventions = [stream.id: turn.interventions] }
        turn.interventions = []
        stream.journal.handIn(batch) { result in
            switch result {
            case .success: reply(.success(()))
            case .failure(let error): reply(.failure(error))
            }
        }
    }

    // MARK: Time

    func setSleeper() {
        var next = turn.scheduler.nextWake
        if let retryAt = turn.retryAt { next = min(next ?? retryAt, retryAt) }
        if let wakeAt = turn.watch?.wakeAt { next = min(next ?? wakeAt, wakeAt) }
        guard !turn.isOver, let next else {
            turn.sleeper?.task.cancel()
            turn.sleeper = nil
            return
        }
        if let sleeper = turn.sleeper, sleeper.until == next { return }
        turn.sleeper?.task.cancel()
        turn.sleeper = (
            next,
            stream.journal.options.spawn { [weak self, ticker] in
                guard (try? await ticker.sleep(next)) != nil else { return }
                self?.post(.tick)
            }
        )
    }
}
