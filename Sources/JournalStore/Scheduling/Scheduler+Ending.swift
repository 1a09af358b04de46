extension Scheduler {
    // MARK: Cancelling

    /// Cancels the runs with an ID, and those that come from one of the roots.
    ///
    /// - Parameter text: the ID as it is stored, if it is known.
    mutating func cancel(id: AnyEffectID, text: String? = nil, roots: Set<Int> = [], at now: Moment) {
        let found = roots.reduce(into: keys(of: id, text: text)) { $0.formUnion(keys(ofRoot: $1)) }
        for key in found.sorted() { cancel(key, at: now) }
    }

    /// Cancels the runs whose ID meets a condition, and those that come from one of the roots.
    mutating func cancel(where condition: (AnyEffectID?) -> Bool, roots: Set<Int> = [], at now: Moment) {
        let matching = runs.values.filter { !$0.request.isMessage && condition($0.request.id) }
        let found = roots.reduce(into: Set(matching.map(\.request.key))) { $0.formUnion(keys(ofRoot: $1)) }
        for key in found.sorted() { cancel(key, at: now) }
    }

    /// Cancels one run, whatever it waits for.
    ///
    /// - Returns: whether there was such a run.
    @discardableResult
    mutating func cancel(_ key: RunKey, at now: Moment) -> Bool {
        guard let run = runs[key], !run.request.isMessage else { return false }
        stop(key, .cancelled, at: now)
        return true
    }

    /// Stops a run that is cancelled, or evicted from its queue. A run with a cancel action ends with that action, as
    /// cancelled. If it has failed and the action that reports this is not committed, its record keeps the failure.
    mutating func stop(_ key: RunKey, _ status: EffectRun.Status, at now: Moment) {
        guard let run = runs[key], run.record.status != .cancelling else { return }
        if let (error, ended) = run.failure {
            update(key) {
                $0.record.error = error
                if let ended { $0.record.noteEnd(error: error, at: ended) }
            }
        }
        guard run.record.onCancel != nil else { return end(key, status, at: now) }
        if run.phase == .running { emit(.stop(key)) }
        move(key, to: .sending(holdsSlot: false))
        change(key) { $0.record.cancel(at: now.date) }
        emit(.sendCancel(key))
        guard case .queue(let queue) = run.target else { return }
        if status != .evicted { queues[queue]?.decidedAt = changes }
        touch(run.target)
    }

    // MARK: Setting aside and releasing

    /// Sets a run aside: it holds no slot, and can still be cancelled.
    ///
    /// - Parameter status: its new recorded status; nil if that stays.
    mutating func setAside(_ key: RunKey, as status: EffectRun.Status?) {
        guard let run = runs[key] else { return }
        move(key, to: .setAside)
        // Its next start is a new one for its queue.
        update(key) { $0.isResumed = false }
        touch(run.target)
        if let status { change(key) { $0.record.status = status } }
    }

    /// Releases a run that was set aside, or drops the delay of one that waits: it starts as soon as it has a slot. A
    /// timer waits until it is due.
    ///
    /// - Returns: false if an attempt of it is under way; then nothing changes.
    @discardableResult
    mutating func release(_ key: RunKey, at now: Moment) -> Bool {
        guard let run = runs[key], !run.phase.isStarted else { return false }
        if let plan = run.request.timer {
            setAgain(key, plan, at: now)
            return true
        }
        switch run.phase {
        case .setAside where run.target != .run(key): joinLine(key)
        // It keeps its place in the line.
        case .waiting: break
        case .new, .ready, .held, .setAside: move(key, to: .ready(now.tick))
        case .starting, .running, .sending: return false
        }
        let release = changes + 1
        change(key) {
            $0.admittedAfter = release
            $0.record.status = .waiting
            $0.record.notBefore = nil
            $0.recordedStart = nil
            if case .queue = $0.target, $0.phase.holdsSlot { $0.noteSlot(until: now.tick, now.date) }
            $0.earliest = now.tick
            $0.isResumed = false
            $0.needsAdmission = false
        }
        touch(run.target)
        return true
    }

    // MARK: Ends of bodies

    /// A body threw. The run is tried again if its retry policy says so.
    ///
    /// - Parameters:
    ///   - names: the names that a retry policy knows the error by.
    ///   - isFinal: whether no retry can help.
    mutating func bodyFailed(
        _ key: RunKey, error: String, names: [String] = [], isFinal: Bool = false, at now: Moment
    ) {
        guard let run = runs[key], run.phase == .running else { return }
        let failures = min(run.record.failures, .max - 1) + 1
        update(key) { $0.record.failures = failures }
        let retry = run.request.retry
        let random = run.request.seed.words(.retry, key.ordinal, failures).0
        let elapsed = run.record.started.map { now.date.microseconds.subtractingSaturating($0.microseconds) } ?? 0
        guard !isFinal, !retry.isFinal(names),
            let delay = retry.delay(after: failures, random: random, elapsed: .microseconds(max(0, elapsed)))
        else { return fail(key, error: error, at: now) }
        move(key, to: .ready(now.tick + delay))
        change(key) {
            $0.record.noteEnd(error: error, at: now.date)
            $0.record.error = error
            $0.record.status = .delayed
            $0.record.notBefore = now.date(at: now.tick + delay)
            $0.recordedStart = now.tick + delay
        }
        touch(run.target)
    }

    /// A body ended without an error and without a final action.
    mutating func bodyCompleted(_ key: RunKey, at now: Moment) {
        guard runs[key]?.phase == .running else { return }
        end(key, .completed, at: now)
    }

    /// A run has failed for the last time. If the machine receives an action for that, the record waits for that
    /// action.
    mutating func fail(_ key: RunKey, error: String, at now: Moment) {
        guard let run = runs[key], !run.phase.isSending else { return }
        guard run.request.reportsFailure else {
            end(key, .failed, at: now, error: error)
            return
        }
        move(key, to: .sending(holdsSlot: run.phase.holdsSlot))
        update(key) { $0.failure = (error, run.phase == .running ? now.date : nil) }
        emit(.sendFailure(key, error: error))
        // A start that was under way does not hold up the others any more.
        if run.phase.isStarting { touch(run.target) }
    }

    /// A run ended as failed, and no action tells the machine.
    private mutating func failedUnheard(_ run: Run, error: String) {
        guard !run.request.isMessage, unreported.count < Scheduler.mostUnreported else { return }
        let failure = UnheardFailure(
            key: run.request.key, name: run.record.name, error: error, couldNotStart: run.record.couldNotStart,
            reportsFailure: run.request.reportsFailure)
        unreported.append((changes, failure))
        // An ephemeral run has no record to wait for.
        if changes <= committed { reportFailures() }
    }

    /// Reports the failures whose records are on the disk: if the journal stops before, the runs have not failed.
    mutating func reportFailures() {
        let ripe = unreported.prefix { $0.after <= committed }
        unreported.removeFirst(ripe.count)
        for (_, failure) in ripe { emit(.reportFailure(failure)) }
    }

    // MARK: Actions of runs

    /// An action of a run is on the disk, and the run's record with it.
    mutating func sent(_ key: RunKey) {
        update(key) { $0.record.delivered += 1 }
    }

    /// The final action of a run is on the disk.
    ///
    /// - Parameters:
    ///   - record: its record, which says when it ended; nil if the run has none.
    ///   - isRecorded: whether the record is on the disk too.
    mutating func sentLast(_ key: RunKey, _ record: EffectRun?, at now: Moment, isRecorded: Bool = true) {
        if let record { update(key) { $0.record = record } }
        let ended = Moment(tick: now.tick, date: record?.ended ?? now.date)
        end(key, record?.status ?? .completed, at: ended, isRecorded: isRecorded)
    }

    /// The final action of a run could not be committed, and never can be.
    mutating func couldNotSend(_ key: RunKey, error: String, at now: Moment) {
        switch runs[key]?.phase {
        case .running: fail(key, error: error, at: now)
        // A restart also sets a run aside while its action is sent.
        case .sending, .setAside: end(key, .failed, at: now, error: error)
        case .new, .waiting, .ready, .starting, .held, nil: return
        }
    }

    /// A message could not be delivered to its receiver yet. It is sent again.
    mutating func sendAgain(_ key: RunKey, at now: Moment) {
        guard let run = runs[key], run.phase.isSending else { return }
        move(key, to: .ready(now.tick))
        touch(run.target)
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
        if status == .failed, !isRecorded { failedUnheard(run, error: error ?? run.record.error ?? "") }
        guard case .queue(let queue) = run.target else { return }
        // An eviction, or a discard, follows from the step that caused it. Every other end may decide what starts next.
        if status != .evicted, status != .discarded, !isRecorded, !run.request.isEphemeral {
            queues[queue]?.decidedAt = changes
        }
        touch(.queue(queue))
    }
}
