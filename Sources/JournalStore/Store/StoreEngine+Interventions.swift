// Interventions of the app, or of an operator through it, in single effects.

extension StoreEngine {
    /// - Parameter ephemeral: whether to list ephemeral runs too, which have no record in the journal.
    func list(ephemeral: Bool, _ reply: (Result<[EffectRun], JournalError>) -> Void) {
        if isOver { return reply(.failure(refusal)) }
        let runs = scheduler.runs.values.lazy.filter { ephemeral || !$0.request.isEphemeral }.map(\.record)
        reply(.success(runs.sorted { $0.key < $1.key }))
    }

    /// - Parameter found: the run, restored, if it had ended.
    func intervene(
        _ act: Intervention.Act, _ key: RunKey, _ found: RecoveredRun<Action>?, _ remarks: Intervention.Remarks,
        _ reply: @escaping Event.Reply
    ) {
        // After the end, the caller asks the next store.
        if isOver || isClosingIdle { return reply(.failure(refusal)) }
        let now = moment
        guard let before = scheduler.runs[key]?.record ?? found?.record else {
            return reply(.failure(location.noEffect(key)))
        }
        let isEphemeral = scheduler.runs[key]?.request.isEphemeral == true
        do throws(JournalError) {
            let after = try before.after(
                act, isUnderWay: scheduler.runs[key]?.phase.isStarted == true, at: now.date, file: location.file,
                stream: location.stream)
            switch act {
            case .cancel: scheduler.cancel(key, at: now)
            case .release where effects.bodies[key] == nil, .retry where found == nil && effects.bodies[key] == nil:
                throw location.orphan(before)
            case .release, .retry:
                if let found, scheduler.runs[key] == nil {
                    // As in an opening, somebody must decide about what can be another effect.
                    let record = found.isMiscounted ? changed(after) { $0.status = .asked } : after
                    restore(found.with(record), at: now)
                    // A crash loop holds back only runs that the opening has restored, not those that are retried.
                    // Until its start is on the disk, and the act with it, the journal says that the run has ended.
                    let start = scheduler.changes + 1
                    scheduler.update(key) {
                        $0.needsAdmission = false
                        $0.admittedAfter = start
                    }
                } else {
                    scheduler.release(key, at: now)
                }
            case .skip: break
            }
        } catch {
            return reply(.failure(error))
        }
        if !isEphemeral {
            recorder.record(
                Intervention(
                    act: act, step: key.step, ordinal: key.ordinal, time: now.date, before: before.status, remarks))
        }
        startDue(now)
        submitAdmitted()
        answerWhenWritten { result in
            reply(
                result.mapError { error in
                    changed(error.afterItsAct("`interventions` lists it then")) { $0.step = $0.step ?? key.step }
                })
        }
    }
}

extension JournalError {
    /// The error of an act that has taken effect in the store, and whose record waits: unless the store has ended.
    ///
    /// - Parameter then: what is so when it is recorded.
    func afterItsAct(_ then: String) -> JournalError {
        if isFinal { return self }
        return changed(self) {
            $0.advice +=
                " Do not repeat the act: it has been done in this process, and is recorded when the journal can write "
                + "again; \(then). If the store is closed before, it is forgotten."
        }
    }
}

extension Store {
    /// The effects that have not ended: they run, wait, are set aside until the app decides, or are orphans.
    ///
    /// - Throws: ``JournalError`` if the store has ended.
    @concurrent public func liveRuns() async throws(JournalError) -> [EffectRun] {
        try await engine.ask { .list(ephemeral: false, $0) }
    }

    /// The effects that have not ended, with the ephemeral ones.
    @concurrent package func allLiveRuns() async throws(JournalError) -> [EffectRun] {
        try await engine.ask { .list(ephemeral: true, $0) }
    }

    /// Cancels one effect, whatever it waits for. Returns once that is committed, together with a record of the
    /// intervention.
    ///
    /// - Throws: ``JournalError`` if there is no such effect, it has ended, or it is a message to another machine. Also
    ///   if the journal cannot write: then the effect has stopped in this store, and a later transaction records that.
    @concurrent public func cancel(_ run: RunKey) async throws(JournalError) {
        try await engine.intervene(.cancel, run, Intervention.Remarks())
    }

    /// Releases an effect that is asked or parked: it runs as soon as its queue has a slot.
    ///
    /// The restart policy `.ask` promises that the body runs at most once; releasing the effect gives that promise up.
    ///
    /// - Throws: ``JournalError`` if it is neither asked nor parked, or the code has no such effect. Also if the
    ///   journal cannot write: then it is released in this store, and starts when a later transaction records that.
    @concurrent public func release(_ run: RunKey) async throws(JournalError) {
        try await engine.intervene(.release, run, Intervention.Remarks())
    }

