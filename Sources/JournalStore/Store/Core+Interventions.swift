// What the app, or an operator through it, does with single effects.

extension Core {
    func list(_ reply: (Result<[EffectRun], JournalError>) -> Void) {
        if turn.isOver { return reply(.failure(refusal)) }
        let runs = turn.scheduler.runs.values.lazy.filter { !$0.request.isEphemeral }.map(\.record)
        reply(.success(runs.sorted { $0.key < $1.key }))
    }

    /// - Parameter found: an effect that had ended, with its body had again.
    func intervene(
        _ act: Intervention.Act, _ key: RunKey, _ found: Recovery<Action, State>.Found?,
        _ reply: @escaping @Sendable (Result<Void, JournalError>) -> Void
    ) {
        if turn.isOver { return reply(.failure(refusal)) }
        let now = moment
        guard let before = turn.scheduler.runs[key]?.record ?? found?.record else {
            return reply(
                .failure(
                    JournalError(
                        .notInThatState, "The effect \(key) does not run or wait.",
                        advice: "`effects()` tells which do.", file: place.file, stream: place.stream, step: key.step)))
        }
        if act == .retry, turn.scheduler.runs[key]?.phase.isStarted == true {
            return reply(
                .failure(
                    JournalError(
                        .notInThatState, "The effect '\(before.name)' (\(key)) runs.",
                        advice: "Cancel it first, or let it end.", file: place.file, stream: place.stream,
                        step: key.step)))
        }
        do throws(JournalError) {
            let after = try before.after(act, at: now.date, file: place.file, stream: place.stream)
            switch act {
            case .cancel: turn.scheduler.cancel(key, at: now)
            case .release, .retry:
                if let found, turn.scheduler.runs[key] == nil {
                    bring(found.with(after), at: now)
                } else {
                    turn.scheduler.release(key, at: now)
                }
            case .skip: break
            }
        } catch {
            return reply(.failure(error))
        }
        turn.interventions.append(
            Intervention(
                act: act, step: key.step, ordinal: key.ordinal, time: now.date, before: before.status, reason: nil))
        carryOn(now)
        release()
        onceWritten(reply)
    }

    /// Takes in a run that is in the journal already.
    func bring(_ found: Recovery<Action, State>.Found, at now: Moment) {
        let key = found.record.key
        let seed = Seed(stream: info.seed(at: key.step), entry: found.entry.digest)
        let request = request(for: found, seed)
        turn.bodies[key] = Turn.Body(
            run: found.run, root: found.record.rootStep, time: found.entry.time, seed: seed,
            priority: found.run.priority, tracker: nil, isResumed: found.record.attempts > 0)
        turn.scheduler.restore(request, at: now)
        if found.isNews { turn.runs.append(request.record) }
    }
}

extension Core {
    /// The records of those that have not ended.
    func effects() async throws(JournalError) -> [EffectRun] {
        try await withUnsafeContinuation { continuation in
            post(.list { continuation.resume(returning: $0) })
        }.get()
    }
}

extension Store {
    /// The effects that have not ended: those that run, wait, are set aside for the app's word, or have no code any more.
    ///
    /// - Throws: ``JournalError`` where the store has ended.
    public func effects() async throws(JournalError) -> [EffectRun] {
        try await core.effects()
    }

    /// Cancels one effect, whatever it waits for. Returns once that is committed, with a record that it was done by hand.
    ///
    /// - Throws: ``JournalError`` where it has ended, or the journal cannot write.
    public func cancel(_ run: RunKey) async throws(JournalError) {
        try await core.asking { .intervene(.cancel, run, nil, $0) }
    }

    /// Lets an effect go that is asked or parked: it runs, as soon as its queue has a place.
    ///
    /// An author who said `.ask` has promised that the body runs once at the most: whoever lets it go gives that up.
    ///
    /// - Throws: ``JournalError`` where it is neither, or the journal cannot write.
    public func release(_ run: RunKey) async throws(JournalError) {
        try await core.asking { .intervene(.release, run, nil, $0) }
    }

    /// Runs an effect again that has failed or was cancelled, and at once one that waits for its next try. Its remembered steps are not
    /// done again. Whatever its author said of restarts: its body can run twice by that. Where its retry policy is used up it is one try
    /// more.
    ///
    /// - Throws: ``JournalError`` where it has completed, the code has no such effect, the history it comes from was pruned, or the
    ///   journal cannot write.
    public func retry(_ run: RunKey) async throws(JournalError) {
        try await core.asking { .flush($0) }
        let found = try core.find(run)
        try await core.asking { .intervene(.retry, run, found, $0) }
    }
}

extension Core {
    /// A run that has ended, with its body had again; nil where it has not ended, or is not there.
    fileprivate func find(_ key: RunKey) throws(JournalError) -> Recovery<Action, State>.Found? {
        let reader = stream.journal.reader
        let place = place.at(key.step)
        guard let record = try reader.effectRun(key, of: stream.name) else {
            throw JournalError(
                .notInThatState, "There is no effect \(key): it never was, or was pruned.",
                advice: "Name one that is recorded.", file: place.file, stream: place.stream, step: key.step)
        }
        guard record.status.isFinal else { return nil }
        // What cannot be done is told without a look at the history.
        _ = try record.after(.retry, at: moment.date, file: place.file, stream: place.stream)
        let found: Recovery<Action, State>.Found?
        if record.described != nil {
            let queues = try reader.read("reading the queues", stream: stream.name) {
                [id = stream.id] database throws(DatabaseError) in try database.queues(of: id)
            }
            found = try program.found(record, program.rules(queues), place)
        } else if key.step == 0 {
            found = program.found([record], in: program.initialEffect, info.birth).found.first
        } else {
            var fold = try Fold(program, reader, info, atOrBefore: key.step - 1)
            try fold.advance(to: key.step - 1)
            found = try fold.next().flatMap { step in
                program.found([record], in: step.reduction, step.entry.stamp).found.first
            }
        }
        guard let found else {
            throw JournalError(
                .otherEffects, "The code does not return the effect '\(record.name)' of this step any more.",
                advice: "Open it with the code that does.", file: place.file, stream: place.stream, step: key.step)
        }
        return found
    }
}
