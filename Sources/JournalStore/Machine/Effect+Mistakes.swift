// Closures that do not fit, with a message that says what does: docs/compiler-messages.md.
//
// The compiler tries an unavailable overload only if no other one fits. So these cost correct code no time, but code
// with an error some: each is one more way in which the compiler checks a closure. They are neither in the
// documentation nor in the completion.

extension Effect {
    /// A closure that sends: `stream`. Disfavoured, so that an error in another closure is reported for the real
    /// function.
    @available(
        *, unavailable,
        message: "its closure returns an action or nil. Without one: 'fireAndForget'; to send actions: 'stream'."
    )
    @_disfavoredOverload
    public static func run(
        _ name: String? = nil, id: (any EffectID)? = nil, queue: (any EffectQueue)? = nil,
        priority: TaskPriority? = nil, delay: Duration = .zero, restart: Restart = .resume, retry: RetryPolicy = .never,
        body: @escaping @concurrent @Sendable (Send) async throws -> Void
    ) -> Effect { .none }

    /// A closure that returns another type. Without this the message would say that the one above expects `Void`.
    @available(*, unavailable, message: "its closure must return an action or nil.")
    public static func run(
        _ name: String? = nil, id: (any EffectID)? = nil, queue: (any EffectQueue)? = nil,
        priority: TaskPriority? = nil, delay: Duration = .zero, restart: Restart = .resume, retry: RetryPolicy = .never,
        body: @escaping @concurrent @Sendable (EffectContext) async throws -> Action
    ) -> Effect { .none }

    /// A closure with an action: `run`.
    @available(
        *, unavailable, message: "its closure returns nothing. 'run' dispatches the action that its closure returns."
    )
    public static func fireAndForget(
        _ name: String? = nil, id: (any EffectID)? = nil, queue: (any EffectQueue)? = nil,
        priority: TaskPriority? = nil, delay: Duration = .zero, restart: Restart = .resume, retry: RetryPolicy = .never,
        run body: @escaping @concurrent @Sendable (EffectContext) async throws -> Action
    ) -> Effect { .none }

    /// A closure with an action: `run`.
    @available(
        *, unavailable, message: "its closure returns nothing. 'run' dispatches the action that its closure returns."
    )
    public static func fireAndForget(
        _ name: String? = nil, id: (any EffectID)? = nil, queue: (any EffectQueue)? = nil,
        priority: TaskPriority? = nil, delay: Duration = .zero, restart: Restart = .resume, retry: RetryPolicy = .never,
        run body: @escaping @concurrent @Sendable () async throws -> Action
    ) -> Effect { .none }

    /// The arguments in the wrong order.
    @available(
        *, unavailable, message: "its closure gets 'send' first, then the context: 'stream { send, context in … }'."
    )
    public static func stream(
        _ name: String? = nil, id: (any EffectID)? = nil, queue: (any EffectQueue)? = nil,
        priority: TaskPriority? = nil, delay: Duration = .zero, restart: Restart = .resume, retry: RetryPolicy = .never,
        autoFinish: Bool = true, body: @escaping @concurrent @Sendable (EffectContext, Send) async throws -> Void
    ) -> Effect { .none }

    /// An array: `stream`.
    @available(
        *, unavailable, message: "its closure returns an AsyncSequence. 'stream' can send the actions of an array."
    )
    public static func sequence(
        _ name: String? = nil, id: (any EffectID)? = nil, queue: (any EffectQueue)? = nil,
        priority: TaskPriority? = nil, delay: Duration = .zero, restart: Restart = .resume, retry: RetryPolicy = .never,
        of makeSequence: @escaping @concurrent @Sendable (EffectContext) async throws -> [Action]
    ) -> Effect { .none }

    /// A closure, as `onFailure` takes.
    @available(*, unavailable, message: "it takes an action, not a closure: 'onCancel(.cancelled)'.")
    @_disfavoredOverload
    public func onCancel(_ action: () -> Action) -> Effect { .none }

    /// A closure, as `onFailure` takes.
    @available(*, unavailable, message: "it takes an action, not a closure: 'onOrphan(.abandoned)'.")
    @_disfavoredOverload
    public func onOrphan(_ action: () -> Action) -> Effect { .none }

    /// A closure, as that of `run`.
    @available(*, unavailable, message: "it takes an action, not a closure: '.after(.seconds(1), .done)'.")
    @_disfavoredOverload
    public static func after(_ duration: Duration, _ action: () -> Action) -> Effect { .none }
}
