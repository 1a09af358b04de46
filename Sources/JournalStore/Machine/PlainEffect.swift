/// A function that is called after each update, with the new state, the action, and a function that dispatches actions.
///
/// It may pass `dispatch` on and call it later, from any thread. Its effect runs until no copy of `dispatch` is left, or
/// an action cannot be stored. If it is called again after a kill, it can dispatch an action a second time.
public typealias PlainEffect<State, Action> =
    @Sendable (
        _ state: State, _ action: Action, _ dispatch: @escaping @Sendable (Action) -> Void
    ) -> Void

extension Machine where Environment == Void {
    /// Creates a machine from a function that changes the state and one that is called after each update.
    ///
    /// The calls of `effect` are made one at a time in each store, in the order of the steps, and may block. Each is a
    /// recorded effect: one that had not ended when the process did is called again at the next opening.
    ///
    /// One call can end an older one, as `stop` ends a timer that `start` has begun. Both ends are recorded together:
    /// while an older call has not ended, the end of a call is recorded 0.1 s later. If the process is killed before
    /// that, both are called again, in their order.
    public init(
        _ name: String, version: Int = 1, initialState: State,
        update: @escaping @Sendable (inout State, Action) -> Void, effect: @escaping PlainEffect<State, Action>
    ) {
        self.init(name, version: version, initialState: initialState, update: update, effect: effect, calls: nil)
    }

    /// - Parameter calls: what counts the calls; nil if each store of the machine counts its own.
    init(
        _ name: String, version: Int = 1, initialState: State,
        update: @escaping @Sendable (inout State, Action) -> Void, effect: @escaping PlainEffect<State, Action>,
        calls: PlainCalls?
    ) {
        self.init(name, version: version, initialState: initialState) { action, state, _ in
            update(&state, action)
            return .calling(effect, state, action, calls)
        }
    }
}

extension Effect {
    /// Calls a plain effect, and sends what it dispatches.
    fileprivate static func calling<State: Sendable>(
        _ effect: @escaping PlainEffect<State, Action>, _ state: State, _ action: Action, _ calls: PlainCalls?
    ) -> Effect {
        let run = Effect.stream { send, context in
            guard let calls = context.calls else { return }
            let (actions, continuation) = AsyncStream<Action>.makeStream()
            let ticket = calls.call { call(effect, state, action, ActionSource(continuation)) }
            do {
                for await action in actions { try await send(action) }
            } catch {
                calls.fenced(ticket)
                throw error
            }
            try await calls.end(ticket, context.clock)
        }
        return run.changingRuns { ($0.calls, $0.startsInOrder) = (calls, true) }
    }

    /// A function of its own, so that its caller keeps no copy of `dispatch`.
    private static func call<State>(
        _ effect: PlainEffect<State, Action>, _ state: State, _ action: Action, _ source: ActionSource<Action>
    ) {
        effect(state, action) { source.continuation.yield($0) }
    }
}

/// What all copies of a `dispatch` share. When the last of them is released, no more actions come.
private final class ActionSource<Action: Sendable>: Sendable {
    let continuation: AsyncStream<Action>.Continuation

    init(_ continuation: AsyncStream<Action>.Continuation) { self.continuation = continuation }

    deinit { continuation.finish() }
}
