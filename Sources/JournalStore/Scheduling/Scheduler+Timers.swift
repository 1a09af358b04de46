// Timers: runs without a body that send an action when they are due.

extension Scheduler {
    /// Sets a timer to the wall clock.
    mutating func set(_ key: RunKey, _ plan: TimerPlan, due: Timestamp, at now: Moment) {
        guard let run = runs[key] else { return }
        // Negative if it is overdue: its tick tells how late it is, also if the clock is set meanwhile.
        let left = Duration.microseconds(due.microseconds.subtractingSaturating(now.date.microseconds))
        // A timer that waits for a duration never waits longer than that, even if the wall clock is set back.
        let wait = min(left, plan.longestWait ?? clockCheck, .longestWait)
        move(key, to: .ready(now.tick + wait))
        touch(run.target)
        guard run.record.status != .delayed || run.record.notBefore != due else { return }
        change(key) {
            $0.record.status = .delayed
            $0.record.notBefore = due
        }
    }

    /// Sets a timer that an earlier process set, or that was set aside.
    mutating func setAgain(_ key: RunKey, _ plan: TimerPlan, at now: Moment) {
        guard let run = runs[key] else { return }
        let stored = run.record.notBefore ?? plan.next(after: run.request.time, delivered: run.record.delivered)
        var due = plan.afterOpening(stored, now: now.date, upSince: upSince)
        // Stored if the wall clock was set back. Otherwise each opening would wait for the whole duration again.
        if let longest = plan.longestWait { due = min(due, now.date.advanced(by: longest)) }
        set(key, plan, due: due, at: now)
    }

    mutating func pump(_ run: Run, _ plan: TimerPlan, _ tick: Duration, at now: Moment) {
        let key = run.request.key
        guard tick <= now.tick, let stored = run.record.notBefore else { return wake.add(.run(key), at: tick) }
        if plan.waitsForClock, now.date < stored { return set(key, plan, due: stored, at: now) }
        // The wait is over even if a clock that was set back says otherwise.
        let due = plan.due(stored, late: now.tick - tick, at: now.date)
        if due != stored { change(key) { $0.record.notBefore = due } }
        let (isSent, next) = plan.tick(due, now: max(due, now.date))
        if !isSent, let next { return set(key, plan, due: next, at: now) }
        move(key, to: .sending(holdsSlot: true))
        emit(.sendAction(key))
    }

    /// The record of a timer after its tick is in the journal; nil if the run is no timer.
    func recordAfterTick(_ key: RunKey, at now: Moment) -> EffectRun? {
        guard let run = runs[key], let plan = run.request.timer, let due = run.record.notBefore else { return nil }
        var record = run.record
        record.delivered += 1
        if let next = plan.tick(due, now: max(due, now.date)).next {
            record.notBefore = next
        } else {
            record.end(as: .completed, at: now.date)
        }
        return record
    }

    /// The tick of a timer is in the journal, and this record with it.
    mutating func ticked(_ key: RunKey, _ record: EffectRun, at now: Moment) {
        guard let plan = runs[key]?.request.timer else { return }
        guard let next = record.notBefore else { return sentLast(key, nil, at: now) }
        update(key) { $0.record = record }
        set(key, plan, due: next, at: now)
    }
}
