// Watches an opening until it is stable: what it would leave to the next opening, and what a crash loop holds back.

/// An opening that is not stable yet.
struct CrashLoopWatch {
    var record: CrashLoopRecord
    /// Nil if nothing is held back.
    var hold: CrashLoopHold?
    /// When the hold has the next run to admit.
    var wakeAt: Duration?
    /// The opening has lasted long enough: it is stable as soon as nothing is held back.
    var isDue = false
}

extension StoreEngine {
    /// Begins to watch an opening, because one of its effects could crash the process.
    func watch(_ plan: CrashLoopRecord.Plan) {
        let now = ticker.now()
        crashLoopWatch = CrashLoopWatch(
            record: plan.record,
            hold: plan.hold.map { CrashLoopHold(hold: $0, trial: plan.trial, now: now) })
        scheduler.holdsRestored = plan.hold != nil
        leave(plan.record)
        startHeartbeat()
    }

    /// Records what the next opening is to find; nil for nothing.
    private func leave(_ record: CrashLoopRecord?) {
        crashLoopWatch?.record = record ?? CrashLoopRecord()
        recorder.record(crashLoop: record.flatMap { try? program.records.encode($0) })
    }

    /// Admits the next held run if it is time, and ends the watch if the opening is stable.
    func checkCrashLoop() {
        guard var watch = crashLoopWatch, !isRecovering, !isOver else { return }
        let now = moment
        if var hold = watch.hold {
            let runs = scheduler.runs
            let command = hold.next(
                now: now.tick, first: scheduler.held.min(), isLive: { runs[$0] != nil },
                isStarted: { runs[$0]?.phase.isStarted == true })
            watch.hold = hold
            crashLoopWatch = watch
            switch command {
            case .wait(let until):
                crashLoopWatch?.wakeAt = until
                return
            case .admit(let key):
                var record = watch.record
                record.suspect = CrashLoopRecord.Suspect(step: key.step, ordinal: key.ordinal)
                leave(record)
                // The next change is written together with the suspect.
                scheduler.admit(key, after: scheduler.changes + 1, at: now)
                startDue(now)
                return checkCrashLoop()
            case .rest:
                if watch.record.suspect != nil {
                    watch.record.suspect = nil
                    leave(watch.record)
                    keepRecords()
                }
                crashLoopWatch?.wakeAt = nil
            }
        }
        if watch.isDue { becomeStable() }
    }

    private func becomeStable() {
        endCrashLoopWatch()
        isStable = true
        let now = moment
        scheduler.admitAll(at: now)
        startDue(now)
        keepRecords()
    }

    /// Leaves nothing to the next opening: this one is stable, or was closed.
    func endCrashLoopWatch() {
        guard crashLoopWatch != nil else { return }
        leave(nil)
        crashLoopWatch = nil
    }

    /// Notes in the sidecar that the process is alive, at times twice as far apart each: the next opening must know how long this one
    /// lasted, within a factor of two.
    private func startHeartbeat() {
        _ = options.spawn { [weak self, options] in
            var pause = Duration.milliseconds(1)
            var lived = Duration.zero
            while lived < CrashLoopRecord.stableAfter {
                // Not retained while it sleeps: a released store must give its journal's lock back.
                guard self?.noteAlive() == true, (try? await options.sleep(pause)) != nil else { return }
                lived += pause
                pause = min(lived, CrashLoopRecord.stableAfter - lived)
            }
            self?.post(.stableTimeReached)
        }
    }

    /// - Returns: whether the opening is still watched.
    private func noteAlive() -> Bool {
        if isStable { return false }
        stream.journal.writer.later { $0.sidecar?.seen = $0.options.clock() }
        return true
    }
}
