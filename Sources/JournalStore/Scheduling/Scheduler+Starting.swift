extension Scheduler {
    /// Starts the runs that may start now.
    mutating func pump(at now: Moment) {
        while let target = wake.pop(until: now.tick) { touch(target) }
        defer {
            tidyWakes()
            recordNew(at: now)
        }
        guard !isPaused else { return }
        // A timer that is set again is examined again.
        while case let targets = inOrderOfTime(takeTouched()), !targets.isEmpty {
            for target in targets {
                switch target {
                case .run(let key): pump(key, at: now)
                case .queue(let queue): pump(queue, at: now)
                }
            }
        }
    }

    /// Puts timers into the order of the times at which they are due, and leaves the rest where it is: several can have come
    /// due while no process ran.
    private func inOrderOfTime(_ targets: [Target]) -> [Target] {
        if targets.count < 2 { return targets }
        var timers: [(due: Timestamp, index: Int)] = []
        for (index, target) in targets.enumerated() {
            guard case .run(let key) = target, let run = runs[key], run.request.timer != nil else { continue }
            if let due = run.record.notBefore { timers.append((due, index)) }
        }
        let sorted = timers.sorted { ($0.due, $0.index) < ($1.due, $1.index) }
        var ordered = targets
        for (place, timer) in zip(timers, sorted) { ordered[place.index] = targets[timer.index] }
        return ordered
    }

    /// Drops obsolete wake-ups when they are the majority: a timeout of a month that each action sets anew would
    /// otherwise leave one behind for a month.
    private mutating func tidyWakes() {
        guard wake.count > 64, wake.count > 2 * (runs.count + queues.count) else { return }
        wake.keep { target, tick in
            switch target {
            case .run(let key): runs[key]?.phase == .ready(tick)
            case .queue(let queue): queues[queue]?.wakesAt == tick
            }
        }
    }

    private mutating func pump(_ key: RunKey, at now: Moment) {
        guard let run = runs[key], case .ready(let tick) = run.phase else { return }
        if let plan = run.request.timer { return pump(run, plan, tick, at: now) }
        if tick <= now.tick { return run.needsAdmission ? move(key, to: .held) : start(run, after: 0, at: now) }
        wake.add(.run(key), at: tick)
        delay(run, until: tick, at: now)
    }

    private mutating func pump(_ id: QueueDirectory.ID, at now: Moment) {
        var moved: [RunKey] = []
        while let key = queues[id]?.nextForSlot(), let run = runs[key] {
            move(key, to: .ready(run.earliest))
            moved.append(key)
        }
        // Not the whole queue: a second owner of its lists would make each change of them copy them.
        guard let record = queues[id]?.record, var decidedAt = queues[id]?.decidedAt else { return }
        let rule = record.rule
        startResumed(in: id, after: rule.decides ? decidedAt : 0, at: now)
        var lastStart = record.lastStart
        var heldUpUntil: Duration?
        while queues[id]?.awaitsStart != true, let key = queues[id]?.nextReady(at: now.tick), let run = runs[key],
            case .ready(var tick) = run.phase
        {
            visits += 1
            if failIfRefused(run, at: now) { continue }
            let ownTick = tick
            var holdsUpOthers = false
            if tick <= now.tick, let lastStart {
                let drawn = rule.delay.drawn(run.request.seed.words(.queueDelay, key.ordinal, 0).0)
                if drawn > .zero, lastStart.tick + drawn > now.tick {
                    tick = lastStart.tick + drawn
                    holdsUpOthers = true
                }
            }
            if tick > now.tick {
                // The record of a run with a time of its own keeps that: the queue's delay is known without it, and can
                // change.
                delay(run, until: run.hasOwnTime ? ownTick : tick, at: now)
                // No run overtakes one that waits for the queue's delay, but one with a delay of its own is overtaken.
                guard holdsUpOthers else { continue }
                heldUpUntil = tick
                break
            }
            if run.needsAdmission {
                move(key, to: .held)
                continue
            }
            start(run, after: rule.decides ? decidedAt : 0, at: now)
            if rule.delay != .zero {
                lastStart = now
                queues[id]?.record.lastStart = now
                keepQueue(id, isChange: true)
                decidedAt = changes
                queues[id]?.decidedAt = changes
            }
        }
        // A restart gives them their slots again, even if the queue has a smaller maximum then.
        for key in moved {
            guard let run = runs[key], case .ready(let tick) = run.phase else { continue }
            guard run.record.status == .waiting else { continue }
            if run.record.waitsForNextAttempt {
                if run.recordedStart == nil { delay(run, until: tick, at: now) }
            } else {
                change(key) { $0.record.status = .delayed }
            }
        }
        // A start that waits for its record has the queue examined when that is written.
        let nextTick = queues[id]?.awaitsStart == true ? nil : queues[id]?.nextTick()
        scheduleLook(at: id, [heldUpUntil, nextTick].compactMap(\.self).min(), now)
    }

    /// Starts the runs that were running before a restart: none of them waits for the delay of the queue.
    ///
    /// - Parameter decided: the change that must be on the disk before their bodies start.
    private mutating func startResumed(in id: QueueDirectory.ID, after decided: Int, at now: Moment) {
        for key in queues[id]?.takeResumed() ?? [] {
            guard let run = runs[key], run.isResumed, case .ready = run.phase else { continue }
            if failIfRefused(run, at: now) { continue }
            if run.needsAdmission { move(key, to: .held) } else { start(run, after: decided, at: now) }
        }
    }

    /// Fails a restored run of a queue that runs none, without a delay.
    private mutating func failIfRefused(_ run: Run, at now: Moment) -> Bool {
        guard let refusal = run.request.refusal else { return false }
        fail(run.request.key, error: refusal, at: now)
        return true
    }

    /// Notes when a queue is examined again, and forgets it if nothing depends on it any more.
    private mutating func scheduleLook(at id: QueueDirectory.ID, _ next: Duration?, _ now: Moment) {
        guard let state = queues[id] else { return }
        let need = state.need(at: now.tick)
        let soonest: Duration? = if case .delay(let end) = need { end } else { next }
        if let wakesAt = state.wakesAt, wakesAt <= now.tick { queues[id]?.wakesAt = nil }
        if let soonest, soonest < queues[id]?.wakesAt ?? .seconds(Int64.max) {
            queues[id]?.wakesAt = soonest
            wake.add(.queue(id), at: soonest)
        }
        guard need == .nothing else { return }
        // The row is deleted together with the record of the last end, if that is not written yet.
        forget(id)
        if !state.rule.decides || state.decidedAt <= committed {
            drop(id)
        } else {
            emptyQueues.append(id)
        }
    }

    private mutating func delay(_ run: Run, until tick: Duration, at now: Moment) {
        guard run.recordedStart != tick else { return }
        change(run.request.key) { $0.noteSlot(until: tick, now.date(at: tick)) }
    }

    // MARK: Starts

    /// - Parameter decided: the change that must be on the disk before the body starts, besides what the run itself
    ///   requires.
    private mutating func start(_ run: Run, after decided: Int, at now: Moment) {
        let key = run.request.key
        if run.request.isMessage {
            move(key, to: .sending(holdsSlot: true))
            return emit(.sendAction(key))
        }
        let attempt = min(run.record.attempts, .max - 1) + 1
        change(key) {
            ($0.wasReleased, $0.newestStart) = ($0.record.waitsForNextAttempt, now.date)
            $0.record.status = .running
            $0.record.noteAttempt(attempt, at: now.date)
            $0.record.attempts = attempt
            $0.record.started = $0.record.started ?? now.date
            $0.record.notBefore = nil
            $0.recordedStart = nil
            ($0.isNewStart, $0.isResumed) = (!$0.isResumed, false)
        }
        let own = run.request.startsOnce || attempt > 1 ? changes : decided
        let earlier = run.request.startsInOrder ? starting.last?.after ?? 0 : 0
        let needed = run.request.isEphemeral ? 0 : max(own, run.admittedAfter, earlier)
        guard needed > committed else {
            move(key, to: .running)
            return emit(.start(key, attempt: attempt))
        }
        move(key, to: .starting(after: needed))
        let place = starting.lastIndex { $0.after <= needed }.map { $0 + 1 } ?? 0
        starting.insert((needed, key), at: place)
        emit(.flush)
    }

    /// Starts nothing any more, not even what waits for its record to be written.
    mutating func stopStarting() {
        isPaused = true
        starting = []
    }

    /// The store is closed. Undoes starts whose bodies have not begun: first ones, and those after a release or a retry by
    /// hand. After an automatic retry, an earlier attempt has failed, and the restart policy decides.
    ///
    /// - Parameter unbegun: the runs whose tasks were made and whose bodies have not begun. Those that wait for their
    ///   records to be written have not begun either.
    mutating func putBack(_ unbegun: Set<RunKey>) {
        for (key, run) in runs where run.record.status == .running {
            guard run.phase.isStarting || unbegun.contains(key) else { continue }
            guard run.record.attempts == 1 || run.wasReleased else { continue }
            if case .queue(let id) = run.target, let start = run.newestStart,
                queues[id]?.record.lastStart?.date == start
            {
                // The one before is longer ago than the delay.
                queues[id]?.record.lastStart = nil
                keepQueue(id, isChange: true)
            }
            if run.record.attempts == 1 {
                // Not in the line: it has its slot.
                change(key) {
                    $0.record.status = .delayed
                    $0.record.attempts = 0
                    $0.record.started = nil
                }
            } else {
                // A restart policy has decided about the attempts before, and the release after it.
                change(key) {
                    $0.record.status = .waiting
                    if case .queue = $0.target { $0.record.notBefore = $0.newestStart }
                }
            }
        }
    }

    /// Whether bodies start as soon as their records are written.
    var isStarting: Bool { !starting.isEmpty }

    /// The changes that some starts wait for cannot be written: these runs fail.
    mutating func couldNotStart(error: String, at now: Moment) {
        let stuck = starting
        starting = []
        for (after, key) in stuck where runs[key]?.phase == .starting(after: after) {
            fail(key, error: error, at: now)
        }
    }

    /// This many changes are on the disk.
    mutating func wereCommitted(_ count: Int, at now: Moment) {
        guard count > committed else { return }
        committed = count
        let ripe = starting.prefix { $0.after <= committed }
        starting.removeFirst(ripe.count)
        for (after, key) in ripe {
            guard let run = runs[key], run.phase == .starting(after: after) else { continue }
            move(key, to: .running)
            noteStart(of: run, at: now)
            // Those of earlier attempts are on the disk with the change.
            if !run.record.notes.isEmpty { update(key) { $0.record.notes = [] } }
            emit(.start(key, attempt: run.record.attempts))
        }
        for queue in emptyQueues { touch(.queue(queue)) }
        emptyQueues = []
        reportFailures()
    }

    /// A body starts later than was decided, because its record was written first. The delay of its queue counts from now; after
    /// a restart it counts from the decision, which is recorded.
    private mutating func noteStart(of run: Run, at now: Moment) {
        guard case .queue(let id) = run.target, let queue = queues[id], queue.rule.delay != .zero else { return }
        touch(run.target)
        // The queue can have got its delay meanwhile.
        guard run.isNewStart, [nil, run.newestStart].contains(queue.record.lastStart?.date) else { return }
        queues[id]?.record.lastStart = now
        update(run.request.key) { $0.newestStart = now.date }
    }

    // MARK: Crash loops

    /// Starts runs that a crash loop held back. Those that their queues delay are held back again.
    ///
    /// - Parameter change: the change that must be on the disk before any of their bodies starts.
    /// - Returns: the runs whose start is under way.
    mutating func start(held keys: [RunKey], after change: Int, at now: Moment) -> [RunKey] {
        for key in keys { admit(key, after: change, at: now) }
        pump(at: now)
        for key in keys where runs[key]?.phase.isReady == true {
            update(key) {
                $0.needsAdmission = true
                $0.admittedAfter = 0
            }
        }
        return keys.filter { runs[$0]?.phase.isStarted == true }
    }

    /// Ends the crash loop: all runs start as their queues permit.
    mutating func admitAll(at now: Moment) {
        holdsRestored = false
        for key in runs.keys.sorted() { admit(key, after: 0, at: now) }
    }

    /// Lets a run start that was held back, as soon as its queue permits.
    private mutating func admit(_ key: RunKey, after change: Int, at now: Moment) {
        guard let run = runs[key] else { return }
        update(key) {
            $0.needsAdmission = false
            // Not earlier than an act of an operator requires.
            $0.admittedAfter = max($0.admittedAfter, change)
        }
        guard run.phase == .held else { return }
        move(key, to: .ready(now.tick))
        noteIfResumed(key)
        touch(run.target)
    }
}
