/// What caused an entry, and what its effects inherit.
struct StepCause {
    var origin: Origin
    var root: Int
    var priority: TaskPriority?
    var cancelID: String?
    /// Whether a new tracker follows the feedback of its effects; nil if no tracker is made.
    var tracksFeedback: Bool?
}

// Reduce: the next entry changes the state.

extension StoreEngine {
    /// Reduces a committed entry, settles it, and starts what may start.
    ///
    /// - Parameters:
    ///   - inherited: the tracker of the effect that sent the action.
    ///   - isNew: false if an earlier process has reduced the entry.
    /// - Throws: the entry is not the next one of the stream; the store has ended then.
    @discardableResult
    func reduce(
        _ action: Action, at step: Int, _ stamp: Appended.Stamp, _ cause: StepCause,
        _ inherited: Tracker<Action>? = nil, isNew: Bool = true
    ) throws(JournalError) -> (DispatchOutcome, Tracker<Action>?) {
        guard step == self.step + 1 else { throw fence(at: step) }
        let span = isTraced ? options.beginSpan(of: stream.name) : nil
        if !reduced.hasSecond { broadcast.withdraw() }
        if let mark { marks?.set(mark, info.id, step) }
        var reduction =
            if let reducerChecks, !reducerChecks.hasObject {
                try reduce(action, at: step, stamp, reducerChecks)
            } else {
                reduced.reduce(action, at: step, stamp, in: info, program)
            }
        if reduction.isSpoiled { reduction = try undo(reduction, action, at: step, stamp) }
        if let failedRead { throw lose(step, failedRead.value) }
        if let mark { marks?.clear(mark) }
        self.step = step
        if let span { end(span, action, at: step, reduction) }
        if broadcast.publish(reduced.newest, step: step) { reduced.keepPrevious() }
        if isObserved { observe(&reduction, action, at: step, stamp, cause, isNew: isNew) }
        recorder.settle(step)
        // Outlined: keeps generic metadata lookups off the path of plain steps.
        let tracker = reduction.isPlain ? nil : settle(reduction, at: step, stamp, cause, inherited)
        if isWaitedFor { answerWaiting() }
        if stream.isSnapshotDue(at: step) { offerSnapshot() }
        switch reduction.outcome {
        case .reduced: return (.reduced, tracker)
        case .rejected(let reason): return (.rejected(reason: reason), nil)
        case .skipped: return (.reduced, nil)
        }
    }

    /// Passes over a new step whose effect was cancelled before its turn came.
    func passOver(_ send: Send, at step: Int, _ stamp: Appended.Stamp) {
        guard passOver(step), isObserved else { return }
        var skipped = Reduction<Action>(outcome: .skipped)
        observe(&skipped, send.action, at: step, stamp, StepCause(origin: send.origin, root: step), isNew: true)
    }

    /// Passes over a step whose effect was cancelled before its turn came: the state stays.
    ///
    /// - Returns: false if the store has ended instead.
    @discardableResult
    func passOver(_ step: Int) -> Bool {
        guard step == self.step + 1 else {
            _ = fence(at: step)
            return false
        }
        self.step = step
        broadcast.publish(cancelled: step)
        recorder.record(StepRecord(stream: stream.id, step: step, outcome: .cancelled))
        recorder.settle(step)
        return true
    }

    @inline(never)
    private func end(_ span: OpenSpan, _ action: Action, at step: Int, _ reduction: Reduction<Action>) {
        span.end(.reduce) { span in
            (span.step, span.name) = (step, StoredName.ofCase(action))
            if case .rejected(let reason) = reduction.outcome { span.error = reason }
        }
    }

    /// Reduces a step, and checks the reducer.
    @inline(never)
    private func reduce(
        _ action: Action, at step: Int, _ stamp: Appended.Stamp, _ checks: ReducerChecks
    ) throws(JournalError) -> Reduction<Action> {
        // A store with a second state holds both.
        guard checks.copies.isDue(), !reduced.hasSecond, !program.copiesStateForNothing else {
            return try reduceTwice(action, at: step, stamp, checks)
        }
        // The first reduction copies what it changes. Then only those hold the old state that have read it.
        var before = reduced.state
        let reduction = try reduceTwice(action, at: step, stamp, checks)
        guard reduction.isReduced, !reduced.hasSecond else { return reduction }
        // Such a copy costs as much as the state is long.
        guard checks.copies.isSuspicious, var alone = program.decodedCopy(of: before, location) else {
            checks.copies.note(options.measure { reduceOnly(action, &before, at: step, stamp) })
            return reduction
        }
        let aloneTime = options.measure { reduceOnly(action, &alone, at: step, stamp) }
        let time = options.measure { reduceOnly(action, &before, at: step, stamp) }
        if checks.copies.shouldWarn(time, alone: aloneTime) {
            let error = location.at(step).copiedState(StoredName.ofCase(action), time, alone: aloneTime)
            options.notify(.copiedState, error)
        }
        return reduction
    }

    /// Whether a state is not the one any more that was encoded as a text. A codec can write other texts of an equal
    /// state, as one does that notes the time.
    private func hasChanged(_ state: State, since text: String) -> Bool {
        guard let now = try? program.encode(state, location), now != text,
            let before = try? program.state(text, version: program.version, location)
        else { return false }
        return !program.differences(before, state).isEmpty
    }

