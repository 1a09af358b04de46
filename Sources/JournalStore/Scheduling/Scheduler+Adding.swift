extension Scheduler {
    /// Takes in an effect that a step returned.
    mutating func add(_ request: Request, at now: Moment) {
        let key = request.key
        // Thirty years are long enough; what is more does not fit into every clock.
        let earliest = now.tick + min(max(.zero, request.delay), .seconds(1_000_000_000))
        var record = request.record
        record.status = .waiting
        insertNew(Run(request: request, record: record, phase: .ready(earliest), earliest: earliest))
        if let refusal = request.refusal { return end(key, .failed, at: now, error: refusal) }
        guard let queue = request.queue else { return touch(.alone(key)) }

        let rule = QueueRule(queue)
        guard rule.maxCount > 0 else {
            return end(
                key, .failed, at: now,
                error:
                    "The queue \(StoredName.of(type(of: queue))) runs \(rule.maxCount) effects: it must be one or more."
            )
        }
        let name = AnyEffectID(queue)
        // Taken out, so that a long line has one owner and is not copied.
        var state = queues.removeValue(forKey: name) ?? newQueue(queue, name: record.queue)
        // The newest instance's policy counts.
        state.rule = rule
        guard state.waitingCount < Scheduler.longestLine else {
            queues[name] = state
            return end(key, .failed, at: now, error: "The queue is full: \(Scheduler.longestLine) effects wait in it.")
        }
        let (place, evicted) = state.add(key)
        queues[name] = state
        for old in evicted { end(old, .evicted, at: now) }
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
        var run = Run(request: request, record: request.record, phase: .idle, earliest: earliest)
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
        insert(run)
        guard run.phase != .idle else { return }
        if let queue = request.queue {
            let name = AnyEffectID(queue)
            guard queue.effectQueuePolicy.maxCount > 0 else {
                return end(
                    key, .failed, at: now, error: "Its queue runs \(queue.effectQueuePolicy.maxCount) effects by now.")
            }
            var state = queues[name] ?? newQueue(queue, name: request.record.queue)
            // They come in order, so that the newest instance's policy is the one that stays.
            state.rule = QueueRule(queue)
            state.restore(key, hasSlot: run.phase != .waiting)
            queues[name] = state
        }
        touch(run.place)
    }

    /// The smaller of what the wall clock says and what the wait was meant to be: a clock that jumped cannot stall it.
    private func remainingDelay(of request: Request, at now: Moment) -> Duration {
        guard request.record.status != .running, let deadline = request.record.notBefore else { return .zero }
        let chance = request.seed.words(.retry, request.key.ordinal, request.record.attempts).0
        let meant = max(
            request.delay, request.queue.map { QueueRule($0).delay.range.upperBound } ?? .zero,
            request.record.attempts > 0
                ? request.retry.delay(after: request.record.attempts, random: chance) ?? .zero : .zero)
        let left = Duration.microseconds(deadline.microseconds.addingSaturating(-now.date.microseconds))
        return max(.zero, min(left, meant))
    }

    /// Gives a queue another rule at once. What runs stays.
    mutating func update(_ queue: any EffectQueue) {
        let name = AnyEffectID(queue)
        let rule = QueueRule(queue)
        // Where nobody waits there is nothing to change: the next effect brings its own instance, which counts.
        guard rule.maxCount > 0, var state = queues[name] else { return }
        state.rule = rule
        queues[name] = state
        if let stored = state.name { emit(.remember(name: stored, rule, lastStart: state.lastStart?.date)) }
        touch(.queue(name))
    }
}
