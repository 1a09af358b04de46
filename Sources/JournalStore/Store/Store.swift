/// A machine at work on a stream of a journal: what is dispatched is committed, then reduced, then its effects are carried out.
///
/// Everything can be used from any thread or task. When the last reference goes, running effects are cut off and their tasks cancelled;
/// in the journal they stay running, and the next opening looks after them.
///
/// ```swift
/// let journal = try Journal(path: "shop.db")
/// let store = try await journal.open(cart, stream: "cart-42", environment: shop)
/// try await store.dispatch(.add(item))
/// print(store.state)
/// ```
public final class Store<Action: Sendable, State: Sendable>: Sendable {
    let engine: StoreEngine<Action, State>

    /// What its opening found and did.
    public let recovery: RecoveryReport

    init(_ engine: StoreEngine<Action, State>, recovery: RecoveryReport) {
        self.engine = engine
        self.recovery = recovery
    }

    deinit {
        // The next opening of the stream waits until the release is finished.
        engine.stream.journal.beginRelease(of: engine.stream.name)
        engine.postElsewhere(.abandon)
    }

    /// The stream's name.
    public var stream: String { engine.stream.name }

    /// The state after the newest step that is reduced. What a dispatch returned for is in it.
    public var state: State { engine.broadcast.state }

    // MARK: Dispatching

    /// Commits an action, reduces it with all that `.next` adds, and starts its effects. Returns then.
    ///
    /// Actions are reduced in the order of their steps, which is the order of their arrival. A task that is cancelled does not take
    /// an action back that was handed in.
    ///
    /// - Parameters:
    ///   - action: the action.
    ///   - id: the caller's own ID of this dispatch. The same again gives the first one's step and does nothing else.
    ///   - cancelID: an ID by which a reducer can cancel all effects of this dispatch, and what they led to.
    ///   - priority: of its effects, and of those that they lead to.
    ///   - trackingFeedback: whether ``Dispatched/completion()`` and ``Dispatched/results`` mean everything its effects lead to.
    /// - Throws: ``JournalError``. Unless its code is ``JournalError/Code/outcomeUnknown`` nothing was appended, and the state is
    ///   as it was.
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

    /// Commits many actions in one transaction, all of them or none, and reduces them one after the other.
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
        return [answers.first] + answers.others
    }

    /// Dispatches an action, and returns the first state that meets a condition: the one after this action, or a later one.
    ///
    /// - Throws: ``JournalError`` as ``dispatch(_:id:cancelID:priority:trackingFeedback:)``, also when the store ends before
    ///   there is such a state; `CancellationError` where the task is cancelled.
    @concurrent public func dispatch(
        _ action: Action, id: String? = nil, until condition: @escaping @Sendable (State) -> Bool
    ) async throws -> State {
        let waiting = Lock<DispatchRequest<Action, State>?>(nil)
        let batch = Batch(entries: [try engine.entry(action, id: id)])
        return try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                let request = DispatchRequest(
                    action, batch, to: engine, reply: .until(condition) { continuation.resume(with: $0) })
                waiting.withLock { $0 = request }
                engine.admit(request)
                // A cancellation that came before there was a request has found none.
                if Task.isCancelled { engine.post(.forget(request)) }
            }
        } onCancel: {
            if let request = waiting.withLock({ $0 }) { engine.post(.forget(request)) }
        }
    }

    private func answers(
        to request: DispatchRequest<Action, State>
    ) async throws(JournalError) -> (first: Dispatched<Action>, others: [Dispatched<Action>]) {
        // Resumed exactly once: the engine answers each request that it admits, and refuses the others.
        await withUnsafeContinuation { continuation in
            request.reply = .task(continuation)
            engine.admit(request)
        }
        return try request.answers(orThrow: engine.closedError)
    }

    // MARK: Listening

    /// The present state, then each later one; those that come at the same time are given together. A listener that
    /// does not keep up is given the newest 256 of those it missed.
    public var states: AsyncStream<State> { engine.broadcast.states(buffering: 256) }

    /// The steps from one on, past and present, without a gap or a double.
    ///
    /// - Parameter step: the first; by default the one after the newest.
    public func transitions(from step: Int? = nil) -> TransitionSequence<Action, State> {
        TransitionSequence(engine: engine, start: max(1, step ?? engine.broadcast.step + 1))
    }

    // MARK: Effects

    /// Cancels the effects of that ID, those that run and those that wait. Returns once that is committed.
    ///
    /// - Throws: ``JournalError`` where the journal cannot write.
    public func cancel(id: some EffectID) async throws(JournalError) {
        try await engine.cancel(.id(AnyEffectID(id)))
    }

    /// Cancels the effects whose ID meets a condition; those without an ID are asked for with nil.
    ///
    /// - Throws: ``JournalError`` where the journal cannot write.
    public func cancel(ids condition: @escaping @Sendable (AnyEffectID?) -> Bool) async throws(JournalError) {
        try await engine.cancel(.condition(condition))
    }

    // MARK: The end

    /// Commits the records of effects that wait for a transaction to ride along with. Without it they follow within moments.
    ///
    /// - Throws: ``JournalError`` where the journal cannot write.
    public func flush() async throws(JournalError) {
        try await engine.ask { .flush($0) }
    }

    /// Waits for what was dispatched, keeps the state, and closes the stream, so that it can be opened again. Running effects are cut
    /// off, and stay recorded as running: the next opening looks after them. Afterwards every call says that the store is closed.
    ///
    /// - Throws: ``JournalError`` where the journal cannot write.
    public func close() async throws(JournalError) {
        try await engine.close()
    }

    /// Cancels effects, so that the next opening finds them cancelled, and closes.
    ///
    /// - Parameter condition: which ones, by their ID; by default all.
    /// - Throws: ``JournalError`` where the journal cannot write.
    public func shutdown(
        cancelling condition: @escaping @Sendable (AnyEffectID?) -> Bool = { _ in true }
    ) async throws(JournalError) {
        try await engine.cancel(.condition(condition))
        try await engine.close()
    }
}
