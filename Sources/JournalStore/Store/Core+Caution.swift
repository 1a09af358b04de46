// Looking after an opening until it is stable: what it would leave to the next one, and what a careful one holds back.

/// An opening that is not stable yet.
struct Watch {
    var caution: Caution
    /// Nil where nothing is held back.
    var probation: Probation?
    /// When there is somebody to be let in.
    var wakeAt: Duration?
    /// It has lived long enough.
    var isDue = false
}

extension Core {
    /// Begins to look after an opening whose end could be the fault of one of its effects.
    func watch(_ plan: Caution.Plan) {
        let now = ticker.now()
        turn.watch = Watch(
            caution: plan.caution,
            probation: plan.hold.map { Probation(hold: $0, trial: plan.trial, now: now) })
        turn.scheduler.holdsRestored = plan.hold != nil
        leave(plan.caution)
        beat()
    }

    /// Has kept what the next opening is to be told.
    private func leave(_ caution: Caution?) {
        turn.watch?.caution = caution ?? Caution()
        turn.caution = .some(caution.flatMap { try? program.records.encode($0) })
    }

    /// Whether it is stable by now, and who is let in next.
    func lookAfter() {
        guard var watch = turn.watch, !turn.isRecovering, !turn.isOver else { return }
        let now = moment
        if var probation = watch.probation {
            let command = probation.next(now: now.tick, first: turn.scheduler.held.min()) {
                [runs = turn.scheduler.runs] in
                runs[$0] != nil
            }
            watch.probation = probation
            turn.watch = watch
            switch command {
            case .wait(let until):
                turn.watch?.wakeAt = until
                return
            case .admit(let key):
                var caution = watch.caution
                caution.suspect = Caution.Suspect(step: key.step, ordinal: key.ordinal)
                leave(caution)
                turn.scheduler.admit(key, after: turn.scheduler.changes + 1, at: now)
                carryOn(now)
                return lookAfter()
            case .rest:
                if watch.caution.suspect != nil {
                    watch.caution.suspect = nil
                    leave(watch.caution)
                    keep()
                }
                turn.watch?.wakeAt = nil
            }
        }
        if watch.isDue { becomeStable() }
    }

    /// It has lived long enough, and will be stable as soon as nobody is held back.
    func hasLived() {
        turn.watch?.isDue = true
    }

    /// Nothing is left to be told.
    private func becomeStable() {
        guard turn.watch != nil else { return }
        leave(nil)
        turn.watch = nil
        isStable = true
        let now = moment
        turn.scheduler.admitAll(at: now)
        carryOn(now)
        keep()
    }

    /// An opening that is closed was no early end.
    func leaveInPeace() {
        guard turn.watch != nil else { return }
        leave(nil)
        turn.watch = nil
    }

    /// - Returns: whether somebody still wants to know.
    private func isSeen() -> Bool {
        if isStable { return false }
        stream.journal.writer.later { $0.sidecar?.seen = $0.options.clock() }
        return true
    }

    /// Says from time to time that the process is alive: it must be known how long one lived that is not.
    private func beat() {
        let options = stream.journal.options
        _ = options.spawn { [weak self] in
            var pause = Duration.milliseconds(1)
            var lived = Duration.zero
            while lived < Caution.stable {
                // Not held while it sleeps: a store that is released has its journal's lock.
                guard self?.isSeen() == true, (try? await options.sleep(pause)) != nil else { return }
                lived += pause
                // So that it is known within a factor of two.
                pause = min(lived, Caution.stable - lived)
            }
            self?.post(.hasLived)
        }
    }
}
