/// What a reducer wants to happen beside the new state: a value, which the store carries out once the step is committed and reduced.
///
/// ```swift
/// case .pay:
///     return .run("charge", id: PaymentID(), retry: .exponential(maxAttempts: 5)) { context in
///         .paid(try await shop.charge(key: context.idempotencyKey))
///     }
/// ```
public struct Effect<Action: Sendable>: Sendable {
    /// Sends an action from inside an effect. Returns once it is committed and reduced; throws where the effect was cancelled, or
    /// the store has ended, meanwhile.
    public struct Send: Sendable {
        let deliver: @Sendable (Action) async throws -> Void

        /// Sends an action.
        public func callAsFunction(_ action: Action) async throws {
            try await deliver(action)
        }
    }

    /// What a restart does with an effect that was running.
    public enum Restart: Sendable {
        /// Runs it again: its body runs at least once.
        case resume
        /// Records it as cancelled: its body runs at most once.
        case cancel
        /// Leaves it to the app: its body runs at most once, unless the app says otherwise.
        case ask
        /// Tells the machine instead of running it: its body runs at most once.
        case dispatch(Action)

        var name: String {
            switch self {
            case .resume: "resume"
            case .cancel: "cancel"
            case .ask: "ask"
            case .dispatch: "dispatch"
            }
        }

        var startsOnce: Bool {
            if case .resume = self { false } else { true }
        }
    }

    typealias Body = @concurrent @Sendable (Send, EffectContext) async throws -> Action?

    /// What a run does.
    enum Work: Sendable {
        /// A closure: after a restart it is had again by reducing its step.
        case closure(Body)
        /// A value, and what the reducer's handler makes of it, where there is one. After a restart the value is read.
        case described(Description, Body?)
        /// Sends an action when its time has come.
        case timer(TimerPlan, Action)
        /// Gives another machine an action.
        case message(Message)

        /// What a task runs of it, where there is such.
        var body: Body? {
            switch self {
            case .closure(let body): body
            case .described(_, let body): body
            case .timer, .message: nil
            }
        }
    }

    /// What the machine is told when a run has failed for good.
    enum Failure: Sendable {
        case action(Action)
        case closure(@Sendable (any Error) -> Action?)
    }

    /// Work beside the state.
    struct Run: Sendable {
        var name: String?
        var id: AnyEffectID?
        var queue: (any EffectQueue)?
        var priority: TaskPriority?
        var delay = Duration.zero
        var restart = Restart.resume
        var retry = RetryPolicy.never
        var failure: Failure?
        /// What the machine is told when the code has no such effect any more.
        var orphan: Action?
        /// Neither recorded nor resumed.
        var isEphemeral = false
        var work: Work
    }

    /// Which runs to cancel.
    enum Match: Sendable {
        case id(AnyEffectID)
        case predicate(@Sendable (AnyEffectID?) -> Bool)
    }

    /// One of the things an effect is made of.
    enum Part: Sendable {
        case next(Action)
        case reject(String)
        case run(Run)
        case cancel(Match)
        case updateQueue(any EffectQueue)
    }

    /// Nil where there are none: most steps have none, and a list of a type that depends on the machine is slow to make and to ask.
    private let some: [Part]?

    var parts: [Part] { some ?? [] }

    var isNone: Bool { if case .none = some { true } else { false } }

    init(parts: [Part]) {
        some = parts.isEmpty ? nil : parts
    }

    private init() {
        some = nil
    }

    init(_ run: Run) {
        some = [.run(run)]
    }
}

// MARK: - Together

extension Effect {
    /// Nothing.
    public static var none: Effect { Effect() }

    /// One after the other, in order.
    public static func + (left: Effect, right: Effect) -> Effect {
        if left.parts.isEmpty { return right }
        if right.parts.isEmpty { return left }
        return Effect(parts: left.parts + right.parts)
    }

    /// All of them, in order.
    public static func combine(_ effects: Effect...) -> Effect {
        combine(effects)
    }

    /// All of them, in order.
    public static func combine(_ effects: [Effect]) -> Effect {
        Effect(parts: effects.flatMap(\.parts))
    }
}

// MARK: - Without work

extension Effect {
    /// Reduces another action at once, as part of the same step: before anything else, depth first, in order.
    public static func next(_ action: Action) -> Effect {
        Effect(parts: [.next(action)])
    }

    /// Refuses the action: the state stays as it was before it, and nothing else that was returned with this happens. The step
    /// stays in the journal, as rejected.
    public static func reject(_ reason: String = "") -> Effect {
        Effect(parts: [.reject(reason)])
    }

    /// Cancels the effects of that ID, and those of a dispatch that was given it: those that run, and those that wait.
    public static func cancel(id: some EffectID) -> Effect {
        Effect(parts: [.cancel(.id(AnyEffectID(id)))])
    }

    /// Cancels the effects whose ID is of that type and meets a condition.
    public static func cancel<ID: EffectID>(
        ids type: ID.Type, where condition: @escaping @Sendable (ID) -> Bool = { _ in true }
    ) -> Effect {
        cancel { id in id?.as(type).map(condition) ?? false }
    }

    /// Cancels the effects whose ID meets a condition; those without an ID are asked for with nil.
    public static func cancel(ids condition: @escaping @Sendable (AnyEffectID?) -> Bool) -> Effect {
        Effect(parts: [.cancel(.predicate(condition))])
    }

    /// Gives a queue another policy or delay at once. A smaller maximum cancels nothing.
    public static func updateQueue(_ queue: some EffectQueue) -> Effect {
        Effect(parts: [.updateQueue(queue)])
    }
}
