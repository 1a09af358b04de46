/// The smallest store, for a script or a test: an update function, an effect function, and a journal, without `await`.
///
/// It has the same guarantees as a ``Store``, which it is a front for. Its calls block the thread: never make them from a
/// task.
///
/// ```swift
/// let store = try PlainStore(state: 0, update: updateCounter, journal: "counter.db", name: "counter")
/// try store.dispatch(.increment)
/// print(store.state)
/// try store.close()
/// ```
public struct PlainStore<Action: Codable & Sendable, State: Codable & Sendable>: Sendable {
    /// The store that it calls, with everything else that a store can do.
    public let store: BlockingStore<Action, State>
    private let journal: Journal
    private let calls: PlainCalls

    /// Opens a journal with one stream, and creates the file if there is none.
    ///
    /// - Parameters:
    ///   - state: the state before the first action of the journal.
    ///   - update: changes the state for an action. It must always do the same for the same input.
    ///   - effect: called after each update; see ``PlainEffect``. Calls that had not ended when the last process did
    ///     are made again.
    ///   - initialAction: dispatched if the stream has no action yet.
    ///   - path: the journal's file.
    ///   - name: the name of the machine and of its stream.
    /// - Throws: ``JournalError`` if the journal cannot be opened, is open elsewhere, or cannot be written.
    public init(
        state: State, update: @escaping @Sendable (inout State, Action) -> Void,
        effect: PlainEffect<State, Action>? = nil, initialAction: Action? = nil, journal path: String,
        name: String = "main"
    ) throws(JournalError) {
        try self.init(
            state: state, update: update, effect: effect, initialAction: initialAction, journal: Journal(path: path),
            name: name)
    }

    init(
        state: State, update: @escaping @Sendable (inout State, Action) -> Void, effect: PlainEffect<State, Action>?,
        initialAction: Action? = nil, journal: Journal, name: String = "main",
        clock: any Clock<Duration> = ContinuousClock()
    ) throws(JournalError) {
        (self.journal, calls) = (journal, PlainCalls())
        let machine: Machine<Action, State, Void> =
            if let effect {
                Machine(name, initialState: state, update: update, effect: effect, calls: calls)
            } else {
                Machine(name, initialState: state, update: update)
            }
        do throws(JournalError) {
            store = try journal.openBlocking(machine, stream: name, environment: (), clock: clock)
            if let initialAction, store.store.newest.step == 0 { try store.dispatch(initialAction) }
        } catch {
            // The caller has nothing to close.
            try? journal.closeBlocking()
            throw error
        }
    }

    /// The state after the newest action.
    public var state: State { store.state }

    /// Commits an action and updates the state; the effect function is called soon afterwards.
    ///
    /// - Throws: ``JournalError`` as ``Store/dispatch(_:id:cancelID:priority:trackingFeedback:)``.
    public func dispatch(_ action: Action) throws(JournalError) {
        try store.dispatch(action)
    }

    /// Waits until every call of the effect function has returned, no copy of its `dispatch` is left, and all that it
    /// has dispatched is reduced.
    ///
    /// - Throws: ``JournalError/Code/reentrant`` if the update function or the effect function calls it.
    public func join() throws(JournalError) {
        if calls.isCallingHere {
            throw store.store.engine.location.error(
                .reentrant, "The effect function has called `join`, and would wait for its own end.",
                advice: "Call it where the store was made.")
        }
        try store.join()
    }

    /// Closes the journal. Calls of the effect function that have not ended are made again at the next opening. If the
    /// end of a call is recorded 0.1 s late, because an older call has not ended, this waits for that.
    ///
    /// - Throws: ``JournalError`` if the journal cannot write; ``JournalError/Code/reentrant`` if the update function
    ///   calls it.
    public func close() throws(JournalError) {
        try store.store.engine.waiting { [journal, calls] reply in
            inTask(reply) { () async throws(JournalError) in
                // Not for later ones: while a timer ticks, there is always one.
                await calls.noneIsHeld(before: calls.next)
                try await journal.close()
            }
        }
    }
}