    private func reduceOnly(_ action: Action, _ state: inout State, at step: Int, _ stamp: Appended.Stamp) {
        _ = program.reduce(action, &state, at: step, stamp, in: info, undoing: false)
    }

    /// Reduces a step, then again from the same state, and reports if the results differ.
    private func reduceTwice(
        _ action: Action, at step: Int, _ stamp: Appended.Stamp, _ checks: ReducerChecks
    ) throws(JournalError) -> Reduction<Action> {
        // Otherwise the second state repeats the step before with another result, and this action would be accused of it.
        if checks.takeDifference() { reduced.replace(with: reduced.state) }
        var again = reduced.state
        let text = checks.looksForObject() ? repeatableText(of: again) : nil
        var first = reduced.reduce(action, at: step, stamp, in: info, program)
        if let text, !first.isSpoiled, hasChanged(again, since: text) {
            // Both states share an object. The next reduction would change it once more.
            checks.foundObject()
            options.notify(.impureReducer, location.at(step).changedObject(StoredName.ofCase(action)))
            return first
        }
        if first.isSpoiled {
            // Compared by itself, so that this action is not accused of what an earlier one did.
            let before = try stateAgain(before: step)
            let differences = program.differences(again, before)
            if !differences.isEmpty {
                options.notify(.impureReducer, location.at(step).impureReducer(before: differences))
            }
            first = reduced.undo(first, to: before, action, at: step, stamp, in: info, program)
            again = before
        }
        let second = program.reduce(action, &again, at: step, stamp, in: info, undoing: true)
        let differences = program.differences((first, reduced.state), (second, again))
        let name = StoredName.ofCase(action)
        if !differences.isEmpty { checks.noteDifference() }
        if !differences.isEmpty, checks.addImpure(name) {
            options.notify(.impureReducer, location.at(step).impureReducer(name, differences))
        }
        return first
    }

    /// The text of a state; nil if the codec writes another one each time, as one that encrypts does.
    private func repeatableText(of state: State) -> String? {
        let text = try? program.encode(state, location)
        return text != nil && text == (try? program.encode(state, location)) ? text : nil
    }

    /// Reduces a step again that spoiled the state, because something was rejected.
    private func undo(
        _ spoiled: Reduction<Action>, _ action: Action, at step: Int, _ stamp: Appended.Stamp
    ) throws(JournalError) -> Reduction<Action> {
        let before = try stateAgain(before: step)
        return reduced.undo(spoiled, to: before, action, at: step, stamp, in: info, program)
    }

    /// Computes the state before a step again, which the step has spoiled.
    private func stateAgain(before step: Int) throws(JournalError) -> State {
        do throws(JournalError) { return try state(at: self.step).state } catch { throw lose(step, error) }
    }

    /// Ends the store: the reducer needed a state that cannot be read, so what it made of the step is not kept.
    private func lose(_ step: Int, _ error: JournalError) -> JournalError {
        if let mark { marks?.clear(mark) }
        broadcast.lose(reduced.newest)
        // Later calls throw it too, and this store never succeeds again.
        let reason =
            error.isRetryable
            ? changed(error) {
                $0.code = .outcomeUnknown
                $0.advice += " Open the stream again: the opening reduces the step."
            } : error
        fail(reason, alone: true)
        return location.at(step).unreduced(
            "The action was committed, but not reduced: the state before it cannot be read (\(error.code)).")
    }

    /// Ends the store: another writer has appended to its stream.
    private func fence(at step: Int) -> JournalError {
        let error = location.at(step).error(
            .fenced,
            "The next step is \(self.step + 1), but the journal has committed step \(step): something else writes to "
                + "the stream.",
            advice: "Let only one store write to a stream. Open it again.")
        fail(error, alone: true)
        return error
    }

    /// Calls the observers, and adds the messages that the links derive.
    private func observe(
        _ reduction: inout Reduction<Action>, _ action: Action, at step: Int, _ stamp: Appended.Stamp,
        _ cause: StepCause, isNew: Bool
    ) {
        let transition = Transition(
            action, reduction, stream: stream.name, step: step, time: stamp.time, origin: cause.origin,
            from: reduction.isReduced ? reduced.previous : reduced.state, to: reduced.state)
        if isNew {
            MiddlewareCall.outside { for observer in observers { observer.observe(transition) } }
        }
        guard reduction.isReduced else { return }
        let messages = program.messages(of: transition)
        for message in messages {
            guard let failure = message.failure else { continue }
            options.notify(
                .messageFailed,
                changed(location.at(step).notEncodable(.message, message.stream, failure, isAppended: true)) {
                    $0.message += " It is not sent, and its effect has failed."
                    $0.advice += " Then dispatch what caused it again: a retry does not find it."
                })
        }
        reduction.add(messages.map { Effect.Run($0) })
    }

    private func offerSnapshot() {
        if owesBase { return }
        stream.offerSnapshot(at: step, version: program.version) { [program, location, state = reduced.state, step] in
            try program.encode(state, location.at(step))
        }
    }
}
