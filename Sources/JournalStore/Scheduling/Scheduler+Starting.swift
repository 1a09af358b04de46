extension Scheduler {
    /// Starts what may start now.
    mutating func pump(at now: Moment) {
        while let place = wake.pop(until: now.tick) { touch(place) }
        defer { recordNew(at: now) }
        guard !isPaused else { return }
        // A timer that is set anew is looked at again.
        while case let places = takeTouched(), !places.isEmpty {
            for place in places {
                switch place {
                case .alone(let key): pump(key, at: now)
                case .queue(let name): pump(name, at: now)
                }
            }
        }
    }

    private mutating func pump(_ key: RunKey, at now: Moment) {
        guard let run = runs[key], case .ready(let tick) = run.phase else { return }
        if let plan = run.request.timer { return pump(run, plan, tick, at: now) }
        if tick <= now.tick { return start(run, after: 0, at: now) }
        wake.add(.alone(key), at: tick)
        delay(run, until: tick, at: now)
    }

    private mutating func pump(_ name: AnyEffectID, at now: Moment) {
        // Taken out, so that a long line has one owner and is not copied.
        guard var state = queues.removeValue(forKey: name) else { return }
        for key in state.promote() {
            guard let run = runs[key] else { continue }
            runs[key]?.phase = .ready(run.earliest)
        }
        var soonest: Duration?
        for key in state.slots {
            guard let run = runs[key], case .ready(var tick) = run.phase else { continue }
            var holdsUpOthers = false
            if tick <= now.tick, !run.comesBack, let last = state.lastStart {
                let drawn = state.rule.delay.drawn(run.request.seed.words(.queueDelay, key.ordinal, 0).0)
                if drawn > .zero, last.tick + drawn > now.tick {
                    tick = last.tick + drawn
                    holdsUpOthers = true
                }
            }
            if tick > now.tick {
                delay(run, until: tick, at: now)
                soonest = min(soonest ?? tick, tick)
                // Nobody overtakes one that only waits for the queue's delay; but one with a delay of its own.
                if holdsUpOthers { break }
                continue
            }
            start(run, after: state.rule.decides ? state.decidedAt : 0, at: now)
            if state.rule.delay != .zero, !run.comesBack {
                state.lastStart = now
                if let stored = state.name {
                    changes += 1
                    emit(.remember(name: stored, state.rule, lastStart: now.date))
                }
                state.decidedAt = changes
            }
        }
        if state.isEmpty { soonest = forgetting(state, at: now) }
        if let wakesAt = state.wakesAt, wakesAt <= now.tick { state.wakesAt = nil }
        if let soonest, soonest < state.wakesAt ?? .seconds(Int64.max) {
            state.wakesAt = soonest
            wake.add(.queue(name), at: soonest)
        }
        if state.isEmpty, soonest == nil {
            if !state.rule.decides || state.decidedAt <= committed { return }
            emptied.append(name)
        }
        queues[name] = state
    }

    /// When an empty queue's delay does not matter any more.
    private func forgetting(_ state: QueueState, at now: Moment) -> Duration? {
        guard let last = state.lastStart else { return nil }
        let over = last.tick + state.rule.delay.range.upperBound
        return over > now.tick ? over : nil
    }

    private mutating func delay(_ run: Run, until tick: Duration, at now: Moment) {
        guard run.delayedUntil != tick else { return }
        change(run.request.key) {
            $0.record.status = .delayed
            $0.record.notBefore = now.date(at: tick)
            $0.delayedUntil = tick
        }
    }

    /// - Parameter decided: the change that has to be on the disk before the body starts, besides what the run asks for itself.
    mutating func start(_ run: Run, after decided: Int, at now: Moment) {
        let key = run.request.key
        if run.request.isMessage {
            runs[key]?.phase = .speaking
            return emit(.tick(key))
        }
        if run.isOnProbation { return hold(key) }
        let attempt = run.record.attempts + 1
        change(key) {
            $0.record.status = .running
            $0.record.attempts = attempt
            $0.record.started = $0.record.started ?? now.date
            $0.record.notBefore = nil
            $0.delayedUntil = nil
            $0.comesBack = false
            $0.phase = .running
        }
        let needed = run.request.isEphemeral ? 0 : run.request.startsOnce || attempt > 1 ? changes : decided
        guard needed > committed else { return emit(.start(key, attempt: attempt)) }
        runs[key]?.phase = .starting(after: needed)
        let place = starting.lastIndex { $0.after <= needed }.map { $0 + 1 } ?? 0
        starting.insert((needed, key), at: place)
        emit(.flush)
    }

    /// What was to be on the disk before some starts cannot be written: they are not made.
    mutating func couldNotStart(error: String, at now: Moment) {
        let stuck = starting
        starting = []
        for (after, key) in stuck where runs[key]?.phase == .starting(after: after) {
            fail(key, error: error, at: now)
        }
    }

    /// So many changes are on the disk.
    mutating func wereCommitted(_ count: Int) {
        guard count > committed else { return }
        committed = count
        let ripe = starting.prefix { $0.after <= committed }
        starting.removeFirst(ripe.count)
        for (after, key) in ripe {
            guard let run = runs[key], run.phase == .starting(after: after) else { continue }
            runs[key]?.phase = .running
            emit(.start(key, attempt: run.record.attempts))
        }
        for name in emptied { touch(.queue(name)) }
        emptied = []
    }
}
