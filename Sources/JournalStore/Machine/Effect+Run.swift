// Work. Each kind becomes one body, which may send actions and may return a final action. The final action and the end
// of the run are committed together.

extension Effect {
    /// Runs a closure and dispatches the action it returns.
    ///
    /// If the closure throws and no retry follows, the effect has failed: the action of `onFailure` is dispatched;
    /// without one, ``JournalOptions/report`` gets the notice ``Notice/Kind/effectFailed``.
    ///
    /// - Parameters:
    ///   - name: the effect's name in the journal; by default the case of the action that returned it. A restart finds
    ///     the effect by it: two effects of one step need different names or IDs.
    ///   - id: the ID that cancels the effect.
    ///   - queue: the queue that limits how many effects run at once.
    ///   - priority: the task's priority; by default that of the dispatch.
    ///   - delay: the minimum time between the step and the start.
    ///   - restart: what a restart does with the effect.
    ///   - retry: whether the effect is retried when it throws.
    ///   - body: the work. It runs outside the store, even if an actor dispatched the action.
    public static func run(
        _ name: String? = nil, id: (any EffectID)? = nil, queue: (any EffectQueue)? = nil,
        priority: TaskPriority? = nil, delay: Duration = .zero, restart: Restart = .resume, retry: RetryPolicy = .never,
        body: @escaping @concurrent @Sendable (EffectContext) async throws -> Action?
    ) -> Effect {
        withAction(name, id, queue, priority, delay, restart, retry) { _, context in try await body(context) }
    }

    /// Runs a closure that needs no context, and dispatches the action it returns, as the other `run` does.
    public static func run(
        _ name: String? = nil, id: (any EffectID)? = nil, queue: (any EffectQueue)? = nil,
        priority: TaskPriority? = nil, delay: Duration = .zero, restart: Restart = .resume, retry: RetryPolicy = .never,
        body: @escaping @concurrent @Sendable () async throws -> Action?
    ) -> Effect {
        withAction(name, id, queue, priority, delay, restart, retry) { _, _ in try await body() }
    }

    /// Runs a closure that dispatches no action.
    ///
    /// If the closure throws and no retry follows, the effect has failed: the action of `onFailure` is dispatched;
    /// without one, ``JournalOptions/report`` gets the notice ``Notice/Kind/effectFailed``.
    ///
    /// - Parameters:
    ///   - name: the effect's name in the journal; by default the case of the action that returned it. A restart finds
    ///     the effect by it: two effects of one step need different names or IDs.
    ///   - id: the ID that cancels the effect.
    ///   - queue: the queue that limits how many effects run at once.
    ///   - priority: the task's priority; by default that of the dispatch.
    ///   - delay: the minimum time between the step and the start.
    ///   - restart: what a restart does with the effect.
    ///   - retry: whether the effect is retried when it throws.
    ///   - body: the work. It runs outside the store, even if an actor dispatched the action.
    public static func fireAndForget(
        _ name: String? = nil, id: (any EffectID)? = nil, queue: (any EffectQueue)? = nil,
        priority: TaskPriority? = nil, delay: Duration = .zero, restart: Restart = .resume, retry: RetryPolicy = .never,
        run body: @escaping @concurrent @Sendable (EffectContext) async throws -> Void
    ) -> Effect {
        withoutAction(name, id, queue, priority, delay, restart, retry) { _, context in try await body(context) }
    }

    /// Runs a closure that needs no context and dispatches no action, as the other `fireAndForget` does.
    public static func fireAndForget(
        _ name: String? = nil, id: (any EffectID)? = nil, queue: (any EffectQueue)? = nil,
        priority: TaskPriority? = nil, delay: Duration = .zero, restart: Restart = .resume, retry: RetryPolicy = .never,
        run body: @escaping @concurrent @Sendable () async throws -> Void
    ) -> Effect {
        withoutAction(name, id, queue, priority, delay, restart, retry) { _, _ in try await body() }
    }

    /// Runs a closure that can send any number of actions.
    ///
    /// With `autoFinish: false` the effect does not end when the closure returns, so the closure can pass `send` to a
    /// callback or a delegate. It ends at ``Send/finish()``, when the last copy of `send` is released, when the closure
    /// throws, or when it is cancelled. Until then it is a running effect: it holds its queue's slot, and a restart
    /// applies its restart policy, so that `resume` calls the closure again.
    ///
    /// If the closure throws and no retry follows, the effect has failed, just as with `run`. The actions that it sent
    /// stay dispatched.
    ///
    /// - Parameters:
    ///   - name: the effect's name in the journal; by default the case of the action that returned it.
    ///   - id: the ID that cancels the effect.
    ///   - queue: the queue that limits how many effects run at once.
    ///   - priority: the task's priority; by default that of the dispatch.
    ///   - delay: the minimum time between the step and the start.
    ///   - restart: what a restart does with the effect.
    ///   - retry: whether the effect is retried when it throws.
    ///   - autoFinish: whether the effect ends when the closure returns.
    ///   - body: the work. It runs outside the store, even if an actor dispatched the action.
    public static func stream(
        _ name: String? = nil, id: (any EffectID)? = nil, queue: (any EffectQueue)? = nil,
        priority: TaskPriority? = nil, delay: Duration = .zero, restart: Restart = .resume, retry: RetryPolicy = .never,
        autoFinish: Bool = true, body: @escaping @concurrent @Sendable (Send, EffectContext) async throws -> Void
    ) -> Effect {
        withoutAction(name, id, queue, priority, delay, restart, retry) { send, context in
            if autoFinish { return try await body(send, context) }
            let gate = SendGate()
            try await body(gate.guarding(send), context)
            await gate.finished()
        }
    }

