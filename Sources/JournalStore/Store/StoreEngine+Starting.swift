// Start: the scheduler's commands become tasks, submissions and records.

extension StoreEngine {
    /// Starts what is due, and executes what the scheduler decided.
    func startDue(_ now: Moment) {
        // Again if a command has ended a run, for example because `onFailure` returned no action: its slot is free now.
        repeat {
            scheduler.pump(at: now)
            execute()
        } while scheduler.mustPump
    }

    /// Executes the scheduler's commands, in order.
    func execute() {
        var (mustFlush, mustSubmit) = (false, false)
        var messages: [RunKey] = []
        // A command can lead to further commands.
        while case let commands = scheduler.takeCommands(), !commands.isEmpty {
            for command in commands {
                switch command {
                case .start(let key, let attempt): start(key, attempt)
                case .stop(let key): effects.handles.removeValue(forKey: key)?.cut(CancellationError())
                case .record(let record): recorder.record(record)
                case .recordQueue(let text, let record):
                    guard let policy = try? program.records.encode(record) else { continue }
                    recorder.record(
                        QueueMemory(stream: stream.id, key: text, policy: policy, lastStart: record.lastStart?.date))
                case .forgetQueue(let text): recorder.record(QueueMemory.forgotten(stream: stream.id, key: text))
                case .sendAction(let key) where scheduler.runs[key]?.request.isMessage == true: messages.append(key)
                case .sendAction(let key):
                    sendTick(key)
                    mustSubmit = true
                case .sendFailure(let key, let error):
                    sendFailure(key, error)
                    mustSubmit = true
                case .sendCancel(let key):
                    sendCancel(key)
                    mustSubmit = true
                case .reportFailure(let failure):
                    options.notify(.effectFailed, location.failedEffect(failure))
                case .ended(let key, let status, let error): ended(key, status, error)
                case .flush: mustFlush = true
                }
            }
        }
        if mustFlush { writeNow() }
        if mustSubmit { submitAdmitted() }
        if !messages.isEmpty {
            // The receiver's transaction ends the sender's run, so the run's earlier records must be written before.
            keepRecords()
            for key in messages { sendMessage(key) }
        }
    }

    private func start(_ key: RunKey, _ attempt: Int) {
        guard let body = effects.bodies[key], let record = scheduler.runs[key]?.record, let work = body.run.work.body
        else { return }
        let handle = RunHandle(self, key: key, attempt: attempt, tracker: body.tracker)
        effects.handles[key] = handle
        noteStartedBody()
        let calls = body.run.startsInOrder ? body.run.calls ?? effects.calls : nil
        let context = EffectContext(
            stream: stream.name, step: key.step, ordinal: key.ordinal, attempt: attempt, isResumed: body.isResumed,
            delivered: record.delivered, clock: ticker.clock, time: body.time, seed: body.seed,
            identity: record.identity,
            memory: StepMemory(handle, program.records, checksCoding: options.checksCoding), emitter: handle,
            calls: calls)
        handle.start(work, context, record: record, priority: body.priority, on: calls?.executor, options)
    }

    private func ended(_ key: RunKey, _ status: EffectRun.Status, _ error: String?) {
        guard let body = effects.bodies.removeValue(forKey: key) else { return }
        if body.root != dispatches.heldRoot { dropIfDone(root: body.root) }
        let thrown = effects.errors.removeValue(forKey: key)
        body.tracker?.finish(
            status == .failed ? thrown ?? EffectFailure(description: error ?? "") : nil,
            isCancelled: status == .cancelled || status == .evicted)
    }

    /// Drops a dispatch of which no run is left.
    func dropIfDone(root: Int) {
        if scheduler.keys(ofRoot: root).isEmpty { dispatches.drop(root: root) }
    }

    // MARK: Actions of runs without a body

    private func sendTick(_ key: RunKey) {
        guard case .timer(_, let action) = effects.bodies[key]?.run.work else { return }
        send(action, .tick, of: key)
    }

    private func sendFailure(_ key: RunKey, _ error: String) {
        let action: Action? =
            switch effects.bodies[key]?.run.failure {
            case .action(let action): action
            case .closure(let make): make(effects.errors[key] ?? EffectFailure(description: error))
            case nil: nil
            }
        guard let action else { return scheduler.end(key, .failed, at: moment, error: error) }
        send(action, .failure(error), of: key)
    }

    /// Sends the cancel action of a run, by its record: the run may come from an earlier process, and from other code.
    private func sendCancel(_ key: RunKey) {
        effects.bodies[key]?.tracker?.wasCancelled()
        guard let record = scheduler.runs[key]?.record, let text = record.onCancel else { return }
        do throws(JournalError) {
            send(try program.action(text, "cancel", of: record, location), .cancel, of: key)
        } catch {
            // It stays cancelled without the action.
            scheduler.setAside(key, as: nil)
            options.notify(.recordIncomplete, error.triedAgain)
        }
    }

    /// Queues an action of a run. If the action cannot be encoded, the run has failed.
    func send(_ action: Action, _ kind: Send.Kind, of key: RunKey) {
        do {
            let text = try encode(action)
            gate.withLock { $0.queue.add(Send(key: key, kind, action: action, text: text)) }
        } catch {
            scheduler.end(key, .failed, at: moment, error: Self.text(of: error, unsent: kind))
        }
    }
}

extension ErrorLocation {
    func failedEffect(_ failure: Scheduler.UnheardFailure) -> JournalError {
        at(failure.key.step).error(
            .effectFailed, "The effect '\(failure.name)' (\(failure.key)) has failed: \(failure.error)",
            advice: "To tell the machine, "
                + (failure.reportsFailure
                    ? "let the effect's `onFailure` return an action that can be stored. "
                    : "give the effect an `onFailure` that returns an action. ")
                + (failure.couldNotStart
                    ? "It could not start. Remove the cause first, most often in the code: until then "
                        + "`journal-replay retry` fails in the same way. If its ID, its described value or the action "
                        + "of a timer could not be stored, no retry finds it: dispatch the action of its step again."
                    : "`journal-replay retry` runs it again, if it is not ephemeral."))
    }
}
