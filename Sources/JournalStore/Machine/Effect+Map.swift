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

    /// The same effect, with each ID transformed: those of its runs and those it cancels. A run without an ID still has
    /// none, and a condition on IDs is unchanged.
    public func map(id transform: @escaping @Sendable (AnyEffectID) -> any EffectID) -> Effect {
        map(optionalID: { id in id.map { transform($0) } })
    }

    /// The same effect, with the ID of each run transformed, also if it has none, and each ID that it cancels. A condition
    /// on IDs is unchanged.
    ///
    /// A parent gives an ID to all that a part of the app starts, and can cancel it: `map(optionalID: { _ in ScreenID() })`.
    ///
    /// - Parameter transform: returns the new ID; nil for none. It gets nil for a run without an ID.
    public func map(optionalID transform: @escaping @Sendable (AnyEffectID?) -> (any EffectID)?) -> Effect {
        Effect(
            parts: parts.compactMap { part in
                switch part {
                // A message cannot be cancelled.
                case .run(let run) where run.work.isMessage: return part
                case .run(var run):
                    run.id = transform(run.id).map { AnyEffectID($0) }
                    return .run(run)
                case .cancel(.id(let id)): return transform(id).map { .cancel(.id(AnyEffectID($0))) }
                case .next, .reject, .cancel, .updateQueue: return part
                }
            })
    }

    /// The same effect, with each queue transformed: those of its runs and those it updates. A run without a queue
    /// still has none.
    ///
    /// - Parameter transform: returns the new queue; nil removes it.
    public func map(queue transform: @escaping @Sendable (any EffectQueue) -> (any EffectQueue)?) -> Effect {
        map(optionalQueue: { queue in queue.flatMap(transform) })
    }

    /// The same effect, with the queue of each run transformed, also if it has none, and each queue that it updates.
    /// Timers and messages have no queue.
    ///
    /// - Parameter transform: returns the new queue; nil for none. It gets nil for a run without a queue.
    public func map(optionalQueue transform: @escaping @Sendable ((any EffectQueue)?) -> (any EffectQueue)?) -> Effect {
        Effect(
            parts: parts.compactMap { part in
                switch part {
                case .run(let run) where !run.work.hasBody: return part
                case .run(var run):
                    run.queue = transform(run.queue)
                    return .run(run)
                case .updateQueue(let queue): return transform(queue).map { .updateQueue($0) }
                case .next, .reject, .cancel: return part
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
            name: name, earlierName: earlierName, id: id, queue: queue, priority: priority, delay: delay,
            restart: restart, retry: retry, failure: failure?.map(transform), cancel: cancel.map(transform),
            orphan: orphan.map(transform), isEphemeral: isEphemeral, calls: calls, startsInOrder: startsInOrder,
            work: work)
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