    /// Runs a closure that can send any number of actions; see
    /// ``stream(_:id:queue:priority:delay:restart:retry:autoFinish:body:)``.
    public static func stream(
        _ name: String? = nil, id: (any EffectID)? = nil, queue: (any EffectQueue)? = nil,
        priority: TaskPriority? = nil, delay: Duration = .zero, restart: Restart = .resume, retry: RetryPolicy = .never,
        autoFinish: Bool = true, body: @escaping @concurrent @Sendable (Send) async throws -> Void
    ) -> Effect {
        stream(
            name, id: id, queue: queue, priority: priority, delay: delay, restart: restart, retry: retry,
            autoFinish: autoFinish
        ) { send, _ in try await body(send) }
    }

    /// Dispatches each action of a sequence. After a restart or a retry the closure is called again, and all actions of
    /// the new sequence are dispatched: return `context.undelivered(actions)` if it begins with the same ones each
    /// time.
    ///
    /// If the closure or the sequence throws and no retry follows, the effect has failed, just as with `run`. The
    /// actions that were dispatched before stay dispatched.
    ///
    /// - Parameters:
    ///   - name: the effect's name in the journal; by default the case of the action that returned it. A restart finds
    ///     the effect by it: two effects of one step need different names or IDs.
    ///   - id: the ID that cancels the effect.
    ///   - queue: the queue that limits how many effects run at once.
    ///   - priority: the task's priority; by default that of the dispatch.
    ///   - delay: the minimum time between the step and the start.
    ///   - restart: what a restart does with the effect.
    ///   - retry: whether the effect is retried when it throws.
    ///   - makeSequence: returns the actions. It runs outside the store, even if an actor dispatched the action.
    public static func sequence<Actions: AsyncSequence & SendableMetatype>(
        _ name: String? = nil, id: (any EffectID)? = nil, queue: (any EffectQueue)? = nil,
        priority: TaskPriority? = nil, delay: Duration = .zero, restart: Restart = .resume, retry: RetryPolicy = .never,
        of makeSequence: @escaping @concurrent @Sendable (EffectContext) async throws -> Actions
    ) -> Effect where Actions.Element == Action, Actions.AsyncIterator: SendableMetatype {
        withoutAction(name, id, queue, priority, delay, restart, retry) { send, context in
            for try await action in try await makeSequence(context) { try await send(action) }
        }
    }

    /// Runs a closure that is neither recorded nor resumed after a restart, such as logging or an animation.
    ///
    /// It has no record: it is not retried, not listed, and a restart forgets it. Its ID and its queue work as usual.
    /// If the process ends before the outcome of the step is recorded, the next opening starts it again with the step.
    ///
    /// If the closure throws, the effect has failed, and nothing records that: the action of `onFailure` is dispatched;
    /// without one, ``JournalOptions/report`` gets the notice ``Notice/Kind/effectFailed``.
    ///
    /// - Parameters:
    ///   - name: the effect's name in the journal; by default the case of the action that returned it.
    ///   - id: the ID that cancels the effect.
    ///   - queue: the queue that limits how many effects run at once.
    ///   - priority: the task's priority; by default that of the dispatch.
    ///   - delay: the minimum time between the step and the start.
    ///   - body: the work. It runs outside the store, even if an actor dispatched the action.
    public static func ephemeral(
        _ name: String? = nil, id: (any EffectID)? = nil, queue: (any EffectQueue)? = nil,
        priority: TaskPriority? = nil, delay: Duration = .zero,
        body: @escaping @concurrent @Sendable (EffectContext) async throws -> Void
    ) -> Effect {
        withoutAction(name, id, queue, priority, delay, isEphemeral: true) { _, context in try await body(context) }
    }

    /// A run whose body may return a final action.
    private static func withAction(
        _ name: String?, _ id: (any EffectID)?, _ queue: (any EffectQueue)?, _ priority: TaskPriority?,
        _ delay: Duration, _ restart: Restart = .resume, _ retry: RetryPolicy = .never, isEphemeral: Bool = false,
        body: @escaping Body
    ) -> Effect {
        Effect(
            Run(
                name: name, id: id.map(AnyEffectID.init), queue: queue, priority: priority, delay: delay,
                restart: restart, retry: retry, isEphemeral: isEphemeral, work: .closure(body)))
    }

    /// A run whose body returns nothing.
    private static func withoutAction(
        _ name: String?, _ id: (any EffectID)?, _ queue: (any EffectQueue)?, _ priority: TaskPriority?,
        _ delay: Duration, _ restart: Restart = .resume, _ retry: RetryPolicy = .never, isEphemeral: Bool = false,
        body: @escaping @concurrent @Sendable (Send, EffectContext) async throws -> Void
    ) -> Effect {
        withAction(name, id, queue, priority, delay, restart, retry, isEphemeral: isEphemeral) { send, context in
            try await body(send, context)
            return nil
        }
    }
}
