// An opening until it is stable: what it would leave to the next one, and what a crash loop holds back.

/// An opening that restores effects and is not stable yet, and what it leaves to the next one.
struct UnstableOpening {
    var record: CrashLoopRecord
    /// Nil if nothing is held back.
    var hold: CrashLoopHold?
    /// When the hold has something to do.
    var wakeAt: Duration?
    /// When the stream asks for its turn again, because others are watching.
    var asksAt: Duration?
    /// The opening has lasted long enough: it is stable as soon as nothing is held back.
    var isDue = false
}

extension StoreEngine {
    /// Begins an opening that restores effects of which one could crash the process.
    func beginUnstableOpening(_ plan: CrashLoopRecord.Plan) {
        let now = ticker.now()
        unstableOpening = UnstableOpening(
            record: plan.record,
            hold: plan.hold.map { CrashLoopHold(plan, hold: $0, now: now) })
        scheduler.holdsRestored = plan.hold != nil
        save(plan.record)
        if options.hasHeartbeat { startHeartbeat() }
    }

    /// Collects what the next opening finds; nil for nothing. ``keepRecords()`` passes it on.
    private func save(_ record: CrashLoopRecord?) {
        unstableOpening?.record = record ?? CrashLoopRecord()
        recorder.record(crashLoop: record.flatMap { try? program.records.encode($0) })
    }

    /// Starts the next group of held runs if it is time, and notes when the opening is stable.
    func checkCrashLoop() {
        guard unstableOpening != nil, !isRecovering, !isOver else { return }
        if startHeldRuns(), !isOver, unstableOpening?.isDue == true { becomeStable() }
    }

    /// - Returns: whether nothing is held back.
    private func startHeldRuns() -> Bool {
        while !isOver, var opening = unstableOpening, var hold = opening.hold {
            opening.wakeAt = nil
            if scheduler.isPaused {
                // The disk is full, or the bodies were cut off: nothing starts.
                unstableOpening = opening
                return false
            }
            let now = moment
            // Not with each event: asking sorts all held runs.
            if let asksAt = opening.asksAt, now.tick < asksAt {
                opening.wakeAt = asksAt
                unstableOpening = opening
                return false
            }
            opening.asksAt = nil
            let command = hold.next(now: now.tick, held: scheduler.held) { attempt(of: $0) }
            switch command {
            case .wait(let until):
                opening.hold = hold
                opening.wakeAt = until
                unstableOpening = opening
                return false
            case .start(let keys, let alone):
                // Before the turn is given back: an end that another stream causes then must raise no suspicion here.
                if hold.endWatch(held: scheduler.held, in: &opening.record) {
                    save(opening.record)
                    keepRecords()
                }
                guard stream.journal.crashLoopTurns.withLock({ $0.begin(stream.id, alone: alone) }) else {
                    // The hold stays as it was.
                    opening.asksAt = now.tick + hold.watchTime
                    opening.wakeAt = opening.asksAt
                    unstableOpening = opening
                    return false
                }
                let started = scheduler.start(held: keys, after: scheduler.changes + 1, at: now)
                hold.watch(started, now: now.tick, in: &opening.record)
                opening.hold = hold
                unstableOpening = opening
                // Before the changes are kept: the first of them is written together with the suspects.
                if !started.isEmpty { save(opening.record) }
                execute()
            case .rest:
                opening.hold = hold
                unstableOpening = opening
                if opening.record.suspects != nil {
                    opening.record.clear()
                    save(opening.record)
                    keepRecords()
                }
                endCrashLoopTurn()
                return true
            }
        }
        return true
    }

    private func attempt(of key: RunKey) -> CrashLoopHold.Attempt {
        switch scheduler.runs[key]?.phase {
        case .starting?: .starting
        case .running?, .sending?: .running
        case .new?, .waiting?, .ready?, .held?, .setAside?, nil: .over
        }
    }

    private func becomeStable() {
        removeCrashLoopRecord()
        isStable = true
        let now = moment
        scheduler.admitAll(at: now)
        startDue(now)
        keepRecords()
    }

    /// Removes the record: this opening is stable, or was closed.
    func removeCrashLoopRecord() {
        guard unstableOpening != nil else { return }
        save(nil)
        unstableOpening = nil
        // Before the turn is given back: the next transaction writes it, also one of another stream.
        keepRecords()
        endCrashLoopTurn()
    }

    /// Removes the record of an opening whose store ends by itself, which is no crash. No other record is written.
    func removeCrashLoopRecordAlone() {
        guard unstableOpening != nil else { return }
        unstableOpening = nil
        var batch = Batch()
        batch.crashLoops = [stream.id: nil]
        // Before the turn is given back, and before the stream is closed.
        stream.journal.submit(batch) { _ in }
        endCrashLoopTurn()
    }

    /// Gives back the stream's turn, so that other streams can watch their effects.
    func endCrashLoopTurn() {
        stream.journal.crashLoopTurns.withLock { $0.end(stream.id) }
    }

    /// Notes in the sidecar that the process is alive, at intervals that double: the next opening must know how long
    /// this one lasted, within a factor of two.
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
        stream.journal.writer.noteAlive()
        return true
    }
}
