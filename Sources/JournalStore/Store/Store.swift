/// A machine opened on a stream: it commits each dispatched action, then reduces it, then runs its effects.
///
/// All members can be used from any thread or task. When the last reference is released, running bodies are cut off
/// (nothing that they send counts any more) and their tasks cancelled. Their records stay unchanged: the next opening
/// applies the restart policies. In the background a snapshot is stored, if the policy wants one; ``Journal/close()``
/// waits for that.
///
/// ```swift
/// let journal = try Journal(path: "shop.db")
/// let store = try await journal.open(cart, stream: "cart-42", environment: shop)
/// try await store.dispatch(.add(item))
/// print(store.state)
/// ```
public final class Store<Action: Sendable, State: Sendable>: Sendable {
    let engine: StoreEngine<Action, State>
    private let report: KeptReport

    init(_ engine: StoreEngine<Action, State>, recovery: RecoveryReport) {
        self.engine = engine
        report = KeptReport(recovery)
    }

    deinit {
        // The next opening of the stream waits until the release is finished.
        engine.stream.journal.beginRelease(of: engine.stream.name)
        engine.postElsewhere(.abandon)
    }

    /// What the opening found and did.
    public var recovery: RecoveryReport { report.whole }

    /// The stream's name.
    public var stream: String { engine.stream.name }

    /// The state after the newest reduced step. It includes each action whose dispatch has returned.
    ///
    /// While a reducer runs, this waits until it returns. After ten milliseconds, or in the reducer itself, the state
    /// before that step is computed from the journal instead, unless the reducer returns first; and the store keeps a
    /// second state from then on, so that later reads need not wait, and reduces each step twice. If you keep a copy of a
    /// large state, the next step copies what it changes, once.
    public var state: State { engine.newestState.state }

    /// Why the store has ended although nobody closed it; nil while it works, and if it was closed before that.
    ///
    /// A store ends with its journal, at the next step that the journal cannot take: ``states`` ends, ``join()``
    /// returns, and running bodies are cancelled. After an orderly end this property is nil.
    /// ``Notice/Kind/journalStopped`` is reported at once.
    public var failure: JournalError? { engine.failure }

    /// The state with its step.
    package var newest: (state: State, step: Int) { engine.newestState }

    /// Where a mirror waits for the next step without keeping the store alive.
    package var broadcast: StateBroadcast<State> { engine.broadcast }

    // MARK: Dispatching

    /// Commits an action, reduces it and its cascade, starts its effects, and returns.
    ///
    /// When it returns, the action is committed with the options' durability. Its outcome is recorded in a later
    /// transaction; if the process ends before that, the next opening reduces the step again. Actions are reduced in
    /// the order of their arrival. Cancelling the task does not revoke an action that was submitted.
    ///
    /// - Parameters:
    ///   - action: the action.
    ///   - id: the dispatch ID, one of the stream. It must not be empty. A second dispatch of the same action with the
    ///     same ID appends nothing and returns the first one's step and ``Dispatched/rejection``; of another action,
    ///     it throws ``JournalError/Code/dispatchIDReused``.
    ///   - cancelID: an ID that cancels all effects of this dispatch and all that they lead to in its stream.
    ///   - priority: the priority of its effects and of those they lead to, unless an effect has its own. It is
    ///     recorded with them, so a restart keeps it; only a process that ends before that loses it.
    ///   - trackingFeedback: whether the result also tracks the effects of the actions that its effects send. While
    ///     effects of the first dispatch with the same ID are followed in this process, a repeated one follows them in
    ///     the same way.
    /// - Throws: ``JournalError``. Unless its code is ``JournalError/Code/outcomeUnknown`` or
    ///   ``JournalError/Code/fenced``, nothing was appended and
    ///   the state is unchanged.
    @discardableResult
    @concurrent public func dispatch(
        _ action: Action, id: String? = nil, cancelID: (any EffectID)? = nil, priority: TaskPriority? = nil,
        trackingFeedback: Bool = false
    ) async throws(JournalError) -> Dispatched<Action> {
        let entry = try engine.entry(action, id: id, cancelID: try engine.encodeCancelID(cancelID))
        let request = DispatchRequest<Action, State>(
            action, Batch(entries: [entry]), to: engine, priority: priority, tracksFeedback: trackingFeedback)
        return try await answers(to: request).first
    }

