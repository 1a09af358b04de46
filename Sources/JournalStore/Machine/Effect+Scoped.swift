extension Effect {
    /// The same effect with IDs and queues of its own, so that two uses of one feature do not share them.
    func scoped(_ scope: String) -> Effect {
        let mapped = map(id: { ScopedID.id(scope, $0) }).map(queue: { ScopedQueue(scope: scope, queue: $0) })
        return Effect(
            parts: mapped.parts.map { part in
                switch part {
                case .run(var run):
                    run.name = run.name.map { "\(scope).\($0)" }
                    run.earlierName = run.earlierName.map { "\(scope).\($0)" }
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

    /// An ID whose type is not known yet stays known by its text.
    static func id(_ scope: String, _ id: AnyEffectID) -> any EffectID {
        let scoped = ScopedID(scope: scope, id: id)
        guard id.base is StoredID, let text = try? JSONCodec(dates: .ofIDs).encode(AnyEffectID(scoped)) else {
            return scoped
        }
        return StoredID(text: text)
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

extension StoredName {
    /// The name of the type of an ID or a queue as the app knows it, without what a scope or a mapping has put around it.
    static func of(_ id: any EffectID) -> String {
        var inner = id
        while let wrapper = inner as? any WrapperID { inner = wrapper.wrapped }
        return of(type(of: inner))
    }
}
