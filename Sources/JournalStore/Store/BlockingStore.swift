/// A store for callers that cannot `await`. It has the same guarantees.
///
/// Its calls block the calling thread while the disk writes and reducers run. Never call it from a task, because tasks
/// share their threads: `await` ``store`` there. A call from a reducer or an observer of the same store throws.
public struct BlockingStore<Action: Sendable, State: Sendable>: Sendable {
    /// The store that it calls.
    public let store: Store<Action, State>

    /// The state after the newest reduced step.
    public var state: State { store.state }

    /// Passes a copy of the state after the newest reduced step to a function.
    public func withState<Result>(_ body: (State) throws -> Result) rethrows -> Result {
        try body(store.state)
    }

    /// Commits an action, reduces it and its cascade, starts its effects, and returns.
    ///
    /// - Throws: ``JournalError`` as ``Store/dispatch(_:id:cancelID:priority:trackingFeedback:)``; with the code
    ///   ``JournalError/Code/reentrant`` if a reducer or an observer of the store calls it.
    @discardableResult
    public func dispatch(
        _ action: Action, id: String? = nil, cancelID: (any EffectID)? = nil, priority: TaskPriority? = nil,
        trackingFeedback: Bool = false
    ) throws(JournalError) -> Dispatched<Action> {
        let engine = store.engine
        let entry = try engine.entry(action, id: id, cancelID: try engine.encodeCancelID(cancelID))
        let request = DispatchRequest<Action, State>(
            action, Batch(entries: [entry]), to: engine, priority: priority, tracksFeedback: trackingFeedback)
        request.blocksThread = true
        try engine.waiting { reply in
            request.reply = .thread { reply(.success(())) }
            engine.admit(request)
        }
        return try request.answers(orThrow: engine.closedError).first
    }

    /// Cancels the effects of a dispatch and all effects they led to; see ``Dispatched/cancel()``.
    ///
    /// - Throws: ``JournalError`` as that method; ``JournalError/Code/reentrant`` if a reducer or an observer of the
    ///   store calls it.
    public func cancel(_ dispatched: Dispatched<Action>) throws(JournalError) {
        try store.engine.waiting { reply in
            inTask(reply) { () async throws(JournalError) in try await dispatched.canceller.cancel(dispatched.step) }
        }
    }

    /// Cancels the effects with an ID, running or waiting, as the same method of ``Store``.
    ///
    /// - Throws: ``JournalError`` as that method; ``JournalError/Code/reentrant`` if a reducer or an observer of the
    ///   store calls it.
    public func cancel(id: some EffectID) throws(JournalError) {
        // Not the store: the caller may release it before the task has ended.
        try store.engine.waiting { [engine = store.engine] reply in
            inTask(reply) { () async throws(JournalError) in try await engine.cancel(.id(AnyEffectID(id))) }
        }
    }

    /// Cancels the effects with an ID; nil cancels nothing.
    ///
    /// - Throws: ``JournalError`` as with an ID that is not optional.
    public func cancel<ID: EffectID>(id: ID?) throws(JournalError) {
        if let id { try cancel(id: id) }
    }

    /// Waits until the effects of a dispatch have ended; with `trackingFeedback`, also all effects they lead to.
    ///
    /// - Throws: ``JournalError/Code/reentrant`` if a reducer or an observer of the store calls it.
    public func join(_ dispatched: Dispatched<Action>) throws(JournalError) {
        try store.engine.waiting { reply in
            inTask(reply) { () async throws(JournalError) in await dispatched.completion() }
        }
    }

    /// Waits until no effect runs or waits; see ``Store/join()``. An effect that calls it waits for itself.
    ///
    /// - Throws: ``JournalError/Code/reentrant`` if a reducer or an observer of the store calls it.
    public func join() throws(JournalError) {
        let engine = store.engine
        try engine.waiting { reply in engine.post(.join(Join(bodiesOnly: false) { reply(.success(())) })) }
    }

    /// Closes the store; see ``Store/close()``.
    ///
    /// - Throws: ``JournalError`` if the journal is closed or cannot write.
    public func close() throws(JournalError) {
        try store.engine.waiting { reply in
            inTask(reply) { () async throws(JournalError) in try await store.close() }
        }
    }
}

extension Store {
    /// The same store for callers that cannot `await`.
    public var blocking: BlockingStore<Action, State> { BlockingStore(store: self) }
}

extension Journal {
    /// Opens a machine on a stream and waits for it; see ``open(_:stream:environment:clock:observers:options:)``. It blocks
    /// the thread: never call it from a task.
    ///
    /// - Throws: ``JournalError`` as that method.
    public func openBlocking<Action, State, Environment>(
        _ machine: Machine<Action, State, Environment>, stream name: String, environment: Environment,
        clock: any Clock<Duration> = ContinuousClock(), observers: [Observer<Action, State>] = [],
        options: OpenOptions = OpenOptions()
    ) throws(JournalError) -> BlockingStore<Action, State> {
        let answer = AnswerBox<BlockingStore<Action, State>>()
        Task.detached {
            await answer.fill { () async throws(JournalError) in
                try await self.open(
                    machine, stream: name, environment: environment, clock: clock, observers: observers,
                    options: options
                ).blocking
            }
            answer.wake()
        }
        return try answer.wait()
    }

    /// Opens a machine that needs no environment; see ``openBlocking(_:stream:environment:clock:observers:options:)``.
    public func openBlocking<Action, State>(
        _ machine: Machine<Action, State, Void>, stream name: String, clock: any Clock<Duration> = ContinuousClock(),
        observers: [Observer<Action, State>] = [], options: OpenOptions = OpenOptions()
    ) throws(JournalError) -> BlockingStore<Action, State> {
        try openBlocking(
            machine, stream: name, environment: (), clock: clock, observers: observers, options: options)
    }

    /// Closes the journal and waits for it; see ``close()``. A reducer or an observer must not call it: it would wait
    /// for itself. Nor must the main thread, if middleware needs the main actor.
    ///
    /// - Throws: ``JournalError`` as that method.
    public func closeBlocking() throws(JournalError) {
        try Waiting<Void>.for { reply in
            inTask(reply) { () async throws(JournalError) in try await self.close() }
        }
    }
}

extension StoreEngine {
    /// Blocks this thread until the answer is there.
    func waiting<Value: Sendable>(
        _ body: (@escaping @Sendable (Result<Value, JournalError>) -> Void) -> Void
    ) throws(JournalError) -> Value {
        if isDrainingHere {
            throw location.error(
                .reentrant, "A reducer or an observer has called its own store, and would wait for itself.",
                advice: "Return `.next` from a reducer, dispatch from an effect, and cancel, join or close elsewhere.")
        }
        return try Waiting.for(body)
    }
}