    /// Runs an effect again that has failed or was cancelled, or makes one start at once that waits for its next
    /// attempt.
    ///
    /// Its remembered steps are not done again. Whatever its restart policy says, its body can run twice. If its retry
    /// policy is used up, it gets one more attempt. If its step had several effects with its name and ID, and the code
    /// returns another number of them, it does not start, but waits until it is released or cancelled.
    ///
    /// - Throws: ``JournalError`` if it has completed, is running or is being retried, the code has no such effect, the
    ///   entries it comes from were pruned, or the journal cannot write. If it cannot write, and the advice says not to
    ///   repeat the act, the effect starts when a later transaction records that.
    @concurrent public func retry(_ run: RunKey) async throws(JournalError) {
        try await engine.intervene(.retry, run, Intervention.Remarks())
    }
}

extension StoreEngine {
    /// Carries out an act on an effect. Returns once it is committed.
    func intervene(
        _ act: Intervention.Act, _ run: RunKey, _ remarks: Intervention.Remarks
    ) async throws(JournalError) {
        guard act == .retry else { return try await intervene(act, run, ended: nil, remarks) }
        // A second retry would begin with the record that the first one has found.
        guard retried.begin(run) else {
            throw location.at(run.step).error(
                .notInThatState, "The effect \(run) is being retried by somebody else.", advice: "Wait for that one.")
        }
        defer { retried.end(run) }
        try await ask { .flush($0) }
        // From here until the effect is live again by its record, nothing is pruned.
        let (writer, id) = (stream.journal.writer, stream.id)
        try await writer.exclusively { $0.retries[id, default: 0] += 1 }
        defer {
            writer.later { state in
                let others = (state.retries[id] ?? 1) - 1
                state.retries[id] = others > 0 ? others : nil
            }
        }
        try await intervene(act, run, ended: try restoreEnded(run), remarks)
    }

    private func intervene(
        _ act: Intervention.Act, _ run: RunKey, ended: RecoveredRun<Action>?, _ remarks: Intervention.Remarks
    ) async throws(JournalError) {
        do throws(JournalError) {
            try await ask { .intervene(act, run, ended, remarks, $0) }
        } catch {
            // The engine knows only live effects. The record of an effect that has ended gives the better error.
            guard error.code == .noSuchStep, let record = try await writtenRecord(of: run) else { throw error }
            _ = try record.after(act, at: moment.date, file: location.file, stream: location.stream)
            // Its end is not recorded yet.
            throw location.at(run.step).error(
                .notInThatState, "The effect \(run) does not run or wait.", advice: "`liveRuns()` lists those that do.")
        }
    }

    /// The record of an effect that is not live; nil if there is none, also in what is not written yet.
    private func writtenRecord(of run: RunKey) async throws(JournalError) -> EffectRun? {
        let reader = stream.journal.reader
        if let record = try reader.effectRun(run, in: stream.name) { return record }
        try await ask { .flush($0) }
        return try reader.effectRun(run, in: stream.name)
    }

    /// A run that has ended, restored; nil if it has not ended.
    fileprivate func restoreEnded(_ key: RunKey) throws(JournalError) -> RecoveredRun<Action>? {
        let reader = stream.journal.reader
        let location = location.at(key.step)
        let recorded = try reader.recordedRun(key, in: stream.name)
        let record = recorded.run
        guard record.status.isFinal else { return nil }
        // Refuses what is impossible before it folds.
        try recorded.after(.retry, at: moment.date, file: location.file, stream: location.stream) { true }
        let found: RecoveredRun<Action>?
        if record.described != nil {
            found = try program.restoreDescribed(record, rules(ofQueue: record.queueText), location)
        } else {
            found = try effectsAgain(of: key.step)?.find(record)
        }
        guard let found else {
            throw location.orphan(record)
        }
        return found
    }

    /// The rule of a queue, by its text: the substitute rule if the queue was forgotten; none if the stored one does
    /// not decode.
    private func rules(ofQueue text: String?) throws(JournalError) -> [String: QueueRule] {
        guard let text else { return [:] }
        let row = try stream.journal.reader.read("reading a queue", stream: stream.name) {
            [id = stream.id] database throws(DatabaseError) in try database.queue(text, of: id)
        }
        guard let row else { return [text: .substitute] }
        return program.rules(of: [row], headStep: .max)
    }
}
