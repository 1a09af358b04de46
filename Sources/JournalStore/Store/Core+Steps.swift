/// What an entry comes from, and what its effects inherit.
struct StepCause {
    var origin: Origin
    var root: Int
    var priority: TaskPriority?
    var cancelID: String?
    /// Whether somebody is to be told of its effects; nil where nobody is, or ``Tracker`` is inherited.
    var tracksFeedback: Bool?
}

extension Core {
    /// Reduces an entry that is committed, settles what it came to, and starts what may start.
    func reduce(
        _ action: Action, at step: Int, _ stamp: Appended.Stamp, _ cause: StepCause,
        _ inherited: Tracker<Action>? = nil,
        isNew: Bool = true
    ) -> (Dispatched<Action>.Outcome, Tracker<Action>?) {
        guard step == turn.step + 1 else {
            fail(
                JournalError(
                    .fenced,
                    "The next step is \(turn.step + 1), and \(step) came: something else writes to the stream.",
                    advice: "Let one store write to it. Open it again.", file: place.file, stream: place.stream,
                    step: step))
            return (.reduced, nil)
        }
        let before = state
        if let mark = turn.mark { marks?.set(mark, info.id, step) }
        var reduction = program.reduce(action, &state, at: step, stamp, in: info)
        if let mark = turn.mark { marks?.clear(mark) }
        turn.step = step
        published.publish(state, step: step)
        if isWatched { tell(of: &reduction, action, at: step, stamp, cause, before, isNew: isNew) }
        turn.settled = step
        // Most steps come to nothing but a new state: what is more stands in functions of its own, where the types it needs are
        // looked up only then.
        let tracker = reduction.isPlain ? nil : settle(reduction, at: step, stamp, cause, inherited)
        if turn.isWaitedFor { answerWaiting() }
        if stream.isSnapshotDue(at: step) { offerSnapshot() }
        switch reduction.outcome {
        case .reduced: return (.reduced, tracker)
        case .rejected(let reason): return (.rejected(reason: reason), nil)
        case .skipped: return (.reduced, nil)
        }
    }

    /// Tells the observers, and adds what other machines are to be told.
    private func tell(
        of reduction: inout Reduction<Action>, _ action: Action, at step: Int, _ stamp: Appended.Stamp,
        _ cause: StepCause, _ before: State, isNew: Bool
    ) {
        let transition = Transition(
            action, reduction, step: step, time: stamp.time, origin: cause.origin, from: before, to: state)
        if isNew {
            for observer in observers { observer.observe(transition) }
        }
        guard reduction.isReduced else { return }
        let messages = program.messages(of: transition) { error in
            stream.journal.options.report(
                Notice(kind: .recordIncomplete, error: place.at(step).notEncodable("message", "action", error)))
        }
        reduction.add(messages)
    }

    private func offerSnapshot() {
        stream.offerSnapshot(at: turn.step, version: program.version) { [program, place, state, step = turn.step] in
            try program.encode(state, place.at(step))
        }
    }

    /// Makes of an outcome what is to be recorded, and what is to be done.
    func settle(
        _ reduction: Reduction<Action>, at step: Int, _ stamp: Appended.Stamp, _ cause: StepCause,
        _ inherited: Tracker<Action>? = nil
    ) -> Tracker<Action>? {
        let now = moment
        var tracker = inherited
        if let tracksFeedback = cause.tracksFeedback, reduction.hasRuns {
            tracker = Tracker(tracksFeedback: tracksFeedback)
            turn.trackers[step] = tracker
        }
        if let id = cause.cancelID, reduction.hasRuns { turn.roots[id, default: []].insert(cause.root) }
        // Held until all are counted: one that ends at once must not be taken for the last.
        tracker?.begin()
        let seed = Seed(stream: info.seed(at: step), entry: stamp.digest)
        var notes: [EffectNote] = []
        var ordinal = 0
        for part in reduction.effects {
            switch part {
            case .next, .reject: break
            case .run(let run):
                let key = RunKey(step: step, ordinal: ordinal)
                ordinal += 1
                let request = request(
                    for: run, key, root: cause.root, cancelID: cause.cancelID, stamp, seed)
                notes.append(EffectNote(run, id: request.record.effectID, queue: request.record.queue))
                turn.bodies[key] = Turn.Body(
                    run: run, root: cause.root, time: stamp.time, seed: seed,
                    priority: run.priority ?? cause.priority, tracker: tracker, isResumed: false)
                tracker?.begin()
                turn.scheduler.add(request, at: now)
            case .cancel(.id(let id)):
                let text = try? program.records.encode(id)
                notes.append(EffectNote(cancelling: text))
                cancel(id, text: text, at: now)
            case .cancel(.predicate(let condition)):
                notes.append(EffectNote(cancelling: nil))
                turn.scheduler.cancel(where: condition, at: now)
            case .updateQueue(let queue):
                let text = try? program.records.encode(AnyEffectID(queue))
                notes.append(EffectNote(updating: text))
                if queue.effectQueuePolicy.maxCount < 1 { refuse(queue, at: step) }
                turn.scheduler.update(queue, text: text)
            }
        }
        if stream.journal.options.checksCoding { warn(of: reduction, at: step) }
        // What the machine begins with is no step.
        if step > 0 { turn.steps.append(record(of: reduction, notes, at: step)) }
        carryOn(now)
        tracker?.finish()
        return tracker
    }

