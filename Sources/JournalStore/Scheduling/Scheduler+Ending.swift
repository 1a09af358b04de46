extension Scheduler {
    // MARK: Cancelling

    /// Cancels what has that ID, and what comes from one of those roots.
    ///
    /// - Parameter text: the ID as it is stored, where it is known.
    mutating func cancel(id: AnyEffectID, text: String? = nil, roots: Set<Int> = [], at now: Moment) {
        let found = roots.reduce(into: keys(of: id, text: text)) { $0.formUnion(keys(ofRoot: $1)) }
        for key in found.sorted() { cancel(key, at: now) }
    }

    mutating func cancel(where condition: (AnyEffectID?) -> Bool, at now: Moment) {
        let found = runs.values.filter { !$0.request.isMessage && condition($0.request.id) }.map(\.request.key)
        for key in found.sorted() { cancel(key, at: now) }
    }

    /// Cancels one run, whatever it waits for.
    ///
    /// - Returns: whether there was such a run.
    @discardableResult
    mutating func cancel(_ key: RunKey, at now: Moment) -> Bool {
        guard let run = runs[key], !run.request.isMessage else { return false }
        end(key, .cancelled, at: now)
        return true
    }

    /// Sets a run aside: it holds no slot, and can still be cancelled.
    ///
    /// - Parameter status: what it is recorded as; nil where that stays.
    mutating func setAside(_ key: RunKey, as status: EffectRun.Status?) {
        guard let run = runs[key] else { return }
        if case .queue(let name) = run.place {
            queues[name]?.remove(key, isWaiting: run.phase == .waiting)
            touch(.queue(name))
        }
        guard let status else {
            runs[key]?.phase = .idle
            return
        }
        change(key) {
            $0.phase = .idle
            $0.record.status = status
        }
    }

    /// A message could not be given to its receiver, and is tried again.
    mutating func undelivered(_ key: RunKey, at now: Moment) {
        guard let run = runs[key], run.phase == .speaking else { return }
        runs[key]?.phase = .ready(now.tick)
        touch(run.place)
    }

    /// Lets a run go that was set aside, or that waits for its next try: it starts as soon as it has a slot.
    mutating func release(_ key: RunKey, at now: Moment) {
        guard let run = runs[key], run.phase != .running, run.phase != .speaking else { return }
        let wasIdle = run.phase == .idle
        change(key) {
            $0.record.status = .waiting
            $0.record.notBefore = nil
            $0.delayedUntil = nil
            $0.isOnProbation = false
            if wasIdle, $0.request.queue != nil { $0.phase = .waiting } else { $0.phase = .ready(now.tick) }
        }
        if wasIdle, let queue = run.request.queue, case .queue(let name) = run.place {
            var state = queues.removeValue(forKey: name) ?? newQueue(queue, name: run.record.queue)
            state.restore(key, hasSlot: false)
            queues[name] = state
        }
        touch(run.place)
    }

    // MARK: What bodies come to

    /// The body of a run threw. It is tried again where its policy says so.
    ///
    /// - Parameter names: what the error is known by.
    mutating func failed(_ key: RunKey, error: String, names: [String] = [], at now: Moment) {
        guard let run = runs[key], run.phase == .running else { return }
        let failures = run.record.failures + 1
        let retry = run.request.retry
        let chance = run.request.seed.words(.retry, key.ordinal, failures).0
        let elapsed = run.record.started.map { now.date.microseconds.addingSaturating(-$0.microseconds) } ?? 0
        guard !retry.isFinal(names),
            let delay = retry.delay(after: failures, random: chance, elapsed: .microseconds(max(0, elapsed)))
        else { return fail(key, error: error, at: now) }
        change(key) {
            $0.record.error = error
            $0.record.failures = failures
            $0.record.status = .delayed
            $0.record.notBefore = now.date(at: now.tick + delay)
            $0.delayedUntil = now.tick + delay
            $0.phase = .ready(now.tick + delay)
        }
        touch(run.place)
    }

    /// A run has failed for the last time. Where the machine is to be told, its record waits for that.
    mutating func fail(_ key: RunKey, error: String, at now: Moment) {
        guard let run = runs[key], run.phase != .speaking else { return }
        guard run.request.tellsFailure else { return end(key, .failed, at: now, error: error) }
        if run.phase == .waiting, case .queue(let name) = run.place { queues[name]?.remove(key, isWaiting: true) }
        runs[key]?.phase = .speaking
        emit(.tellFailure(key, error: error))
    }

    /// The last word of a run could not be said, and nothing will change that.
    mutating func failedForGood(_ key: RunKey, error: String, at now: Moment) {
        switch runs[key]?.phase {
        case .running: fail(key, error: error, at: now)
        // Also where a restart set it aside to tell the machine, and that cannot be said.
        case .speaking, .idle: end(key, .failed, at: now, error: error)
        case .waiting, .ready, .starting, .held, nil: return
        }
    }

    /// The body of a run ended well, and had nothing more to say.
    mutating func completed(_ key: RunKey, at now: Moment) {
        guard runs[key]?.phase == .running else { return }
        end(key, .completed, at: now)
    }

    /// The last word of a run is on the disk, and this record with it.
    ///
    /// - Parameter record: nil where none is kept of it.
    mutating func ended(_ key: RunKey, _ record: EffectRun?, at now: Moment) {
        if let record { runs[key]?.record = record }
        end(key, record?.status ?? .completed, at: now, isRecorded: true)
    }

    /// An action of this run is on the disk, and its record with it.
    mutating func delivered(_ key: RunKey) {
        runs[key]?.record.delivered += 1
    }

    // MARK: The end of a run

    mutating func end(
        _ key: RunKey, _ status: EffectRun.Status, at now: Moment, error: String? = nil, isRecorded: Bool = false
    ) {
        guard var run = remove(key) else { return }
        run.record.end(as: status, at: now.date, error: error)
        if run.phase == .running, status == .cancelled || status == .evicted { emit(.stop(key)) }
        if !isRecorded { keep(run) }
        emit(.ended(key, status, error: run.record.error))
        guard case .queue(let name) = run.place, var state = queues.removeValue(forKey: name) else { return }
        // An eviction, or a discard, follows from the step that caused it, and the queue knows of it already. Every other end is
        // news that a later start may build on.
        if status != .evicted, status != .discarded {
            if run.phase != .idle { state.remove(key, isWaiting: run.phase == .waiting) }
            if !isRecorded, !run.request.isEphemeral { state.decidedAt = changes }
        }
        queues[name] = state
        touch(.queue(name))
    }
}
