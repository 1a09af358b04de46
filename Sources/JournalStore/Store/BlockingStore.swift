import Dispatch

/// A store for callers that cannot `await`: the same machine, the same journal, the same laws.
///
/// Its calls wait for the disk and for reducers, on the thread that calls. So call it from threads, and never from a task, whose thread
/// others need to go on: there, `await` the store itself. Called from a reducer or an observer of its own store it throws.
public struct BlockingStore<Action: Sendable, State: Sendable>: Sendable {
    /// The store behind it.
    public let store: Store<Action, State>

    /// The state after the newest step that is reduced.
    public var state: State { store.state }

    /// Passes the state to a function: the state after the newest reduced step, which stays the same while the function runs.
    public func withState<Result>(_ body: (State) throws -> Result) rethrows -> Result {
        try body(store.state)
    }

    /// Commits an action, reduces it with all that `.next` adds, and starts its effects. Returns then.
    ///
    /// - Throws: ``JournalError`` as the store's own `dispatch`; with the code ``JournalError/Code/reentrant`` from a reducer
    ///   or an observer.
    @discardableResult
    public func dispatch(
        _ action: Action, id: String? = nil, cancelID: (any EffectID)? = nil, priority: TaskPriority? = nil,
        trackingFeedback: Bool = false
    ) throws(JournalError) -> Dispatched<Action> {
        let engine = store.engine
        let entry = try engine.entry(action, id: id, cancelID: try engine.encodeCancelID(cancelID))
        let request = DispatchRequest<Action, State>(
            action, Batch(entries: [entry]), to: engine, priority: priority, tracksFeedback: trackingFeedback)
        try engine.waiting { reply in
            request.reply = .thread { reply(.success(())) }
            engine.admit(request)
        }
        return try request.answers(orThrow: engine.closedError).first
    }

    /// Waits until the effects of a dispatch have ended; with `trackingFeedback` until everything has that they lead to.
    public func join(_ dispatched: Dispatched<Action>) throws(JournalError) {
        try store.engine.waiting { reply in
            Task.detached {
                await dispatched.completion()
                reply(.success(()))
            }
        }
    }

    /// Closes the store; see ``Store/close()``.
    ///
    /// - Throws: ``JournalError`` where the journal cannot write.
    public func close() throws(JournalError) {
        let engine = store.engine
        try engine.waiting { reply in
            Task.detached {
                do throws(JournalError) {
                    try await engine.close()
                    reply(.success(()))
                } catch {
                    reply(.failure(error))
                }
            }
        }
    }
}

extension Store {
    /// The same store for callers that cannot `await`.
    public var blocking: BlockingStore<Action, State> { BlockingStore(store: self) }
}

extension Journal {
    /// Opens a machine on a stream and waits for it; see ``open(_:stream:environment:clock:observers:options:)``.
    ///
    /// - Throws: ``JournalError`` as the other one.
    public func openBlocking<Action, State, Environment>(
        _ machine: Machine<Action, State, Environment>, stream name: String, environment: Environment,
        clock: any Clock<Duration> = ContinuousClock(), observers: [Observer<Action, State>] = [],
        options: OpenOptions = OpenOptions()
    ) throws(JournalError) -> BlockingStore<Action, State> {
        try Waiting<BlockingStore<Action, State>>.for { reply in
            Task.detached {
                do throws(JournalError) {
                    reply(
                        .success(
                            try await self.open(
                                machine, stream: name, environment: environment, clock: clock, observers: observers,
                                options: options
                            ).blocking))
                } catch {
                    reply(.failure(error))
                }
            }
        }
    }
}

extension StoreEngine {
    /// Waits for an answer on this thread.
    fileprivate func waiting<Value: Sendable>(
        _ body: (@escaping @Sendable (Result<Value, JournalError>) -> Void) -> Void
    ) throws(JournalError) -> Value {
        if isDrainingHere {
            throw JournalError(
                .reentrant, "A reducer or an observer has called its own store, and would wait for itself.",
                advice: "Return `.next` from a reducer; dispatch from an effect.", file: location.file,
                stream: location.stream)
        }
        return try Waiting.for(body)
    }
}

/// Waits on a thread for a result from another one.
private enum Waiting<Value: Sendable> {
    static func `for`(
        _ body: (@escaping @Sendable (Result<Value, JournalError>) -> Void) -> Void
    ) throws(JournalError) -> Value {
        let answered = DispatchSemaphore(value: 0)
        let answer = Lock<Result<Value, JournalError>?>(nil)
        body { result in
            answer.withLock { $0 = result }
            answered.signal()
        }
        while true {
            if let result = answer.withLock({ $0 }) { return try result.get() }
            answered.wait()
        }
    }
}
