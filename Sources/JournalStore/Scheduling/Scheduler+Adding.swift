extension Scheduler {
    /// Adds an effect that a step returned.
    mutating func add(_ request: Request, at now: Moment) {
        let key = request.key
        let earliest = now.tick + min(max(.zero, request.delay), Scheduler.longestWait)
        var record = request.record
        record.status = .waiting
        let run = Run(request, record, earliest: earliest, target(of: request))
        insert(run, isRecorded: false)
        if let refusal = request.refusal { return fail(key, error: refusal, at: now) }
        if let plan = request.timer { return set(key, plan, due: plan.first(after: request.time), at: now) }
        guard let queue = request.queue, case .queue(let name) = run.target else {
            move(key, to: .ready(earliest))
            return touch(run.target)
        }

        let rule = QueueRule(queue)
        guard rule.maxCount > 0 else {
            let name = StoredName.of(type(of: queue))
            return fail(key, error: "The queue \(name) runs \(rule.maxCount) effects: it must be one or more.", at: now)
        }
        // The newest instance's policy counts.
        makeQueue(name, of: run)
        queues[name]?.rule = rule
        guard queues[name]?.waitingCount ?? 0 < Scheduler.longestLine || request.isMessage else {
            return fail(key, error: "The queue is full: \(Scheduler.longestLine) effects wait in it.", at: now)
        }
        let (admission, evicted) = queues[name]?.admission() ?? (.slot, [])
        for old in evicted { end(old, .evicted, at: now) }
        // A described effect brings its queue back from the stored rule alone.
        if request.record.described != nil { keepQueue(name) }
        switch admission {
        case .slot:
            move(key, to: .ready(earliest))
        case .line:
            joinLine(key)
            change(key) {
                if request.delay > .zero { $0.record.notBefore = now.date(at: earliest) }
            }
        case .discarded:
            return end(key, .discarded, at: now)
        }
        touch(run.target)
    }

    /// Adds a run from the journal. A run that was running, or whose time had come, takes its slot even if the queue is full.
    mutating func restore(_ request: Request, at now: Moment) {
        let key = request.key
        let earliest = now.tick + remainingDelay(of: request, at: now)
        var run = Run(request, request.record, earliest: earliest, target(of: request))
        run.isResumed = request.record.status == .running
        run.needsAdmission = holdsRestored && !request.isMessage && request.timer == nil
        insert(run, isRecorded: true)
        switch request.record.status {
        case .running, .delayed, .waiting: break
        case .asked, .parked, .orphaned, .completed, .failed, .cancelled, .evicted, .discarded:
            return move(key, to: .setAside)
        }
        if let refusal = request.refusal { return fail(key, error: refusal, at: now) }
        if let plan = request.timer {
            let due = plan.afterOpening(request.record.notBefore ?? plan.first(after: request.time), now: now.date)
            return set(key, plan, due: due, at: now)
        }
        if let queue = request.queue, case .queue(let name) = run.target {
            guard queue.effectQueuePolicy.maxCount > 0 else {
                return fail(key, error: "Its queue runs \(queue.effectQueuePolicy.maxCount) effects by now.", at: now)
            }
            if let stored = request.record.queueText { restoredQueues[stored] = name }
            // Runs are restored in order, so the newest instance's policy is the one that stays.
            makeQueue(name, of: run)
            queues[name]?.rule = QueueRule(queue)
        }
        if request.queue != nil, request.record.status == .waiting {
            joinLine(key)
        } else {
            move(key, to: .ready(run.isResumed ? now.tick : earliest))
        }
        touch(run.target)
    }

    /// Adds a run whose effect the code does not return any more: it is set aside and can be cancelled.
    mutating func restoreOrphan(_ record: EffectRun, seed: [UInt8]) {
        let key = RunKey(step: record.step, ordinal: record.ordinal)
        let request = Request(
            key: key, id: record.effectID,
            seed: Seed(stream: seed, entry: Digest(high: 0, low: 0)), record: record)
        insert(Run(request, record, earliest: .zero, .run(key)), isRecorded: true)
        move(key, to: .setAside)
        if record.status != .orphaned { change(key) { $0.record.status = .orphaned } }
    }

    /// The smaller of what the wall clock says and how long the wait was meant to be: a clock that jumped cannot stall it.
    private func remainingDelay(of request: Request, at now: Moment) -> Duration {
        guard request.record.status != .running, let deadline = request.record.notBefore else { return .zero }
        let random = request.seed.words(.retry, request.key.ordinal, request.record.failures).0
        let meant = max(
            request.delay, request.queue.map { QueueRule($0).delay.range.upperBound } ?? .zero,
            request.record.failures > 0
                ? request.retry.delay(after: request.record.failures, random: random) ?? .zero : .zero)
        let left = Duration.microseconds(deadline.microseconds.subtractingSaturating(now.date.microseconds))
        return max(.zero, min(left, meant))
    }

    /// Gives a queue another rule at once. Running effects stay.
    ///
    /// - Parameter text: the queue as it is stored.
    mutating func update(_ queue: any EffectQueue, text: String? = nil) {
        let name = name(of: queue, text: text)
        let rule = QueueRule(queue)
        // A queue without runs needs no change: the next effect brings its own instance, which counts.
        guard rule.maxCount > 0, queues[name] != nil else { return }
        queues[name]?.rule = rule
        keepQueue(name)
        touch(.queue(name))
    }
}
