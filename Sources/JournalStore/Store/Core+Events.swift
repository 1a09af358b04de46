extension Core.Event {
    /// Whether somebody waits for an answer, also when nothing is done any more.
    var isAnsweredAfterTheEnd: Bool {
        switch self {
        case .send, .sent, .remember, .notRemembered, .receive, .list, .intervene, .cancel, .flush, .close,
            .abandon, .restore,
            .resettle, .resume:
            true
        case .bodyEnded, .delivered, .tick, .hasLived, .written, .forget: false
        }
    }
}

extension Core {
    func handle(_ event: Event) {
        // While an action of a run is being committed, together with that run's record, nothing else may change the record.
        switch event {
        case .bodyEnded, .cancel, .intervene, .close:
            if !turn.isOver, entrance.withLock({ $0.lane.sendIsUnderWay }) { return turn.deferred.append(event) }
        default: break
        }
        switch event {
        case .send(let send):
            if turn.isOver {
                send.fail(refusal)
            } else {
                entrance.withLock { $0.lane.add(send) }
                release()
            }
        case .sent(let send, let record, let result): sent(send, record, result)
        case .bodyEnded(let key, let attempt, let error): bodyEnded(key, attempt, error)
        case .receive(let delivery): receive(delivery)
        case .delivered(let key, let record, let outcome): delivered(key, record, outcome)
        case .tick: tick()
        case .hasLived: hasLived()
        case .list(let reply): list(reply)
        case .intervene(let act, let key, let found, let reply): intervene(act, key, found, reply)
        case .written(let result): written(result)
        case .cancel(let what, let reply): cancel(what, reply)
        case .forget(let request): forget(request)
        case .remember(let step, let attempt, let reply): remember(step, attempt, reply)
        case .notRemembered(let step, let attempt, let reply):
            if turn.isOver { return reply(.failure(refusal)) }
            turn.waitingForRoom.append(.remember(step, attempt: attempt, reply))
            waitForRoom()
        case .flush(let reply): onceWritten(reply)
        case .close(let reply): close(reply)
        case .abandon: abandon()
        case .restore(let past, let reply):
            restore(past)
            onceWritten(reply)
        case .resettle(let steps, let reply):
            resettle(steps)
            onceWritten(reply)
        case .resume(let fates, let orphaned, let reply):
            resume(fates, orphaned: orphaned)
            reply(.success(()))
        }
    }

    // MARK: From the app

    /// What the app dispatched is committed, or is not.
    func dispatched(_ request: Request) {
        let appended: ArraySlice<Appended>
        switch request.appended {
        case .failure(let error): return refused(request, error)
        case .success(let entries):
            if turn.isOver { return request.fail(refusal) }
            appended = entries
        }
        thereIsRoom()
        if request.waitsForState { waitForState(request) }
        request.answer { reduced(request, $0, $1, appended[appended.startIndex + $1]) }
        // A dispatch that was there before is answered by the state as it is.
        if request.waitsForState { answerWaiting() }
        finishDispatch()
    }

    private func waitForState(_ request: Request) {
        guard case .until(_, let reply) = request.reply else { return }
        if request.isForgotten {
            reply(.failure(CancellationError()))
        } else {
            turn.waitingForState.append(request)
        }
    }

    private func refused(_ request: Request, _ error: JournalError) {
        if !turn.isOver, error.code == .dispatchIDReused, askAgain(request, for: error.step) { return }
        if error.isFinal {
            entrance.withLock { $0.lane.finishedDispatch() }
            request.fail(error)
            return fail(error)
        }
        request.fail(error)
        finishDispatch()
    }

    /// One entry of a dispatch.
    private func reduced(
        _ request: Request, _ action: Action, _ index: Int, _ entry: Appended
    ) -> Dispatched<Action> {
        guard let stamp = entry.stamp else {
            let tracker = turn.trackers[entry.step] ?? track(entry.step, tracksFeedback: request.tracksFeedback)
            return Dispatched(step: entry.step, outcome: .repeated, tracker: tracker, cancelling: cancelling)
        }
        let cause = StepCause(
            origin: .dispatched, root: entry.step, priority: request.priority,
            cancelID: request.batch.entries[index].cancelID, tracksFeedback: request.tracksFeedback)
        let (outcome, tracker) = reduce(action, at: entry.step, stamp, cause)
        return Dispatched(step: entry.step, outcome: outcome, tracker: tracker, cancelling: cancelling)
    }

