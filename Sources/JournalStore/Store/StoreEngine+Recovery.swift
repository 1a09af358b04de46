// The engine's part of a recovery; ``Recovery`` does the reading.

extension JournalError {
    /// The error of what each opening tries.
    var triedAgain: JournalError { changed(self) { $0.advice += " The next opening tries again." } }
}

extension StoreEngine {
    /// Restores unfinished runs. None of them starts yet.
    func restore(_ past: Recovery<Action, State>.Past) {
        scheduler.isPaused = true
        scheduler.upSince = past.hostedSince
        if let plan = past.crashLoopPlan { beginUnstableOpening(plan) }
        if past.endsCrashLoop { recorder.record(crashLoop: nil) }
        let now = moment
        for (row, record) in past.queues {
            // A clock that was set back must not make a queue wait longer than its delay, also after further openings.
            let start = row.lastStart.map { min($0, now.date) }
            if start != row.lastStart { recorder.record(changed(row) { $0.lastStart = start }) }
            let lastStart = start.map { start in
                let ago = Duration.microseconds(now.date.microseconds.subtractingSaturating(start.microseconds))
                return Moment(tick: now.tick - ago, date: start)
            }
            scheduler.remember(row.key, changed(record) { $0.lastStart = lastStart })
        }
        for run in past.runs { restore(run, at: now) }
        for record in past.cancelling + past.orphaned { rememberCancelID(of: record) }
        for record in past.cancelling { scheduler.restoreCancelling(record, seed: info.seed(at: record.step)) }
        for record in past.orphaned { scheduler.restoreOrphan(record, seed: info.seed(at: record.step)) }
        if past.startsInitialEffect {
            recorder.settle(0)
            if !program.initialEffect.isPlain {
                let cause = StepCause(origin: .dispatched, root: 0)
                _ = settle(program.initialEffect, at: 0, info.birth, cause)
            }
            setAsideIfShared(0, root: 0)
        }
        execute()
    }

    /// Restores one run.
    func restore(_ run: RecoveredRun<Action>, at now: Moment) {
        let key = run.record.key
        let seed = Seed(stream: info.seed(at: key.step), entry: run.entry.digest)
        var request = request(for: run, seed)
        request.shortenDelay(at: now.date)
        effects.bodies[key] = EffectTable.Body(
            run: run.run, root: run.record.rootStep, time: run.entry.time, seed: seed,
            priority: run.run.priority ?? run.record.taskPriority, tracker: nil, isResumed: run.record.attempts > 0)
        rememberCancelID(of: run.record)
        scheduler.restore(request, at: now)
        // The policies of a closure are those of the present code.
        if run.isChanged || request.record != run.record {
            recorder.record(scheduler.runs[key]?.record ?? request.record)
        }
    }

    /// The cancel ID of a dispatch reaches all effects that it led to.
    private func rememberCancelID(of run: EffectRun) {
        if let id = run.cancelID { dispatches.roots.insert(run.rootStep, id) }
    }

    /// Reduces steps again whose outcomes are not recorded.
    ///
    /// - Parameter owesBase: whether the state after them is the base of a new version, written with their outcomes.
    /// - Returns: the base; nil if none was collected.
    func resettle(_ steps: [Recovery<Action, State>.Unsettled], owesBase: Bool) -> NewSnapshot? {
        self.owesBase = owesBase
        defer { self.owesBase = false }
        resettle(steps)
        guard owesBase, !isOver, let newBase = base(of: reduced.state, at: step) else { return nil }
        recorder.record(base: newBase)
        return newBase
    }

    private func resettle(_ steps: [Recovery<Action, State>.Unsettled]) {
        for step in steps {
            // Also if the step is skipped: the run has sent its action.
            let counts = !step.entry.isProvisional || endRun(of: step.entry)
            guard let action = step.action else {
                self.step = step.entry.step
                recorder.settle(step.entry.step)
                broadcast.publish(reduced.newest, step: step.entry.step)
                continue
            }
            guard counts else {
                passOver(step.entry.step)
                continue
            }
            let cause = StepCause(
                origin: step.entry.origin, root: step.root, priority: step.priority, cancelID: step.cancelID)
            let isNew = step.entry.step >= stream.firstNewStep
            guard (try? reduce(action, at: step.entry.step, step.entry.stamp, cause, isNew: isNew)) != nil
            else { return }
            setAsideIfShared(step.entry.step, root: step.root)
        }
    }

    /// The base that this version of the machine begins with, because it may reduce the steps before to another state.
    /// Nil if the state cannot be encoded, which is reported.
    func base(of state: State, at step: Int) -> NewSnapshot? {
        do throws(JournalError) {
            let text = try program.encode(state, location.at(step))
            return NewSnapshot(stream: stream.id, step: step, version: program.version, isBase: true, state: text)
        } catch {
            options.notify(.snapshotFailed, error)
            return nil
        }
    }

    /// Makes the effects of a step `asked` if another journal has that step as well, because they run there. A fork and
    /// a detached copy share the steps before it, also those that were not settled when the copy was made.
    private func setAsideIfShared(_ step: Int, root: Int) {
        guard let shared = info.sharedStep, step <= shared else { return }
        // Not of all runs: each of thousands of steps can have some.
        let keys = scheduler.keys(ofRoot: root).filter { key in
            key.step == step && scheduler.runs[key]?.phase.isStarted == false
        }
        let now = moment
        for key in keys.sorted() {
            // An ephemeral one has no record that could wait for a decision.
            if scheduler.runs[key]?.request.isEphemeral == true {
                scheduler.end(key, .cancelled, at: now)
            } else {
                scheduler.setAside(key, as: .asked)
            }
        }
        startDue(now)
    }

    /// Applies the restart decision of each run, and starts what may start.
    func resume(_ runs: [(RecoveredRun<Action>, RestartDecision<Action>)], orphaned: [EffectRun]) {
        let now = moment
        isRecovering = false
        for record in orphaned {
            guard let text = record.onOrphan, record.sendsOrphanAction else { continue }
            do throws(JournalError) {
                send(try program.action(text, "orphan", of: record, location), .orphan, of: record.key)
            } catch {
                // It stays an orphan.
                options.notify(.recordIncomplete, error.triedAgain)
            }
        }
        for (run, decision) in runs {
            let key = run.record.key
            switch decision {
            case .resume, .stay: break
            case .cancel: scheduler.cancel(key, at: now)
            case .ask: scheduler.setAside(key, as: .asked)
            case .send(let action):
                scheduler.setAside(key, as: nil)
                send(action, .restart, of: key)
            }
        }
        // The journal can have been closed meanwhile.
        scheduler.isPaused = isClosed
        startDue(now)
        submitAdmitted()
        handleDeferredEvents()
        submitAdmitted()
    }
}
