/// What a reducer returns beside the new state: work that the store starts after the step is committed and reduced.
///
/// ```swift
/// case .pay:
///     return .run("charge", id: PaymentID(), retry: .exponential(maxAttempts: 5)) { context in
///         .paid(try await shop.charge(key: context.idempotencyKey))
///     }
/// ```
public struct Effect<Action: Sendable>: Sendable {
    /// Sends an action from inside an effect. Returns once the action is committed and reduced; throws if the effect
    /// was cancelled or the store has ended meanwhile.
    public struct Send: Sendable {
        let deliver: @Sendable (Action) async throws -> Void
        /// Ends the run, if its closure does not.
        let end: SendEnd?

        init(end: SendEnd? = nil, deliver: @escaping @Sendable (Action) async throws -> Void) {
            (self.deliver, self.end) = (deliver, end)
        }

        /// Sends an action. Returns once it is committed and reduced.
        ///
        /// - Throws: `CancellationError` if the effect was cancelled or has ended; ``JournalError`` if the store has
        ///   ended, or the action cannot be stored.
        public func callAsFunction(_ action: Action) async throws {
            try await deliver(action)
        }

        /// Ends an effect that was made with `autoFinish: false`, once its closure has returned and the actions sent
        /// before are committed. Actions sent afterwards throw `CancellationError`. Does nothing in any other effect.
        public func finish() {
            end?.gate.finish()
        }
    }

    /// What a restart does with an effect that was running. The numbers of starts do not include the retries of its
    /// policy.
    public enum Restart: Sendable {
        /// Runs it again: its body starts at least once.
        case resume
        /// Records it as cancelled: its body starts at most once.
        case cancel
        /// Leaves the decision to the app: its body starts at most once, unless the app decides otherwise.
        case ask
        /// Cancels it and dispatches an action in one transaction: its body starts at most once.
        case dispatch(Action)

        var kind: EffectRun.Restart {
            switch self {
            case .resume: .resume
            case .cancel: .cancel
            case .ask: .ask
            case .dispatch: .dispatch
            }
        }

        var startsOnce: Bool { if case .resume = self { false } else { true } }
        var action: Action? { if case .dispatch(let action) = self { action } else { nil } }
    }

    typealias Body = @concurrent @Sendable (Send, EffectContext) async throws -> Action?

    /// What a run does.
    enum Work: Sendable {
        /// A closure: after a restart its step is reduced again to get the closure back.
        case closure(Body)
        /// A value, with the body of its handler if the reducer has one. After a restart the value is decoded.
        case described(Description, Body?)
        /// Sends an action at a certain time.
        case timer(TimerPlan, Action)
        /// Sends a message to another machine.
        case message(Message)

        /// The body that a task runs; nil for timers, messages and descriptions without a handler.
        var body: Body? {
            switch self {
            case .closure(let body): body
            case .described(_, let body): body
            case .timer, .message: nil
            }
        }

        var isMessage: Bool { if case .message = self { true } else { false } }
        var timer: TimerPlan? { if case .timer(let plan, _) = self { plan } else { nil } }
        /// Whether it runs code of the app, which can crash the process. A timer and a message only send an action.
        var hasBody: Bool { !isMessage && timer == nil }
    }

    /// The action to dispatch when a run has finally failed.
    enum Failure: Sendable {
        case action(Action)
        case closure(@Sendable (any Error) -> Action?)

        var action: Action? { if case .action(let action) = self { action } else { nil } }
    }

