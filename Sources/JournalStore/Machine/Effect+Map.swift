extension Effect {
    /// The same effect, with each of its actions transformed. A described effect becomes a closure effect, because no
    /// handler knows the function; `contramap` of a reducer keeps it described. Map what the reducer with the handler has returned: before that
    /// there is nothing that performs the effect, and it fails.
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

    /// The same effect with IDs and queues of its own, so that two uses of one feature do not share them.
    func scoped(_ scope: String) -> Effect {
        let mapped = map(id: { ScopedID(scope: scope, id: $0) }).map(queue: { ScopedQueue(scope: scope, queue: $0) })
        return Effect(
            parts: mapped.parts.map { part in
                switch part {
                case .run(var run):
                    run.name = run.name.map { "\(scope).\($0)" }
                    if case .described(let description, let body) = run.work {
                        run.work = .described(description.scoped(scope), body)
                    }
                    return .run(run)
                case .cancel(.predicate(let condition)):
                    // The condition knows only its own IDs. An effect without an ID cannot be assigned to a scope.
                    return .cancel(
                        .predicate { id in
                            guard let own = id?.as(ScopedID.self), own.scope == scope else { return false }
                            return condition(own.id)
                        })
                case .next, .reject, .cancel, .updateQueue:
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

/// An ID inside a scope.
struct ScopedID: WrapperID {
    let scope: String
    let id: AnyEffectID

    static func == (left: ScopedID, right: ScopedID) -> Bool {
        left.scope == right.scope && ExactID(left.id) == ExactID(right.id)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(scope)
        hasher.combine(ExactID(id))
    }

    var wrapped: any EffectID { id.base }

    func sibling(in text: String) -> (any EffectID)? {
        guard let stored = AnyEffectID(StoredID(text: text)).as(ScopedID.self),
            let inner = id.sibling(in: stored.id.description)
        else { return nil }
        return ScopedID(scope: stored.scope, id: inner)
    }
}

/// A queue inside a scope: equal if both scope and queue are equal.
struct ScopedQueue: StepQueue, WrapperID {
    let scope: String
    let queue: any EffectQueue

    init(scope: String, queue: any EffectQueue) {
        self.scope = scope
        self.queue = queue
    }

    var effectQueuePolicy: EffectQueuePolicy { queue.effectQueuePolicy }
    var effectQueueDelay: EffectQueueDelay { queue.effectQueueDelay }
    var countsSteps: Bool { (queue as? any StepQueue)?.countsSteps ?? false }

    static func == (left: ScopedQueue, right: ScopedQueue) -> Bool {
        left.scope == right.scope && isEqual(left.queue, right.queue)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(scope)
        hasher.combine(ExactID(AnyEffectID(queue)))
    }

    init(from decoder: any Decoder) throws {
        throw DecodingError.dataCorrupted(
            DecodingError.Context(
                codingPath: decoder.codingPath, debugDescription: "The type of the queue is not known."))
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: StoredName.self)
        try container.encode(AnyEffectID(queue), forKey: StoredName(stringValue: scope))
    }

    var wrapped: any EffectID { queue }

    func sibling(in text: String) -> (any EffectID)? {
        let name = StoredName.of(ScopedQueue.self)
        guard let scopes = try? JSONCodec().decode([String: [String: AnyEffectID]].self, from: text)[name],
            let (scope, stored) = scopes.first,
            let inner = AnyEffectID(queue).sibling(in: stored.description)?.base as? any EffectQueue
        else { return nil }
        return ScopedQueue(scope: scope, queue: inner)
    }
}
