extension Effect {
    /// The same effect, with each of its actions transformed. A described effect becomes a closure effect, because the
    /// function cannot be recorded; `contramap` of a reducer keeps it described. Call this on what the reducer with the
    /// handler returns: a described effect that has no handler yet fails after it was mapped.
    public func map<Other: Sendable>(action transform: @escaping @Sendable (Action) -> Other) -> Effect<Other> {
        lifted(transform, keepsDescriptions: false)
    }

    /// - Parameter keepsDescriptions: whether a handler transforms its actions in the same way.
    func lifted<Other: Sendable>(
        _ transform: @escaping @Sendable (Action) -> Other, keepsDescriptions: Bool
    ) -> Effect<Other> {
        Effect<Other>(
            parts: parts.map { part in
                switch part {
                case .next(let action): .next(transform(action))
                case .reject(let reason): .reject(reason)
                case .run(let run): .run(run.map(transform, keepsDescriptions: keepsDescriptions))
                case .cancel(.id(let id)): .cancel(.id(id))
                case .cancel(.predicate(let condition)): .cancel(.predicate(condition))
                case .updateQueue(let queue): .updateQueue(queue)
                }
            })
    }

    /// The same effect, with each ID transformed: those of its runs and those it cancels. A condition on IDs is
    /// unchanged.
    public func map(id transform: @escaping @Sendable (AnyEffectID) -> any EffectID) -> Effect {
        Effect(
            parts: parts.map { part in
                switch part {
                case .run(var run):
                    run.id = run.id.map { AnyEffectID(transform($0)) }
                    return .run(run)
                case .cancel(.id(let id)):
                    return .cancel(.id(AnyEffectID(transform(id))))
                case .next, .reject, .cancel, .updateQueue:
                    return part
                }
            })
    }

    /// The same effect, with each queue transformed; nil removes the queue.
    public func map(queue transform: @escaping @Sendable (any EffectQueue) -> (any EffectQueue)?) -> Effect {
        Effect(
            parts: parts.compactMap { part in
                switch part {
                case .run(var run):
                    run.queue = run.queue.flatMap(transform)
                    return .run(run)
                case .updateQueue(let queue):
                    return transform(queue).map { .updateQueue($0) }
                case .next, .reject, .cancel:
                    return part
                }
            })
    }
}

extension Effect.Run {
    func map<Other: Sendable>(
        _ transform: @escaping @Sendable (Action) -> Other, keepsDescriptions: Bool
    ) -> Effect<Other>.Run {
        let restart: Effect<Other>.Restart =
            switch restart {
            case .resume: .resume
            case .cancel: .cancel
            case .ask: .ask
            case .dispatch(let action): .dispatch(transform(action))
            }
        let work: Effect<Other>.Work =
            switch work {
            case .closure(let body): .closure(Effect.map(body, transform))
            case .described(let description, let body) where keepsDescriptions:
                .described(description, body.map { Effect.map($0, transform) })
            case .described(let description, let body):
                .closure(Effect.map(body ?? { _, _ in throw description.mappedTooEarly }, transform))
            case .timer(let plan, let action): .timer(plan, transform(action))
            case .message(let message): .message(message)
            }
        return Effect<Other>.Run(
            name: name, id: id, queue: queue, priority: priority, delay: delay, restart: restart, retry: retry,
            failure: failure?.map(transform), cancel: cancel.map(transform), orphan: orphan.map(transform),
            isEphemeral: isEphemeral, executor: executor, work: work)
    }
}

extension Effect.Failure {
    /// The same failure, with its action transformed.
    func map<Other: Sendable>(_ transform: @escaping @Sendable (Action) -> Other) -> Effect<Other>.Failure {
        switch self {
        case .action(let action): .action(transform(action))
        case .closure(let make): .closure { make($0).map(transform) }
        }
    }
}

extension Effect {
    /// The same body, with each of its actions transformed.
    static func map<Other: Sendable>(
        _ body: @escaping Body, _ transform: @escaping @Sendable (Action) -> Other
    ) -> Effect<Other>.Body {
        { send, context in
            try await body(Effect.Send { try await send(transform($0)) }, context).map(transform)
        }
    }
}
