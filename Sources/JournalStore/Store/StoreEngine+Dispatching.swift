// Answer: what the writer returns for a dispatch is reduced, entry by entry, and the caller gets the results.

extension StoreEngine {
    /// The writer has committed a dispatch, or could not.
    func committed(_ request: Request) {
        let entries: ArraySlice<Appended>
        switch request.result {
        case .failure(let error): return refused(request, error)
        case .success(let appended): entries = appended
        }
        if isOver { return request.fail(entries.contains { !$0.isRepeat } ? unreduced(entries) : refusal) }
        endFullDisk()
        if request.waitsForState { waitForState(request) }
        reduce(request, entries)
        // A repeated dispatch reduces nothing, so the present state may be the one that it waits for. The other
        // requests were compared with that state at its step.
        if request.waitsForState, entries.allSatisfy(\.isRepeat) { answer(request) }
        finishDispatch()
    }

    /// The store ended between the commit and the reduction.
    private func unreduced(_ entries: ArraySlice<Appended>) -> JournalError {
        location.at(entries.first?.step ?? step).unreduced(
            "The action was committed, but the store ended before it was reduced (\(refusal.code)).")
    }

    private func reduce(_ request: Request, _ entries: ArraySlice<Appended>) {
        do throws(JournalError) {
            let canceller = DispatchCanceller(self, stream)
            let first = try reduce(request, request.first, 0, entries[entries.startIndex], canceller)
            if request.others.count > 0 {
                request.succeed(first, try reduceOthers(of: request, entries.dropFirst(), canceller))
            } else {
                request.succeed(first, nil)
            }
        } catch {
            request.fail(error)
        }
    }

    private func reduceOthers(
        of request: Request, _ entries: ArraySlice<Appended>, _ canceller: DispatchCanceller
    ) throws(JournalError) -> [Dispatched<Action>] {
        var failure: JournalError?
        // Not by `append`, which looks at the array's storage each time.
        let answers = [Dispatched<Action>](unsafeUninitializedCapacity: entries.count) { answers, count in
            for action in request.others {
                do throws(JournalError) {
                    let answer = try reduce(request, action, count + 1, entries[entries.startIndex + count], canceller)
                    answers.initializeElement(at: count, to: answer)
                } catch {
                    failure = error
                    return
                }
                count += 1
            }
        }
        if let failure { throw failure }
        return answers
    }

    /// One entry of a dispatch.
    private func reduce(
        _ request: Request, _ action: Action, _ index: Int, _ entry: Appended, _ canceller: DispatchCanceller
    ) throws(JournalError) -> Dispatched<Action> {
        guard let stamp = entry.stamp else {
            let known = dispatches[entry.step]
            // One that is over follows nothing any more. Effects of later steps can have the same root.
            let isLeft = request.tracksFeedback && known?.isOver == true
            // Nobody reads the tracker or the rejection of a caller that waits for a state.
            var tracker = known
            if known == nil || isLeft, !request.waitsForState {
                tracker = try track(entry.step, request.tracksFeedback, after: known)
            }
            let rejection = request.waitsForState ? nil : try recordedRefusal(at: entry.step)
            return Dispatched(
                step: entry.step, outcome: .repeated, firstRejection: rejection, tracker: tracker,
                canceller: canceller)
        }
        let cause = StepCause(
            origin: .dispatched, root: entry.step, priority: request.priority,
            cancelID: request.batch.entries[index].cancelID, tracksFeedback: request.tracksFeedback)
        if let states = request.states { states.noteBefore(reduced.state) }
        let (outcome, tracker) = try reduce(action, at: entry.step, stamp, cause)
        if let states = request.states { states.noteAfter(reduced.state) }
        return Dispatched(
            step: entry.step, outcome: outcome, firstRejection: nil, tracker: tracker,
            canceller: canceller)
    }

    /// Why a step was rejected or skipped, by its record: another version of the code could decide otherwise.
    @inline(never)
    private func recordedRefusal(at step: Int) throws(JournalError) -> String? {
        // In this order: a record that is not in memory any more is on the disk.
        if let record = recorder.unwrittenRecord(of: step) { return record.refusal }
        return try stream.journal.reader.stepRecord(of: info, step: step)?.refusal
    }

