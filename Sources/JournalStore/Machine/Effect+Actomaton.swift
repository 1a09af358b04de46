// The names that these APIs have in Actomaton.

extension Effect {
    /// No effect: ``none``.
    public static var empty: Effect { .none }

    /// Reduces another action at once: ``next(_:)``.
    public static func nextAction(_ action: Action) -> Effect { .next(action) }

    /// Runs a closure and dispatches the action it returns: the same as `run`.
    public init(
        id: (any EffectID)? = nil, queue: (any EffectQueue)? = nil, priority: TaskPriority? = nil,
        run: @escaping @concurrent @Sendable () async throws -> Action?
    ) {
        self = .run(id: id, queue: queue, priority: priority, body: run)
    }

    /// Runs a closure and dispatches the action it returns: the same as `run`.
    public init(
        id: (any EffectID)? = nil, queue: (any EffectQueue)? = nil, priority: TaskPriority? = nil,
        run: @escaping @concurrent @Sendable (EffectContext) async throws -> Action?
    ) {
        self = .run(id: id, queue: queue, priority: priority, body: run)
    }

    /// Dispatches each action of a sequence: the same as `sequence`.
    public init<Actions: AsyncSequence & SendableMetatype>(
        id: (any EffectID)? = nil, queue: (any EffectQueue)? = nil, priority: TaskPriority? = nil,
        sequence: @escaping @concurrent @Sendable () async throws -> Actions
    ) where Actions.Element == Action, Actions.AsyncIterator: SendableMetatype {
        self = .sequence(id: id, queue: queue, priority: priority) { _ in try await sequence() }
    }

    /// Dispatches each action of a sequence: the same as `sequence`.
    public init<Actions: AsyncSequence & SendableMetatype>(
        id: (any EffectID)? = nil, queue: (any EffectQueue)? = nil, priority: TaskPriority? = nil,
        sequence: @escaping @concurrent @Sendable (EffectContext) async throws -> Actions
    ) where Actions.Element == Action, Actions.AsyncIterator: SendableMetatype {
        self = .sequence(id: id, queue: queue, priority: priority, of: sequence)
    }
}

/// A queue of effects: ``EffectQueue``.
public typealias EffectQueueProtocol = EffectQueue
/// A queue that runs the newest effect: ``Newest1EffectQueue``.
public typealias Newest1EffectQueueProtocol = Newest1EffectQueue
/// A queue that discards new effects: ``Oldest1DiscardNewEffectQueue``.
public typealias Oldest1DiscardNewEffectQueueProtocol = Oldest1DiscardNewEffectQueue
/// A queue that runs one effect after the other: ``Oldest1SuspendNewEffectQueue``.
public typealias Oldest1SuspendNewEffectQueueProtocol = Oldest1SuspendNewEffectQueue
