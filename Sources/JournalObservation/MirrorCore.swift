import JournalStore

/// Takes the newest state of a store at most once per turn of the main actor, passes it to the mirrors, and sends their
/// actions in order. The mirrors own it; the task that listens does not, nor does it own the store.
@MainActor final class MirrorCore<Action: Sendable, State: Sendable> {
    private struct Mirror {
        let isAlive: () -> Bool
        let receive: (State) -> Void
    }

    private(set) var state: State
    private let store: Store<Action, State>
    private var step: Int
    private var mirrors: [Mirror] = []
    /// When there are as many mirrors as this, those that are gone are removed. Otherwise a step removes them.
    private var mostMirrors = 16
    private(set) var listening: Task<Void, Never>?
    /// Ends when all that was sent, and what waited for it, is in the store; nil if nothing of that is under way.
    private var sending: Task<Void, Never>?
    /// How often something was put behind what is under way.
    private var count = 0
    /// The actions of this turn that are not dispatched yet; nil if there are none.
    private var open: Turn?

    init(_ store: Store<Action, State>) {
        self.store = store
        let broadcast = store.broadcast
        (state, step) = store.newest
        listening = Task { [weak self, step] in
            var known = step
            // The last state comes before the end.
            while let newest = await broadcast.wait(after: known) {
                known = newest
                guard self?.catchUp() != nil else { return }
                // What comes in this turn is taken together in the next one.
                await Task.yield()
            }
        }
    }

    deinit { listening?.cancel() }

    func add(_ isAlive: @escaping () -> Bool, _ receive: @escaping (State) -> Void) {
        if mirrors.count >= mostMirrors {
            mirrors.removeAll { !$0.isAlive() }
            mostMirrors = max(16, 2 * mirrors.count)
        }
        mirrors.append(Mirror(isAlive: isAlive, receive: receive))
    }

    /// Takes the newest state, if it is newer.
    func catchUp() {
        let newest = store.newest
        guard newest.step > step else { return }
        (state, step) = newest
        // Not in place: what observes a mirror may add another one, which has the newest state already.
        let told = mirrors
        mirrors = []
        let left = told.filter { $0.isAlive() }
        for mirror in left { mirror.receive(newest.state) }
        mirrors = left + mirrors
    }

    // MARK: Sending

    /// The actions that were sent in one turn of the main actor.
    private final class Turn {
        var actions: [(action: Action, failed: (JournalError) -> Void)] = []
        var task: Task<Void, Never>?
    }

    /// Dispatches an action after those that were sent before, whether or not the mirror is kept. The actions that are
    /// sent in one turn of the main actor share a transaction, and usually are one change of the mirrors.
    func send(_ action: Action, failed: @escaping (JournalError) -> Void) -> Task<Void, Never> {
        let turn = open ?? Turn()
        turn.actions.append((action, failed))
        if let task = turn.task { return task }
        open = turn
        count += 1
        let task = Task { [store, before = sending, number = count, weak self] in
            await before?.value
            // What is sent from now on belongs to a later turn.
            if self?.open === turn { self?.open = nil }
            await Self.dispatch(turn.actions, to: store)
            self?.catchUp()
            self?.ended(number)
        }
        (turn.task, sending) = (task, task)
        return task
    }

    private func ended(_ number: Int) {
        if number == count { sending = nil }
    }

    /// Calls the store after what was sent before. What is sent meanwhile comes after it.
    private func inOrder<Value: Sendable>(
        _ call: @escaping @Sendable (Store<Action, State>) async throws(JournalError) -> Value
    ) async throws(JournalError) -> Value {
        count += 1
        open = nil
        let task = Task { [store, before = sending] () -> Result<Value, JournalError> in
            await before?.value
            do throws(JournalError) { return .success(try await call(store)) } catch { return .failure(error) }
        }
        sending = Task { [number = count, weak self] in
            _ = await task.value
            self?.ended(number)
        }
        return try await task.value.get()
    }

    private static func dispatch(
        _ sent: [(action: Action, failed: (JournalError) -> Void)], to store: Store<Action, State>
    ) async {
        if sent.count > 1 {
            do throws(JournalError) {
                try await store.dispatch(contentsOf: sent.map(\.action))
                return
            } catch  where error.code == .outcomeUnknown || error.code == .fenced || error.isRetryable {
                // They may have been appended, or none can be now.
                for (_, failed) in sent { failed(error) }
                return
            } catch {
                // Nothing was appended. One by one, so that an action that cannot be stored fails alone.
            }
        }
        for (action, failed) in sent {
            do throws(JournalError) { try await store.dispatch(action) } catch { failed(error) }
        }
    }

    /// Dispatches an action after those that were sent before. The mirrors have its state when it returns.
    func dispatch(_ action: Action, _ options: MirroredDispatch) async throws(JournalError) -> DispatchOutcome {
        let dispatched = try await inOrder { store throws(JournalError) in
            try await store.dispatch(
                action, id: options.id, cancelID: options.cancelID, priority: options.priority,
                trackingFeedback: options.waitsForEffects)
        }
        if options.waitsForEffects { await dispatched.completion() }
        catchUp()
        return dispatched.outcome
    }

    /// Cancels effects, those of the actions that were sent before included.
    func cancel(_ id: AnyEffectID) async throws(JournalError) {
        try await inOrder { store throws(JournalError) in try await store.cancel(id: id) }
    }
}
