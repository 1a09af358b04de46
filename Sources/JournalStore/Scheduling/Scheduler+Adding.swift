extension Scheduler {
    /// Takes in an effect that a step returned.
    mutating func add(_ request: Request, at now: Moment) {
        let key = request.key
        let earliest = now.tick + min(max(.zero, request.delay), Scheduler.longestWait)
        var record = request.record
        record.status = .waiting
        let name = request.queue.map { self.name(of: $0, text: record.queue) }
        insertNew(
            Run(
                request: request, record: record, phase: .ready(earliest), earliest: earliest,
                place: name.map { .queue($0) } ?? .alone(key)))
        if let refusal = request.refusal { return fail(key, error: refusal, at: now) }
        if let plan = request.timer { return set(key, plan, due: plan.first(after: request.time), at: now) }
        guard let queue = request.queue, let name else { return touch(.alone(key)) }

        let rule = QueueRule(queue)
        guard rule.maxCount > 0 else {
            return fail(
                key,
                error:
                    "The queue \(StoredName.of(type(of: queue))) runs \(rule.maxCount) effects: it must be one or more.",
                at: now)
        }
        // Taken out, so that a long line has one owner and is not copied.
        var state = queues.removeValue(forKey: name) ?? newQueue(queue, name: record.queue)
        // The newest instance's policy counts.
        state.rule = rule
        guard state.waitingCount < Scheduler.longestLine || request.isMessage else {
            queues[name] = state
            return fail(key, error: "The queue is full: \(Scheduler.longestLine) effects wait in it.", at: now)
        }
        let (place, evicted) = state.add(key)
        queues[name] = state
        for old in evicted { end(old, .evicted, at: now) }
        // A described effect has nothing else to bring its queue back from.
        if request.record.described != nil, let stored = state.name {
            emit(.remember(name: stored, rule, lastStart: state.lastStart?.date))
        }
        switch place {
        case .slot: break
        case .line:
            change(key) {
                $0.phase = .waiting
                if request.delay > .zero { $0.record.notBefore = now.date(at: earliest) }
            }
        case .nowhere: return end(key, .discarded, at: now)
        }
        touch(.queue(name))
    }

    /// Takes in a run that came back from the journal. What was running or had its time comes back past any maximum.
    mutating func restore(_ request: Request, at now: Moment) {
        let key = request.key
        let earliest = now.tick + remainingDelay(of: request, at: now)
        let name = request.queue.map { self.name(of: $0, text: request.record.queue) }
        var run = Run(
            request: request, record: request.record, phase: .idle, earliest: earliest,
            place: name.map { .queue($0) } ?? .alone(key))
        switch request.record.status {
        case .running:
            run.phase = .ready(now.tick)
            run.comesBack = true
        case .delayed:
            run.phase = .ready(earliest)
        case .waiting:
            run.phase = request.queue == nil ? .ready(earliest) : .waiting
        case .asked, .parked, .orphaned, .completed, .failed, .cancelled, .evicted, .discarded:
            break
        }
        run.isOnProbation = isCareful
        insert(run)
        guard run.phase != .idle else { return }
        if let refusal = request.refusal { return fail(key, error: refusal, at: now) }
        if let plan = request.timer {
            let due = plan.afterOpening(request.record.notBefore ?? plan.first(after: request.time), now: now.date)
            return set(key, plan, due: due, at: now)
        }
        if let queue = request.queue, let name {
            guard queue.effectQueuePolicy.maxCount > 0 else {
                return fail(
                    key, error: "Its queue runs \(queue.effectQueuePolicy.maxCount) effects by now.", at: now)
            }
            if let stored = request.record.queue { restoredQueues[stored] = name }
            var state = queues[name] ?? newQueue(queue, name: request.record.queue)
            // They come in order, so that the newest instance's policy is the one that stays.
            state.rule = QueueRule(queue)
            state.restore(key, hasSlot: run.phase != .waiting)
            queues[name] = state
        }
        touch(run.place)
    }

    /// Takes in a run that the code does not return any more: it is set aside, and can be cancelled.
    mutating func restoreOrphan(_ record: EffectRun, seed: [UInt8]) {
        let key = RunKey(step: record.step, ordinal: record.ordinal)
        let request = Request(
            key: key, id: record.effectID.map { AnyEffectID(StoredID(text: $0)) },
            seed: Seed(stream: seed, entry: Digest(high: 0, low: 0)), record: record)
        insert(Run(request: request, record: record, phase: .idle, earliest: .zero, place: .alone(key)))
        if record.status != .orphaned { change(key) { $0.record.status = .orphaned } }
    }

    /// The smaller of what the wall clock says and what the wait was meant to be: a clock that jumped cannot stall it.
    private func remainingDelay(of request: Request, at now: Moment) -> Duration {
        guard request.record.status != .running, let deadline = request.record.notBefore else { return .zero }
        let chance = request.seed.words(.retry, request.key.ordinal, request.record.failures).0
        let meant = max(
            request.delay, request.queue.map { QueueRule($0).delay.range.upperBound } ?? .zero,
            request.record.failures > 0
                ? request.retry.delay(after: request.record.failures, random: chance) ?? .zero : .zero)
        let left = Duration.microseconds(deadline.microseconds.subtractingSaturating(now.date.microseconds))
        return max(.zero, min(left, meant))
    }

    /// Gives a queue another rule at once. What runs stays.
    ///
    /// - Parameter text: the queue as it is stored.
    mutating func update(_ queue: any EffectQueue, text: String? = nil) {
        let name = name(of: queue, text: text)
        let rule = QueueRule(queue)
        // Where nobody waits there is nothing to change: the next effect brings its own instance, which counts.
        guard rule.maxCount > 0, var state = queues[name] else { return }
        state.rule = rule
        queues[name] = state
        if let stored = state.name { emit(.remember(name: stored, rule, lastStart: state.lastStart?.date)) }
        touch(.queue(name))
    }
}