    /// Effects that look the same cannot be told apart after a restart.
    private func warn(of reduction: Reduction<Action>, at step: Int) {
        let closures = reduction.closures { try? program.records.encode($0) }.filter { !$0.run.isEphemeral }
        guard closures.count > 1 else { return }
        let names = Dictionary(grouping: closures) { "\($0.run.name ?? "") \($0.id ?? "")" }
        guard let twins = names.values.first(where: { $0.count > 1 }) else { return }
        stream.journal.options.report(
            Notice(
                kind: .ambiguousEffects,
                error: JournalError(
                    .otherEffects,
                    "The step returned \(twins.count) effects '\(twins[0].run.name ?? "")' that cannot be told apart: after a "
                        + "restart they would be asked about.",
                    advice: "Give each a name or an ID of its own.", file: place.file, stream: place.stream, step: step)
            ))
    }

    private func refuse(_ queue: any EffectQueue, at step: Int) {
        let count = queue.effectQueuePolicy.maxCount
        stream.journal.options.report(
            Notice(
                kind: .queueRefused,
                error: JournalError(
                    .badArgument,
                    "The queue \(StoredName.of(type(of: queue))) is to run \(count) effects: it stays as it was.",
                    advice: "Give it one or more.", file: stream.journal.file, stream: stream.name, step: step)))
    }

    private func record(of reduction: Reduction<Action>, _ notes: [EffectNote], at step: Int) -> StepRecord {
        var record = StepRecord(stream: stream.id, step: step)
        if case .rejected(let reason) = reduction.outcome {
            record.outcome = .rejected
            record.reason = reason.isEmpty ? nil : reason
        }
        do {
            if !reduction.cascade.isEmpty {
                let texts = try reduction.cascade.map { action throws(JournalError) in
                    try program.encode(action, place.at(step))
                }
                record.cascade = "[" + texts.joined(separator: ",") + "]"
            }
        } catch {
            // The step stands as it is; what `.next` added follows from its entry.
            stream.journal.options.report(Notice(kind: .recordIncomplete, error: error))
        }
        if !notes.isEmpty { record.effects = "[" + notes.map(\.json).joined(separator: ",") + "]" }
        return record
    }

    /// Tells those who wait for a state that is there now.
    func answerWaiting() {
        let state = self.state
        turn.waitingForState.removeAll { request in
            guard case .until(let condition, let reply) = request.reply, condition(state) else { return false }
            reply(.success(state))
            return true
        }
    }
}

extension Reduction {
    // Not by `==`: it would have to be looked up at each step.
    var isReduced: Bool { if case .reduced = outcome { true } else { false } }

    var hasRuns: Bool {
        effects.contains { if case .run = $0 { true } else { false } }
    }
}

extension Transition {
    init(
        _ action: Action, _ reduction: Reduction<Action>, step: Int, time: Timestamp, origin: Origin,
        from before: State,
        to after: State
    ) {
        self.step = step
        self.time = time
        self.origin = origin
        self.action = action
        cascade = reduction.cascade
        rejection = if case .rejected(let reason) = reduction.outcome { reason } else { nil }
        isSkipped = if case .skipped = reduction.outcome { true } else { false }
        self.before = before
        self.after = after
    }
}
