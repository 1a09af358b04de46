// What a recovery asks for, between its own reading.

extension Core {
    /// Has the runs again that had not ended. None of them starts yet.
    func restore(_ past: Recovery<Action, State>.Past) {
        turn.scheduler.isPaused = true
        turn.isRecovering = true
        if let plan = past.watch { watch(plan) }
        let now = moment
        for (root, id) in past.cancelIDs { turn.roots[id, default: []].insert(root) }
        for queue in past.queues {
            guard let start = queue.lastStart else { continue }
            // A clock that was set back must not make a queue wait longer than its delay.
            let ago = Duration.microseconds(max(0, now.date.microseconds.addingSaturating(-start.microseconds)))
            turn.scheduler.lastStarts[queue.key] = Moment(tick: now.tick - ago, date: start)
        }
        for found in past.found { bring(found, at: now) }
        for record in past.orphaned { turn.scheduler.restoreOrphan(record, seed: info.seed(at: record.step)) }
        if past.begins {
            turn.settled = 0
            if !program.initialEffect.isPlain {
                let cause = StepCause(origin: .dispatched, root: 0)
                _ = settle(program.initialEffect, at: 0, info.birth, cause)
            }
            askOfShared(0)
        }
        execute()
    }

    /// Reduces steps again whose outcomes were not recorded.
    func resettle(_ steps: [Recovery<Action, State>.Unsettled]) {
        for step in steps {
            if step.isSkipped {
                pass(over: step.entry.step)
                continue
            }
            let stamp = step.entry.stamp
            let cause = StepCause(origin: step.entry.origin, root: step.root, cancelID: step.cancelID)
            _ = reduce(step.action, at: step.entry.step, stamp, cause, isNew: false)
            askOfShared(step.entry.step)
        }
    }

    /// A fork, or a detached copy, begins with steps that another journal has as well. What they start runs there, and here only
    /// once somebody says so: also where the copy was made before they were settled.
    private func askOfShared(_ step: Int) {
        guard let shared = info.sharedStep, step <= shared else { return }
        let waiting = turn.scheduler.runs.values.filter { run in
            guard run.request.key.step == step, !run.request.isEphemeral else { return false }
            switch run.phase {
            case .ready, .waiting: return true
            default: return false
            }
        }
        for run in waiting { turn.scheduler.setAside(run.request.key, as: .asked) }
        carryOn(moment)
    }

    /// An operator said so: the state stays, and the step is settled with it.
    private func pass(over step: Int) {
        turn.step = step
        turn.settled = step
        published.publish(state, step: step)
    }

    /// Applies what a restart means for each run that was running, and lets all start that may.
    func resume(_ fates: [(Recovery<Action, State>.Found, Fate<Action>)], orphaned: [EffectRun]) {
        let now = moment
        turn.isRecovering = false
        for record in orphaned {
            guard let text = record.onOrphan else { continue }
            do throws(JournalError) {
                say(try program.action(text, version: record.version, place.at(record.step)), .orphan, of: record.key)
            } catch {
                // It stays an orphan, and is looked at anew by the next opening.
                stream.journal.options.report(Notice(kind: .recordIncomplete, error: error))
            }
        }
        for (found, fate) in fates {
            let key = found.record.key
            switch fate {
            case .goesOn, .stays: break
            case .cancel: turn.scheduler.cancel(key, at: now)
            case .ask: turn.scheduler.setAside(key, as: .asked)
            case .tell(let action):
                turn.scheduler.setAside(key, as: nil)
                say(action, .restart, of: key)
            }
        }
        turn.scheduler.isPaused = false
        carryOn(now)
        release()
    }
}
