// The scheduler's request for an effect, and its first record.

extension StoreEngine {
    /// The request for an effect that a step returned.
    func request(
        for run: Effect<Action>.Run, _ key: RunKey, _ cause: StepCause, _ stamp: Appended.Stamp, _ seed: Seed
    ) -> Scheduler.Request {
        var record = EffectRun(
            stream: stream.id, step: key.step, ordinal: key.ordinal, rootStep: cause.root, name: run.name ?? "",
            status: .waiting, restart: run.restart.kind, version: program.version)
        record.cancelID = cause.cancelID
        if !run.work.isMessage { record.taskPriority = run.priority ?? cause.priority }
        do {
            try fill(&record, of: run, stamp)
            return request(for: run, record, stamp, seed)
        } catch {
            return request(for: run, record, stamp, seed, refusal: Self.refusal(error))
        }
    }

    /// Why an effect whose record cannot be encoded does not start.
    private static func refusal(_ error: any Error) -> String {
        shortened("It cannot be encoded. \((error as? JournalError)?.sentences ?? "\(error)")")
    }

    /// The request for a restored run. A closure has the policies of the present code, and its record too. If these
    /// cannot be encoded, it fails as a new one does, unless it has started.
    func request(for run: RecoveredRun<Action>, _ seed: Seed) -> Scheduler.Request {
        var record = run.record
        var refusal: String?
        if case .closure = run.run.work {
            let cause = StepCause(origin: .restart, root: record.rootStep)
            let new = request(for: run.run, record.key, cause, run.entry, seed)
            let now = new.record
            record.restart = now.restart
            (record.queueText, record.retryText) = (now.queueText, now.retryText)
            (record.onCancel, record.onOrphan, record.version) = (now.onCancel, now.onOrphan, now.version)
            if record.attempts == 0 { refusal = new.refusal }
        }
        return request(for: run.run, record, run.entry, seed, refusal: refusal)
    }

    private func request(
        for run: Effect<Action>.Run, _ record: EffectRun, _ stamp: Appended.Stamp, _ seed: Seed, refusal: String? = nil
    ) -> Scheduler.Request {
        var refusal = refusal
        if case .described(let description, nil) = run.work { refusal = "\(description.noHandler)" }
        return Scheduler.Request(
            key: record.key, id: run.id, queue: run.queue, delay: run.delay, retry: run.retry,
            startsOnce: run.restart.startsOnce || options.recordsStarts, isEphemeral: run.isEphemeral,
            isMessage: run.work.isMessage,
            timer: run.work.timer, hasBody: run.canBeHeldBack, startsInOrder: run.startsInOrder,
            reportsFailure: run.failure != nil, refusal: refusal,
            seed: seed, time: stamp.time, record: record)
    }

    /// Fills in the record: for a described effect everything that it is restored from.
    private func fill(_ record: inout EffectRun, of run: Effect<Action>.Run, _ stamp: Appended.Stamp) throws {
        func encode(_ action: Action) throws(JournalError) -> String {
            try program.encode(action, location, isAppended: true)
        }
        record.effectIDText = try run.id.map { try program.encode(id: $0, location, isAppended: true) }
        record.queueText = try run.queue.map {
            try program.encode(id: AnyEffectID($0), as: .queue, location, isAppended: true)
        }
        record.retryText = run.retry == .never ? nil : try program.records.encode(run.retry)
        record.onCancel = try run.cancel.map { try encode($0) }
        record.onOrphan = try run.orphan.map { try encode($0) }
        if run.delay > .zero { record.delay = run.delay.inMicroseconds }
        switch run.work {
        case .closure: return
        case .described(let description, _):
            do {
                record.described = try program.records.encode(description)
                if options.checksCoding { try program.records.check(description.value) }
            } catch {
                throw location.notEncodable(.describedEffect, description.name, error, isAppended: true)
            }
        case .timer(let plan, let action):
            record.described = try program.records.encode([TimerPlan.name: plan])
            record.delay = plan.longestWait?.inMicroseconds
            record.sends = try encode(action)
        case .message(let message):
            record.described = try program.records.encode([EffectRun.messageKey: message])
            // All messages share one internal queue.
            record.queueText = nil
            if let failure = message.failure {
                throw location.notEncodable(.message, message.stream, failure, isAppended: true)
            }
            record.sends = message.text
        }
        record.entry = stamp
        if case .dispatch(let action) = run.restart { record.onRestart = try encode(action) }
        if case .action(let action) = run.failure { record.onFailure = try encode(action) }
    }
}

extension Scheduler.Request {
    /// Counts the effects of a step that look like this one, and notes how many come before it.
    mutating func countTwins(_ twins: inout [EffectRun.Identity: Int]) {
        // Ephemeral effects are not recorded, so they count for themselves.
        let first = isEphemeral ? 1 << 20 : 0
        let identity = EffectRun.Identity(name: record.name, id: record.effectIDText, twin: first)
        record.twin = first + twins[identity, default: 0]
        twins[identity, default: 0] += 1
    }
}

extension Scheduler.Request {
    /// Leaves what is left of the delay, which counts from the step: an opening can settle or restore it long after.
    mutating func shortenDelay(at now: Timestamp) {
        guard delay > .zero else { return }
        let passed = max(0, now.microseconds.subtractingSaturating(time.microseconds))
        delay = max(.zero, delay - .microseconds(passed))
    }
}