    /// Commits many actions in one transaction, all of them or none, and reduces them one after another.
    ///
    /// - Throws: ``JournalError`` as ``dispatch(_:id:cancelID:priority:trackingFeedback:)``.
    @discardableResult
    @concurrent public func dispatch(
        contentsOf actions: some Sequence<Action> & Sendable, cancelID: (any EffectID)? = nil,
        priority: TaskPriority? = nil, trackingFeedback: Bool = false
    ) async throws(JournalError) -> [Dispatched<Action>] {
        let actions = Array(actions)
        let entries = try await engine.entries(actions, cancelID: try engine.encodeCancelID(cancelID))
        guard let first = actions.first else {
            if engine.isClosed { throw engine.refusal }
            return []
        }
        let request = DispatchRequest<Action, State>(
            first, others: actions[1...], Batch(entries: entries), to: engine, priority: priority,
            tracksFeedback: trackingFeedback)
        let answers = try await answers(to: request)
        return [answers.first] + (answers.others ?? [])
    }

    /// Dispatches an action and returns the first state that meets a condition: the one after it or a later one. It
    /// also waits for a later one if the action is rejected.
    ///
    /// If the dispatch ID was used before, the first state is the current one: those between the first dispatch and this
    /// one are not looked at, so a state that has passed is waited for in vain. Let the condition of a call that can be
    /// repeated include the states that follow.
    ///
    /// The condition is called between two steps, while the store can reduce nothing: it must be quick, and must not
    /// call the store.
    ///
    /// - Throws: ``JournalError`` as ``dispatch(_:id:cancelID:priority:trackingFeedback:)``. Also if the store ends
    ///   before such a state, and `CancellationError` if the task is cancelled: then the action can be committed,
    ///   unless the task was cancelled before the call.
    @discardableResult
    @concurrent public func dispatch(
        _ action: Action, id: String? = nil, until condition: @escaping @Sendable (State) -> Bool
    ) async throws -> State {
        try Task.checkCancellation()
        let waiting = Lock<DispatchRequest<Action, State>?>(nil)
        let batch = Batch(entries: [try engine.entry(action, id: id)])
        return try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                let request = DispatchRequest<Action, State>(action, batch, to: engine, waitsForState: true)
                request.reply = .until(condition) { continuation.resume(with: $0) }
                waiting.withLock { $0 = request }
                engine.admit(request)
                // A cancellation before the request was stored found nothing to forget.
                if Task.isCancelled { engine.post(.forget(request)) }
            }
        } onCancel: {
            // Not here: the task is locked while it is cancelled, and the store's work can wait for such a lock.
            if let request = waiting.withLock({ $0 }) { engine.postElsewhere(.forget(request)) }
        }
    }

    func answers(
        to request: DispatchRequest<Action, State>
    ) async throws(JournalError) -> (first: Dispatched<Action>, others: [Dispatched<Action>]?) {
        // Resumed exactly once: the engine answers each request that it admits, and refuses the others.
        await withUnsafeContinuation { continuation in
            request.reply = .task(continuation)
            engine.admit(request)
        }
        return try request.answers(orThrow: engine.closedError)
    }

    // MARK: Listening

    /// The current state, then that after each later step, until the store ends: a step that was rejected, or changed
    /// nothing, gives an equal state. States of quick steps can arrive together. A
    /// state that comes within two milliseconds of the one before it can arrive with the one after it. A
    /// consumer that falls behind gets only the newest 256 of the states that wait.
    public var states: AsyncStream<State> { engine.states(buffering: 256) }

    /// Past and new steps in order, each exactly once. Each such sequence reduces every step again, beside the store. Its
    /// iterator throws if the first step was pruned.
    ///
    /// - Parameter step: the first step; by default the one after the newest.
    public func transitions(from step: Int? = nil) -> TransitionSequence<Action, State> {
        TransitionSequence(engine: engine, start: max(1, step ?? engine.broadcast.step + 1))
    }

    // MARK: Effects

    /// Cancels the effects with an ID, and those of dispatches with this cancel ID, running or waiting. Returns once
    /// their records are committed.
    ///
    /// - Throws: ``JournalError`` if the store has ended or the journal cannot write.
    @concurrent public func cancel(id: some EffectID) async throws(JournalError) {
        try await engine.cancel(.id(AnyEffectID(id)))
    }

    /// Cancels the effects with an ID; nil cancels nothing.
    ///
    /// - Throws: ``JournalError`` as with an ID that is not optional.
    @concurrent public func cancel<ID: EffectID>(id: ID?) async throws(JournalError) {
        if let id { try await cancel(id: id) }
    }

    /// Cancels the effects whose ID meets a condition, and those of dispatches whose cancel ID does. It gets nil for
    /// effects without an ID. It is called while no step can be reduced: it must be quick, and must not call the store.
    ///
    /// - Throws: ``JournalError`` if the store has ended or the journal cannot write.
    @concurrent public func cancel(ids condition: @escaping @Sendable (AnyEffectID?) -> Bool) async throws(JournalError)
    {
        try await engine.cancel(.condition(condition))
    }

    /// Returns once no effect runs or waits, with all that they lead to; effects that are asked or parked do not count.
    /// Returns early if the store ends (see ``failure``) or the task is cancelled. A repeated timer never ends by
    /// itself.
    public func join() async {
        await join(bodiesOnly: false)
    }

    /// - Parameter bodiesOnly: whether effects without a running body do not count: those that wait, and timers.
    func join(bodiesOnly: Bool) async {
        let isQuiet = Watched(false)
        let join = Join(bodiesOnly: bodiesOnly) { isQuiet.change { $0 = true } }
        engine.post(.join(join))
        if await isQuiet.wait(for: { $0 ? true : nil }) == nil { engine.post(.leave(join)) }
    }

    // MARK: The end

    /// Commits the deferred records of steps and effects. Without it, they are committed within milliseconds.
    ///
    /// - Throws: ``JournalError`` if the store has ended or the journal cannot write.
    @concurrent public func flush() async throws(JournalError) {
        try await engine.ask { .flush($0) }
    }

    /// Waits for dispatched actions, commits all records, stores a snapshot if the policy wants one, and closes the
    /// stream, which can then be opened again. Running bodies are cut off; their runs stay recorded as running, so the
    /// next opening applies the restart policies. Runs whose bodies were about to begin for the first time wait, and the
    /// next opening starts them. Calls that dispatch, cancel, list or flush throw ``JournalError/Code/closed``
    /// afterwards.
    ///
    /// - Throws: ``JournalError`` if the journal is closed or cannot write. The store is closed all the same: an effect
    ///   whose end could not be written counts as not ended.
    @concurrent public func close() async throws(JournalError) {
        // Also if it throws: the stream is closed all the same.
        defer { engine.stream.journal.hosts.mustReopen(stream, of: engine.program.name) }
        try await engine.close()
    }

    /// Cancels effects, commits their records, and closes the store: the next opening finds these effects cancelled.
    /// The action of an `onCancel` is sent before the store is closed, or by the next opening. Messages to other
    /// machines are not cancelled.
    ///
    /// - Parameter condition: whether to cancel an effect, given its ID, or the effects of a dispatch, given its cancel
    ///   ID; `{ _ in true }` cancels all.
    /// - Throws: ``JournalError`` if the store has ended or the journal cannot write. If the cancellation could not be
    ///   committed, the store is not closed: the effects have stopped, and a later transaction records that.
    @concurrent public func close(
        cancelling condition: @escaping @Sendable (AnyEffectID?) -> Bool
    ) async throws(JournalError) {
        try await engine.cancel(.condition(condition))
        try await close()
    }
}