    /// Lets go what waits behind it.
    private func finishDispatch() {
        let somebodyWaits = entrance.withLock { entrance in
            entrance.lane.finishedDispatch()
            return entrance.lane.somebodyWaits
        }
        if somebodyWaits { release() }
    }

    /// The journal compares texts, and one action can have several: a set has another order, an older version wrote it in another way.
    ///
    /// - Returns: whether it is the same action that was there before, so that it was handed in again with that one's text.
    private func askAgain(_ request: Request, for step: Int?) -> Bool {
        guard let step, let asked = request.only,
            let entry = try? stream.journal.reader.entries(in: stream.name, from: step, limit: 1).first,
            entry.step == step, entry.action != request.batch.entries[0].action,
            let stored = try? program.action(entry.action, version: entry.version, place.at(step)),
            program.isSame(stored, asked)
        else { return false }
        request.batch.entries[0] = request.batch.entries[0].with(action: entry.action)
        stream.journal.writer.submit(request)
        return true
    }

    /// Whoever asks again after a restart is told of the effects that came back.
    private func track(_ root: Int, tracksFeedback: Bool) -> Tracker<Action>? {
        let keys = turn.scheduler.keys(ofRoot: root).filter { tracksFeedback || $0.step == root }
        guard !keys.isEmpty else { return nil }
        let tracker = Tracker<Action>(tracksFeedback: tracksFeedback)
        for key in keys {
            tracker.begin()
            turn.bodies[key]?.tracker = tracker
        }
        turn.trackers[root] = tracker
        return tracker
    }

    private func forget(_ request: Request) {
        request.isForgotten = true
        guard let index = turn.waitingForState.firstIndex(where: { $0 === request }),
            case .until(_, let reply) = request.reply
        else { return }
        turn.waitingForState.remove(at: index)
        reply(.failure(CancellationError()))
    }

    private func cancel(_ what: Cancellation, _ reply: @escaping @Sendable (Result<Void, JournalError>) -> Void) {
        let now = moment
        switch what {
        case .id(let id): cancel(id, text: nil, at: now)
        case .condition(let condition): turn.scheduler.cancel(where: condition, at: now)
        case .root(let root):
            for key in turn.scheduler.keys(ofRoot: root).sorted() { turn.scheduler.cancel(key, at: now) }
        }
        carryOn(now)
        onceWritten(reply)
    }

    /// - Parameter text: the ID as it is stored, where that is known.
    func cancel(_ id: AnyEffectID, text: String?, at now: Moment) {
        var roots: Set<Int> = []
        var text = text
        if !turn.roots.isEmpty || turn.scheduler.hasStoredIDs {
            text = text ?? (try? program.records.encode(id))
            if let text { roots = turn.roots[text] ?? [] }
        }
        turn.scheduler.cancel(id: id, text: text, roots: roots, at: now)
    }

    // MARK: From the clock and the disk

    private func tick() {
        let now = moment
        if let retryAt = turn.retryAt, retryAt <= now.tick { thereIsRoom() }
        turn.scheduler.pump(at: now)
        execute()
        release()
    }

    /// Nothing new starts until there is room again.
    func waitForRoom() {
        turn.scheduler.isPaused = true
        turn.retryAt = ticker.now() + .seconds(1)
    }

    /// There is, or may be, room on the disk again.
    func thereIsRoom() {
        guard turn.retryAt != nil else { return }
        turn.retryAt = nil
        turn.scheduler.isPaused = !turn.closing.isEmpty
        entrance.withLock { $0.lane.unstick() }
        let events = turn.waitingForRoom
        turn.waitingForRoom = []
        for event in events { handle(event) }
        carryOn(moment)
    }

    private func written(_ result: Result<Int, JournalError>) {
        switch result {
        case .success(let changes):
            turn.scheduler.wereCommitted(changes)
            carryOn(moment)
        case .failure(let error):
            if error.isFinal { return fail(error) }
            if error.isPassing { return }
            stream.journal.options.report(Notice(kind: .recordIncomplete, error: error))
            let now = moment
            turn.scheduler.couldNotStart(error: Core.text(of: error), at: now)
            carryOn(now)
        }
    }

    /// What an error says, as it is recorded.
    static func text(of error: any Error) -> String {
        String("\(error)".prefix(4096))
    }
}
