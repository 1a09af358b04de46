// The ends of a store: closed, left alone, or stopped by its journal. In each of them a run is cut off before its task is
// cancelled, and its record stays as it is.

extension Core {
    var closedError: JournalError {
        JournalError(
            .closed, "The store was closed.", advice: "Open it again.", file: stream.journal.file, stream: stream.name)
    }

    /// Why nothing is done any more.
    var refusal: JournalError { entrance.withLock { $0.refusal } ?? closedError }

    var isClosed: Bool { entrance.withLock { $0.isClosed } }

    /// Lets nothing in any more, and answers once what came in before is done.
    func close(_ reply: @escaping @Sendable () -> Void) {
        turn.closing.append(reply)
        guard !turn.isOver else { return }
        refuse(closedError)
        stream.journal.switchboard.closes(stream.name)
        leaveInPeace()
        cutAll(closedError)
        // Nothing starts any more, and no timer fires: it would be waited for.
        turn.scheduler.isPaused = true
        release()
    }

    func finishClosing() {
        guard !turn.closing.isEmpty, turn.isOver || entrance.withLock({ $0.lane.isIdle }) else { return }
        if !turn.isOver { end(closedError) }
        let replies = turn.closing
        turn.closing = []
        // Whoever opens the stream next must find what was recorded here, and nothing may be written behind its back.
        stream.journal.handIn(Batch()) { [pending] _ in
            pending.end()
            for reply in replies { reply() }
        }
    }

    func abandon() {
        if !turn.isOver {
            refuse(closedError)
            leaveInPeace()
            cutAll(closedError)
            end(closedError)
        }
        stream.journal.handIn(Batch()) { [pending, stream] _ in
            pending.end()
            stream.release {
                stream.journal.leaving.change { leaving in
                    let left = (leaving[ByteName(stream.name)] ?? 1) - 1
                    leaving[ByteName(stream.name)] = left > 0 ? left : nil
                }
            }
        }
    }

    /// The journal has come to its end.
    func fail(_ error: JournalError) {
        guard !turn.isOver else { return }
        var told = error
        told.stream = error.stream ?? stream.name
        refuse(told)
        cutAll(told)
        end(told)
        pending.end()
    }

    private func refuse(_ error: JournalError) {
        entrance.withLock { $0.refusal = $0.refusal ?? error }
    }

    private func cutAll(_ reason: JournalError) {
        let handles = turn.handles
        turn.handles = [:]
        for handle in handles.values { handle.cut(reason) }
    }

    private func end(_ reason: JournalError) {
        keep()
        turn.isOver = true
        isStable = true
        stream.journal.stores.withLock { $0[stream.id] = nil }
        stream.journal.switchboard.closes(stream.name)
        stream.journal.switchboard.closed(stream.name)
        for item in entrance.withLock({ $0.lane.takeAll() }) {
            switch item {
            case .dispatch(let request): request.fail(reason)
            case .send(let send): send.fail(reason)
            }
        }
        for request in turn.waitingForState { request.fail(reason) }
        for tracker in turn.bodies.values.compactMap(\.tracker) { tracker.end() }
        turn.waitingForState = []
        turn.bodies = [:]
        turn.trackers = [:]
        turn.roots = [:]
        turn.scheduler = Scheduler()
        turn.sleeper?.task.cancel()
        turn.sleeper = nil
        published.end()
        let deferred = turn.deferred + turn.waitingForRoom
        turn.deferred = []
        turn.waitingForRoom = []
        for event in deferred where event.isAnsweredAfterTheEnd { handle(event) }
    }
}
