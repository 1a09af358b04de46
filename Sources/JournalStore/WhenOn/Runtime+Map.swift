// Side effects return one event, a sequence of events, or nothing. The form that returns nothing has a name of its own.
// Such a closure can consist of any single expression, so `map` would accept an event of another machine, and drop it.
// If the journal has n events of a sequence already, the first n are left out, unless the side effect takes the
// context.

extension Runtime {
    /// Maps an output to a side effect that returns an event, or nil for none.
    ///
    /// - Parameters:
    ///   - output: the output.
    ///   - sideEffect: the side effect.
    ///   - queue: the queue that limits how many side effects run at once.
    ///   - priority: the task's priority; by default that of the dispatch.
    ///   - strategy: what becomes of the side effect when a state is entered.
    ///   - restart: what a restart does with a side effect that was running.
    ///   - retry: whether the side effect is retried when it throws.
    public func map(
        output: Output, to sideEffect: @escaping @concurrent @Sendable () async throws -> Event?,
        queue: (any EffectQueue)? = nil, priority: TaskPriority? = nil,
        strategy: SideEffectStrategy<State> = .continueWhenAnyState, restart: Effect<Event>.Restart = .resume,
        retry: RetryPolicy = .never
    ) -> Runtime {
        adding(queue, priority, strategy, restart, retry, for: output) { _, _ in try await sideEffect() }
    }

    /// Maps an output to a side effect that gets the context of its run, with the idempotency key and the clock, and
    /// returns an event, or nil for none.
    public func map(
        output: Output, with sideEffect: @escaping @concurrent @Sendable (EffectContext) async throws -> Event?,
        queue: (any EffectQueue)? = nil, priority: TaskPriority? = nil,
        strategy: SideEffectStrategy<State> = .continueWhenAnyState, restart: Effect<Event>.Restart = .resume,
        retry: RetryPolicy = .never
    ) -> Runtime {
        adding(queue, priority, strategy, restart, retry, for: output) { _, context in try await sideEffect(context) }
    }

    /// Maps an output to a side effect that returns nothing.
    public func fireAndForget(
        output: Output, to sideEffect: @escaping @concurrent @Sendable () async throws -> Void,
        queue: (any EffectQueue)? = nil, priority: TaskPriority? = nil,
        strategy: SideEffectStrategy<State> = .continueWhenAnyState, restart: Effect<Event>.Restart = .resume,
        retry: RetryPolicy = .never
    ) -> Runtime {
        adding(queue, priority, strategy, restart, retry, for: output) { _, _ in
            try await sideEffect()
            return nil
        }
    }

    /// Maps an output to a side effect that gets the context of its run, with the idempotency key and the clock, and
    /// returns nothing.
    public func fireAndForget(
        output: Output, with sideEffect: @escaping @concurrent @Sendable (EffectContext) async throws -> Void,
        queue: (any EffectQueue)? = nil, priority: TaskPriority? = nil,
        strategy: SideEffectStrategy<State> = .continueWhenAnyState, restart: Effect<Event>.Restart = .resume,
        retry: RetryPolicy = .never
    ) -> Runtime {
        adding(queue, priority, strategy, restart, retry, for: output) { _, context in
            try await sideEffect(context)
            return nil
        }
    }

    /// Maps an output to a side effect that returns a sequence of events.
    ///
    /// If it is retried, or runs again after a restart, and the journal has n events of the old sequence, the first n
    /// events of the new one are left out. That fits a sequence which begins with the same events each time. For one
    /// that goes on with new events, use the form with `with:`.
    public func map<Events: AsyncSequence & SendableMetatype>(
        output: Output, to sideEffect: @escaping @concurrent @Sendable () async throws -> Events,
        queue: (any EffectQueue)? = nil, priority: TaskPriority? = nil,
        strategy: SideEffectStrategy<State> = .continueWhenAnyState, restart: Effect<Event>.Restart = .resume,
        retry: RetryPolicy = .never
    ) -> Runtime where Events.Element == Event, Events.AsyncIterator: SendableMetatype {
        adding(queue, priority, strategy, restart, retry, for: output, Effect.sendingNew(sideEffect))
    }

    /// Maps an output to a side effect that gets the context of its run, and returns a sequence of events, each of
    /// which is sent. `context.undelivered(events)` leaves out the events that are in the journal.
    public func map<Events: AsyncSequence & SendableMetatype>(
        output: Output, with sideEffect: @escaping @concurrent @Sendable (EffectContext) async throws -> Events,
        queue: (any EffectQueue)? = nil, priority: TaskPriority? = nil,
        strategy: SideEffectStrategy<State> = .continueWhenAnyState, restart: Effect<Event>.Restart = .resume,
        retry: RetryPolicy = .never
    ) -> Runtime where Events.Element == Event, Events.AsyncIterator: SendableMetatype {
        adding(queue, priority, strategy, restart, retry, for: output, Effect.sending(sideEffect))
    }

    private func adding(
        _ queue: (any EffectQueue)?, _ priority: TaskPriority?, _ strategy: SideEffectStrategy<State>,
        _ restart: Effect<Event>.Restart, _ retry: RetryPolicy, for output: Output, _ body: @escaping Effect<Event>.Body
    ) -> Runtime {
        adding(
            SideEffect(queue: queue, priority: priority, strategy: strategy, restart: restart, retry: retry) {
                $0 == output ? body : nil
            })
    }
}

