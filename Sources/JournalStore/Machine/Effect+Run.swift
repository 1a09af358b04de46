// Work. Every kind comes down to one body, which may send, and may return a last action. The last action and the end of the
// run are committed together.

extension Effect {
    /// Runs something, and dispatches what it returns.
    ///
    /// - Parameters:
    ///   - name: what it is called in the journal. By default the case of the action that returned it. It finds the effect again after a
    ///     restart: two of one step need different names or IDs.
    ///   - id: what it can be cancelled by.
    ///   - queue: how many like it run at once.
    ///   - priority: of the task; by default that of the dispatch.
    ///   - delay: how long after the step it starts at the earliest.
    ///   - restart: what a restart does with it.
    ///   - retry: whether it is tried again when it throws.
    ///   - body: the work. It runs outside the store, also when the dispatch came from an actor.
    public static func run(
        _ name: String? = nil, id: (any EffectID)? = nil, queue: (any EffectQueue)? = nil,
        priority: TaskPriority? = nil, delay: Duration = .zero, restart: Restart = .resume, retry: RetryPolicy = .never,
        body: @escaping @concurrent @Sendable (EffectContext) async throws -> Action?
    ) -> Effect {
        Effect(
            Run(
                name: name, id: id.map(AnyEffectID.init), queue: queue, priority: priority, delay: delay,
                restart: restart, retry: retry, work: .closure { _, context in try await body(context) }))
    }

    /// Runs something, and dispatches what it returns.
    public static func run(
        _ name: String? = nil, id: (any EffectID)? = nil, queue: (any EffectQueue)? = nil,
        priority: TaskPriority? = nil, delay: Duration = .zero, restart: Restart = .resume, retry: RetryPolicy = .never,
        body: @escaping @concurrent @Sendable () async throws -> Action?
    ) -> Effect {
        Effect(
            Run(
                name: name, id: id.map(AnyEffectID.init), queue: queue, priority: priority, delay: delay,
                restart: restart, retry: retry, work: .closure { _, _ in try await body() }))
    }

    /// Runs something that has nothing to say.
    public static func fireAndForget(
        _ name: String? = nil, id: (any EffectID)? = nil, queue: (any EffectQueue)? = nil,
        priority: TaskPriority? = nil, delay: Duration = .zero, restart: Restart = .resume, retry: RetryPolicy = .never,
        body: @escaping @concurrent @Sendable (EffectContext) async throws -> Void
    ) -> Effect {
        Effect(
            Run(
                name: name, id: id.map(AnyEffectID.init), queue: queue, priority: priority, delay: delay,
                restart: restart, retry: retry,
                work: .closure { _, context in
                    try await body(context)
                    return nil
                }))
    }

    /// Runs something that has nothing to say.
    public static func fireAndForget(
        _ name: String? = nil, id: (any EffectID)? = nil, queue: (any EffectQueue)? = nil,
        priority: TaskPriority? = nil, delay: Duration = .zero, restart: Restart = .resume, retry: RetryPolicy = .never,
        body: @escaping @concurrent @Sendable () async throws -> Void
    ) -> Effect {
        fireAndForget(
            name, id: id, queue: queue, priority: priority, delay: delay, restart: restart, retry: retry
        ) { _ in try await body() }
    }

    /// Runs something that dispatches as often as it likes.
    public static func stream(
        _ name: String? = nil, id: (any EffectID)? = nil, queue: (any EffectQueue)? = nil,
        priority: TaskPriority? = nil, delay: Duration = .zero, restart: Restart = .resume, retry: RetryPolicy = .never,
        body: @escaping @concurrent @Sendable (Send, EffectContext) async throws -> Void
    ) -> Effect {
        Effect(
            Run(
                name: name, id: id.map(AnyEffectID.init), queue: queue, priority: priority, delay: delay,
                restart: restart, retry: retry,
                work: .closure { send, context in
                    try await body(send, context)
                    return nil
                }))
    }

    /// Runs something that dispatches as often as it likes.
    public static func stream(
        _ name: String? = nil, id: (any EffectID)? = nil, queue: (any EffectQueue)? = nil,
        priority: TaskPriority? = nil, delay: Duration = .zero, restart: Restart = .resume, retry: RetryPolicy = .never,
        body: @escaping @concurrent @Sendable (Send) async throws -> Void
    ) -> Effect {
        stream(
            name, id: id, queue: queue, priority: priority, delay: delay, restart: restart, retry: retry
        ) { send, _ in try await body(send) }
    }

    /// Dispatches each action of a sequence. ``EffectContext/delivered`` tells how many of its actions are in the journal from before a
    /// restart.
    public static func sequence<Actions: AsyncSequence & SendableMetatype>(
        _ name: String? = nil, id: (any EffectID)? = nil, queue: (any EffectQueue)? = nil,
        priority: TaskPriority? = nil, delay: Duration = .zero, restart: Restart = .resume, retry: RetryPolicy = .never,
        of makeSequence: @escaping @concurrent @Sendable (EffectContext) async throws -> Actions
    ) -> Effect where Actions.Element == Action, Actions.AsyncIterator: SendableMetatype {
        stream(
            name, id: id, queue: queue, priority: priority, delay: delay, restart: restart, retry: retry
        ) { send, context in
            for try await action in try await makeSequence(context) { try await send(action) }
        }
    }

    /// Dispatches each action of a sequence.
    public static func sequence<Actions: AsyncSequence & SendableMetatype>(
        _ name: String? = nil, id: (any EffectID)? = nil, queue: (any EffectQueue)? = nil,
        priority: TaskPriority? = nil, delay: Duration = .zero, restart: Restart = .resume, retry: RetryPolicy = .never,
        of makeSequence: @escaping @concurrent @Sendable () async throws -> Actions
    ) -> Effect where Actions.Element == Action, Actions.AsyncIterator: SendableMetatype {
        sequence(
            name, id: id, queue: queue, priority: priority, delay: delay, restart: restart, retry: retry
        ) { _ in try await makeSequence() }
    }

    /// Runs something that is neither recorded nor resumed after a restart: a line in a log, an animation.
    public static func ephemeral(
        _ name: String? = nil, id: (any EffectID)? = nil, queue: (any EffectQueue)? = nil,
        priority: TaskPriority? = nil, delay: Duration = .zero,
        body: @escaping @concurrent @Sendable (EffectContext) async throws -> Void
    ) -> Effect {
        Effect(
            Run(
                name: name, id: id.map(AnyEffectID.init), queue: queue, priority: priority, delay: delay,
                isEphemeral: true,
                work: .closure { _, context in
                    try await body(context)
                    return nil
                }))
    }

    /// Runs something that is neither recorded nor resumed after a restart: a line in a log, an animation.
    public static func ephemeral(
        _ name: String? = nil, id: (any EffectID)? = nil, queue: (any EffectQueue)? = nil,
        priority: TaskPriority? = nil, delay: Duration = .zero,
        body: @escaping @concurrent @Sendable () async throws -> Void
    ) -> Effect {
        ephemeral(name, id: id, queue: queue, priority: priority, delay: delay) { _ in try await body() }
    }
}