    private func refused(_ request: Request, _ error: JournalError) {
        var error = error
        if !isOver, error.code == .dispatchIDReused {
            do throws(JournalError) {
                if try submitAgain(request, for: error.step) { return }
            } catch let reason {
                // It is not known whether the actions are the same.
                request.fail(reason)
                return finishDispatch()
            }
        }
        // The transaction can have been that of several streams.
        error.stream = error.stream ?? stream.name
        request.fail(error)
        guard error.isFinal else { return finishDispatch() }
        gate.withLock { $0.queue.finishedDispatch() }
        fail(error)
    }

    /// The writer compares texts, and equal actions can have different texts: a set has another order, or an older
    /// version encoded it differently.
    ///
    /// - Returns: whether the action equals the one of that step, so that it was submitted again with that one's text.
    private func submitAgain(_ request: Request, for step: Int?) throws(JournalError) -> Bool {
        guard let step, request.others.count == 0,
            let entry = try stream.journal.reader.entries(in: stream.name, from: step, limit: 1).first,
            entry.step == step, !entry.action.hasSameBytes(as: request.batch.entries[0].action)
        else { return false }
        let stored = try program.action(entry.action, version: entry.version, location.at(step))
        guard program.isSame(stored, request.first) else { return false }
        request.batch.entries[0] = request.batch.entries[0].with(action: entry.action)
        stream.journal.writer.submit(request)
        // The inbox is being drained already.
        return true
    }

    /// Submits what waits for the end of this dispatch.
    private func finishDispatch() {
        let hasWaiting = gate.withLock { gate in
            gate.queue.finishedDispatch()
            return gate.queue.hasWaiting
        }
        if hasWaiting { submitAdmitted() }
    }

    /// The runs of a step that have failed or were cancelled.
    private func failedRuns(of step: Int) throws(JournalError) -> [EffectRun] {
        // In this order: a record that is not in memory any more is on the disk.
        let unwritten = recorder.unwrittenRuns(of: step)
        let written = try stream.journal.reader.brokenRuns(in: info, step: step)
        let runs = Dictionary(written.map { ($0.key, $0) }) { _, last in last }.merging(unwritten) { _, newer in newer }
        return runs.values.filter { $0.status == .failed || $0.status.wasCancelled }.sorted { $0.key < $1.key }
    }

    /// A tracker for a dispatch of an earlier process, or one whose result no caller has any more: it follows the runs that
    /// have not ended, and knows by their records which of the step's own runs have failed or were cancelled.
    ///
    /// - Parameter known: the tracker of the first result, if a caller has that one. It knows more than the records.
    private func track(
        _ root: Int, _ tracksFeedback: Bool, after known: Tracker<Action>?
    ) throws(JournalError) -> Tracker<Action>? {
        // An orphan, and a run whose cancel action is to be sent, have no effect that could tell of its end.
        let keys = scheduler.keys(ofRoot: root).filter {
            (tracksFeedback || $0.step == root) && effects.bodies[$0] != nil
        }
        if keys.isEmpty, let known { return known }
        let failed = known == nil ? try failedRuns(of: root) : []
        guard !keys.isEmpty || !failed.isEmpty else { return nil }
        let tracker = Tracker<Action>(tracksFeedback: tracksFeedback)
        for _ in 0..<keys.count + failed.count { tracker.begin() }
        if let known {
            tracker.begin()
            tracker.finish(known.errors, isCancelled: known.isCancelled)
        }
        for run in failed {
            let error = run.status == .failed ? EffectFailure(description: run.error ?? "") : nil
            tracker.finish(error.map { [$0] } ?? [], isCancelled: run.status.wasCancelled)
        }
        guard !keys.isEmpty else { return tracker }
        for key in keys {
            effects.bodies[key]?.tracker = tracker
            effects.handles[key]?.follow(tracker)
        }
        dispatches[root] = tracker
        return tracker
    }

    // MARK: Waiting for a state

    private func waitForState(_ request: Request) {
        if request.isForgotten { request.stopWaiting() } else { waitingForState.add(request) }
    }

    func forget(_ request: Request) {
        request.isForgotten = true
        guard waitingForState.leave(request) else { return }
        request.fail(CancellationError())
    }

    /// Answers a request that waits, if the state as it is is the one.
    private func answer(_ request: Request) {
        if waitingForState.contains(request), request.answer(with: reduced.state) { waitingForState.leave(request) }
    }

    /// Answers the requests whose state has come.
    func answerWaiting() {
        let state = reduced.state
        waitingForState.removeAll { $0.answer(with: state) }
    }
}