    /// One piece of work, with its settings.
    struct Run: Sendable {
        var name: String?
        /// What version 0.1.0 named it, if that was another name.
        var earlierName: String?
        var id: AnyEffectID?
        var queue: (any EffectQueue)?
        var priority: TaskPriority?
        var delay = Duration.zero
        var restart = Restart.resume
        var retry = RetryPolicy.never
        var failure: Failure?
        /// The action to dispatch when it is cancelled.
        var cancel: Action?
        /// The action to dispatch when the code does not return this effect any more.
        var orphan: Action?
        /// Neither recorded nor resumed.
        var isEphemeral = false
        /// The calls that the body of a plain effect belongs to; nil for those of its store.
        var calls: PlainCalls?
        /// The body of a plain effect: it begins after those of earlier steps, so a crash loop does not hold it back.
        var startsInOrder = false
        var work: Work

        /// Whether a crash loop holds it back: its body can crash the process.
        var canBeHeldBack: Bool { work.hasBody && !startsInOrder }
    }

    /// The runs to cancel.
    enum Match: Sendable {
        case id(AnyEffectID)
        case predicate(@Sendable (AnyEffectID?) -> Bool)
    }

    /// One element of an effect.
    enum Part: Sendable {
        case next(Action)
        case reject(String)
        case run(Run)
        case cancel(Match)
        case updateQueue(any EffectQueue)
    }

    /// Nil instead of empty: most steps have no parts, and arrays of a type that depends on the machine are slow.
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

// MARK: - Combining

extension Effect {
    /// No effect.
    public static var none: Effect { Effect() }

    /// Both effects. They start in this order and run concurrently; to run one after the other, give them a queue, such
    /// as an ``Oldest1SuspendNewEffectQueue``.
    ///
    /// Each `+` copies both. A loop that makes many effects collects them in an array and passes that to `combine`.
    public static func + (left: Effect, right: Effect) -> Effect {
        if left.parts.isEmpty { return right }
        if right.parts.isEmpty { return left }
        return Effect(parts: left.parts + right.parts)
    }

    /// All effects. They start in this order and run concurrently; to run one after the other, give them a queue.
    public static func combine(_ effects: Effect...) -> Effect {
        combine(effects)
    }

    /// All effects. They start in this order and run concurrently; to run one after the other, give them a queue.
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

    /// Rejects the action: the state does not change, and nothing else that was returned with this takes effect. The
    /// step stays in the journal, as rejected. If the action is one of `.next`, only that action is left out: the step
    /// counts as reduced, and the reason is not recorded.
    public static func reject(_ reason: String = "") -> Effect {
        Effect(parts: [.reject(reason)])
    }

    /// Cancels the running and waiting effects with this ID, and those of a dispatch with this cancel ID. Of the
    /// effects of the same step, it cancels those before it, and not those after it.
    public static func cancel(id: some EffectID) -> Effect {
        Effect(parts: [.cancel(.id(AnyEffectID(id)))])
    }

    /// Cancels the effects with this ID; nil cancels nothing. An effect that gets an optional ID has its value as ID.
    public static func cancel<ID: EffectID>(id: ID?) -> Effect {
        guard let id else { return .none }
        return .cancel(id: id)
    }

    /// Cancels the effects whose ID has this type and meets a condition, and those of dispatches whose cancel ID does.
    /// The condition must be pure, like the reducer: it is called again when the step is reduced again.
    public static func cancel<ID: EffectID>(
        ids type: ID.Type, where condition: @escaping @Sendable (ID) -> Bool = { _ in true }
    ) -> Effect {
        cancel { id in id?.as(type).map(condition) ?? false }
    }

    /// Cancels the effects whose ID meets a condition, and those of dispatches whose cancel ID does. The condition
    /// receives nil for an effect without an ID. It must be pure, like the reducer: it is called again when the step is
    /// reduced again.
    public static func cancel(ids condition: @escaping @Sendable (AnyEffectID?) -> Bool) -> Effect {
        Effect(parts: [.cancel(.predicate(condition))])
    }

    /// Changes the policy and delay of a queue at once, until a newer effect or update brings others. A lower maximum
    /// cancels no effect.
    public static func updateQueue(_ queue: some EffectQueue) -> Effect {
        Effect(parts: [.updateQueue(queue)])
    }
}
