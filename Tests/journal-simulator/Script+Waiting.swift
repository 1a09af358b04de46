import JournalStore

extension Script {
    /// Dispatches, and waits for a state that may never come.
    func dispatchAndWait() {
        let (act, stream) = (invent().inForm(life.form), stream())
        let (host, store) = (world.host, world.stores[stream])
        guard host != nil || store != nil else { return }
        let count = life.model.score(of: stream).count + choices.next(5)
        life.model.dispatched(act, to: stream, id: nil)
        life.note("dispatch \(act) to \(stream) until \(count)")
        world.waiting.append(
            Task.detached { [self] in
                do {
                    let isMeant = { @Sendable (score: Score) in score.count >= count }
                    let state =
                        if let host {
                            try await host.dispatch(act, to: stream, until: isMeant)
                        } else {
                            try await store?.dispatch(act, until: isMeant)
                        }
                    guard let state, !world.isDead else { return }
                    life.note("\(act.name) led to \(state.count)")
                    life.count("awaited state")
                    life.model.waited(for: count, after: act.name, got: state)
                } catch {
                    guard !world.isDead else { return }
                    life.note("\(act.name) led to no such state: \(kind(error))")
                    if error is CancellationError { return life.count("state that did not come") }
                    let isOver = (error as? JournalError)?.code == .closed
                    if !isOver, !world.hadFault { life.report("\(act.name): \(error)") }
                    noteBroken(by: error)
                }
            })
    }

    /// Nothing happens any more, so no state comes: who waits for one gives up.
    func endWaiting() async {
        for task in world.waiting { task.cancel() }
        for task in world.waiting { await task.value }
        world.waiting = []
    }
}
