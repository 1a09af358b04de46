extension Scheduler {
    /// Adds an effect that a step returned.
    ///
    /// - Parameter isOpening: whether an opening settles the step: a timer can have missed ticks by then.
    mutating func add(_ request: Request, isOpening: Bool = false, at now: Moment) {
        let key = request.key
        let earliest = now.tick + min(max(.zero, request.delay), .longestWait)
        let rule = request.queue.map { QueueRule($0) }
        let refusal = request.refusal ?? request.queue.flatMap(Scheduler.refusal)
        let target = target(of: request, refusal: refusal)
        var record = request.record
        record.status = .waiting
        if refusal != nil {
            // The refused queue is not recorded either.
            record.queueText = nil
        } else if case .queue(let queue) = target {
            record.queueText = directory.text(of: queue)
        }
        let run = Run(request, record, earliest: earliest, target)
        insert(run, isRecorded: false)
        if let refusal { return fail(key, error: refusal, at: now) }
        if let plan = request.timer {
            let due = plan.first(after: request.time)
            let next = isOpening ? plan.afterOpening(due, now: now.date, upSince: upSince) : due
            return set(key, plan, due: next, at: now)
        }
        guard let rule, case .queue(let queue) = target else {
            move(key, to: .ready(earliest))
            return touch(target)
        }

        // The newest instance's rule counts. A described effect brings its queue back from the stored rule alone.
        adopt(rule, since: key, in: queue)
        if request.record.described != nil, directory.record(of: queue) == nil { keepQueue(queue) }
        let (admission, evicted) = queues[queue]?.admission(ofStep: key.step) ?? (.slot, [])
        let waitingCount = queues[queue]?.waitingCount ?? 0
        if admission == .line, evicted.isEmpty, waitingCount >= Scheduler.longestLine, !request.isMessage {
            return fail(key, error: "The queue is full: \(Scheduler.longestLine) effects wait in it.", at: now)
        }
        for old in evicted { stop(old, .evicted, at: now) }
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
        touch(target)
    }

    /// Why no effect can run in a queue.
    private static func refusal(by queue: any EffectQueue) -> String? {
        let policy = queue.effectQueuePolicy
        if policy.isValid { return nil }
        return "The queue \(StoredName.of(queue)) runs \(policy.maxCount) effects: it must be one or more."
    }

    /// Adds a run from the journal. A run that was running, or whose time had come, takes its slot even if the queue is
    /// full.
    mutating func restore(_ request: Request, at now: Moment) {
        let key = request.key
        let target = target(of: request, refusal: request.refusal)
        var record = request.record
        if case .queue(let queue) = target {
            record.queueText = directory.text(of: queue)
            adoptRule(ofRestored: request, in: queue)
            // A run that had ended, and is retried, can have a queue that was forgotten, or that newer effects have given
            // another rule: its own would count at a restart.
            let isOther = request.queue.map { QueueRule($0) } != queues[queue]?.rule
            if request.record.described != nil || isOther, directory.record(of: queue) == nil { keepQueue(queue) }
        }
        let earliest = now.tick + remainingDelay(of: request, in: target, at: now)
        // The result of a run may be in the journal already, and counts. So one whose queue runs none fails only when it would start.
        var known = request
        known.refusal = request.refusal ?? request.queue.flatMap(Scheduler.refusal)
        var run = Run(known, record, earliest: earliest, target)
        run.isResumed = request.record.status == .running
        run.needsAdmission = holdsRestored && request.hasBody
        // Its record has this start already.
        if record.status == .delayed, let date = record.notBefore, date <= now.date(at: earliest) {
            run.recordedStart = earliest
        }
        insert(run, isRecorded: true)
        guard request.record.status.continuesAfterRestart else { return move(key, to: .setAside) }
        if let refusal = request.refusal { return fail(key, error: refusal, at: now) }
        if let plan = request.timer { return setAgain(key, plan, at: now) }
        if request.queue != nil, record.status == .waiting, !record.hasSlotForNextAttempt {
            joinLine(key)
        } else {
            move(key, to: .ready(run.isResumed ? now.tick : earliest))
            noteIfResumed(key)
        }
        touch(run.target)
    }

    /// A run that was running before a restart does not wait behind others for the delay of its queue.
    mutating func noteIfResumed(_ key: RunKey) {
        guard let run = runs[key], run.isResumed, case .queue(let queue) = run.target else { return }
        queues[queue]?.noteResumed(key)
    }

    /// A restored closure effect has the instance that the present code makes for its step. That instance counts if it
    /// once brought the rule in force, or came later: then another rule means that the code was changed. Older
    /// instances do not count.
    private mutating func adoptRule(ofRestored request: Request, in queue: QueueDirectory.ID) {
        guard let instance = request.queue, !(instance is StoredQueue), instance.effectQueuePolicy.isValid,
            let since = queues[queue]?.record.since, request.key >= since
        else { return }
        adopt(QueueRule(instance), since: request.key, in: queue)
    }

    /// Adds a run whose effect the code does not return any more: it is set aside and can be cancelled.
    mutating func restoreOrphan(_ record: EffectRun, seed: StreamSeed) {
        let key = restoreRecord(record, seed)
        move(key, to: .setAside)
        switch record.status {
        // It keeps its status: if later code returns the effect again, it still waits for the same decision.
        case .orphaned, .asked, .parked: break
        default:
            change(key) {
                // With a time it would be one whose retry is planned, to which its restart policy applies.
                if $0.record.waitsForNextAttempt { $0.record.notBefore = nil }
                $0.record.status = .orphaned
            }
        }
    }

    /// Adds a run that was cancelled, and whose cancel action was not committed.
    mutating func restoreCancelling(_ record: EffectRun, seed: StreamSeed) {
        let key = restoreRecord(record, seed)
        move(key, to: .sending(holdsSlot: false))
        emit(.sendCancel(key))
    }

    /// Adds a run of which nothing but the record is needed.
    private mutating func restoreRecord(_ record: EffectRun, _ seed: StreamSeed) -> RunKey {
        let request = Request(
            key: record.key, id: record.effectID,
            seed: Seed(stream: seed, entry: Digest(high: 0, low: 0)), record: record)
        // It needs what is stored of its queue: later code may return it again.
        let queue = record.queueText.flatMap { directory.id(storedAs: $0) }
        let target = queue.map { Target.queue($0) } ?? .run(record.key)
        insert(Run(request, record, earliest: .zero, target), isRecorded: true)
        return record.key
    }

    /// The smaller of what the wall clock says and how long the wait was meant to be: a clock that jumped cannot stall
    /// it.
    private func remainingDelay(of request: Request, in target: Target, at now: Moment) -> Duration {
        let record = request.record
        // A release or a retry by hand has ended its own delay, and that of its queue is known without the record.
        if record.status == .running || record.waitsForNextAttempt { return .zero }
        guard let deadline = record.notBefore else { return .zero }
        let random = request.seed.words(.retry, request.key.ordinal, record.failures).0
        var meant = request.delay
        if record.failures > 0 {
            meant = max(meant, request.retry.delay(after: record.failures, random: random) ?? .zero)
        }
        // The delay of the queue counts from its last start, if that is known: the queue may have another delay by now.
        if case .queue(let queue) = target, let record = queues[queue]?.record, record.lastStart == nil {
            meant = max(meant, record.rule.delay.range.upperBound)
        }
        let left = Duration.microseconds(deadline.microseconds.subtractingSaturating(now.date.microseconds))
        return max(.zero, min(left, meant))
    }

    /// Gives a queue another rule at once. Running effects stay.
    ///
    /// - Parameters:
    ///   - text: the queue as it is stored.
    ///   - place: where the update stands among the effects of the stream.
    mutating func update(_ queue: any EffectQueue, text: String? = nil, since place: RunKey) {
        let rule = QueueRule(queue)
        // Of a queue without runs only a stored rule is changed: the next effect brings its own instance, which counts.
        guard rule.policy.isValid, let id = directory.find(queue, text: text) else { return }
        adopt(rule, since: place, in: id)
        // Also an update to the rule that the queue has counts against the older instances of later code.
        if queues[id]?.record.since != place {
            queues[id]?.record.since = place
            keepQueue(id)
        }
        touch(.queue(id))
    }
}