extension Runtime {
    /// Maps the outputs of a case to a side effect that gets the payload and returns an event, or nil for none.
    ///
    /// - Parameters:
    ///   - constructor: the case's constructor, as `Output.close(speed:)`.
    ///   - sideEffect: the side effect.
    ///   - queue: the queue that limits how many side effects run at once.
    ///   - priority: the task's priority; by default that of the dispatch.
    ///   - strategy: what becomes of the side effect when a state is entered.
    ///   - restart: what a restart does with a side effect that was running.
    ///   - retry: whether the side effect is retried when it throws.
    public func map<Payload: Sendable>(
        output constructor: @escaping @Sendable (Payload) -> Output,
        to sideEffect: @escaping @concurrent @Sendable (Payload) async throws -> Event?,
        queue: (any EffectQueue)? = nil, priority: TaskPriority? = nil,
        strategy: SideEffectStrategy<State> = .continueWhenAnyState, restart: Effect<Event>.Restart = .resume,
        retry: RetryPolicy = .never
    ) -> Runtime {
        adding(queue, priority, strategy, restart, retry, for: constructor) { payload in
            { _, _ in try await sideEffect(payload) }
        }
    }

    /// Maps the outputs of a case to a side effect that gets the payload and the context of its run, with the
    /// idempotency key and the clock, and returns an event, or nil for none.
    public func map<Payload: Sendable>(
        output constructor: @escaping @Sendable (Payload) -> Output,
        with sideEffect: @escaping @concurrent @Sendable (Payload, EffectContext) async throws -> Event?,
        queue: (any EffectQueue)? = nil, priority: TaskPriority? = nil,
        strategy: SideEffectStrategy<State> = .continueWhenAnyState, restart: Effect<Event>.Restart = .resume,
        retry: RetryPolicy = .never
    ) -> Runtime {
        adding(queue, priority, strategy, restart, retry, for: constructor) { payload in
            { _, context in try await sideEffect(payload, context) }
        }
    }

    /// Maps the outputs of a case to a side effect that gets the payload and returns nothing.
    public func fireAndForget<Payload: Sendable>(
        output constructor: @escaping @Sendable (Payload) -> Output,
        to sideEffect: @escaping @concurrent @Sendable (Payload) async throws -> Void,
        queue: (any EffectQueue)? = nil, priority: TaskPriority? = nil,
        strategy: SideEffectStrategy<State> = .continueWhenAnyState, restart: Effect<Event>.Restart = .resume,
        retry: RetryPolicy = .never
    ) -> Runtime {
        adding(queue, priority, strategy, restart, retry, for: constructor) { payload in
            { _, _ in
                try await sideEffect(payload)
                return nil
            }
        }
    }

    /// Maps the outputs of a case to a side effect that gets the payload and the context of its run, with the
    /// idempotency key and the clock, and returns nothing.
    public func fireAndForget<Payload: Sendable>(
        output constructor: @escaping @Sendable (Payload) -> Output,
        with sideEffect: @escaping @concurrent @Sendable (Payload, EffectContext) async throws -> Void,
        queue: (any EffectQueue)? = nil, priority: TaskPriority? = nil,
        strategy: SideEffectStrategy<State> = .continueWhenAnyState, restart: Effect<Event>.Restart = .resume,
        retry: RetryPolicy = .never
    ) -> Runtime {
        adding(queue, priority, strategy, restart, retry, for: constructor) { payload in
            { _, context in
                try await sideEffect(payload, context)
                return nil
            }
        }
    }

    /// Maps the outputs of a case to a side effect that gets the payload and returns a sequence of events.
    public func map<Payload: Sendable, Events: AsyncSequence & SendableMetatype>(
        output constructor: @escaping @Sendable (Payload) -> Output,
        to sideEffect: @escaping @concurrent @Sendable (Payload) async throws -> Events,
        queue: (any EffectQueue)? = nil, priority: TaskPriority? = nil,
        strategy: SideEffectStrategy<State> = .continueWhenAnyState, restart: Effect<Event>.Restart = .resume,
        retry: RetryPolicy = .never
    ) -> Runtime where Events.Element == Event, Events.AsyncIterator: SendableMetatype {
        adding(queue, priority, strategy, restart, retry, for: constructor) { payload in
            Effect.sendingNew { try await sideEffect(payload) }
        }
    }

    /// Maps the outputs of a case to a side effect that gets the payload and the context of its run, and returns a
    /// sequence of events, each of which is sent. `context.undelivered(events)` leaves out the events that are in the
    /// journal.
    public func map<Payload: Sendable, Events: AsyncSequence & SendableMetatype>(
        output constructor: @escaping @Sendable (Payload) -> Output,
        with sideEffect: @escaping @concurrent @Sendable (Payload, EffectContext) async throws -> Events,
        queue: (any EffectQueue)? = nil, priority: TaskPriority? = nil,
        strategy: SideEffectStrategy<State> = .continueWhenAnyState, restart: Effect<Event>.Restart = .resume,
        retry: RetryPolicy = .never
    ) -> Runtime where Events.Element == Event, Events.AsyncIterator: SendableMetatype {
        adding(queue, priority, strategy, restart, retry, for: constructor) { payload in
            Effect.sending { context in try await sideEffect(payload, context) }
        }
    }

    private func adding<Payload: Sendable>(
        _ queue: (any EffectQueue)?, _ priority: TaskPriority?, _ strategy: SideEffectStrategy<State>,
        _ restart: Effect<Event>.Restart, _ retry: RetryPolicy,
        for constructor: @escaping @Sendable (Payload) -> Output,
        _ body: @escaping @Sendable (Payload) -> Effect<Event>.Body
    ) -> Runtime {
        let payloads = PayloadReader<Output>()
        return adding(
            SideEffect(queue: queue, priority: priority, strategy: strategy, restart: restart, retry: retry) {
                payloads.payload(of: $0, in: constructor).map(body)
            })
    }
}
