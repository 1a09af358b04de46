/// Dispatches a sequence of actions for each transition that it accepts.
///
/// ```swift
/// let reload = Feedback<Input, State, Services>(
///     "reload", strategy: .latest, tryGet: { $0.to?.query }
/// ) { query, services, _ in
///     services.results(of: query).map { .loaded($0) }
/// }
/// let machine = Machine("search", initialState: State(), table: table, feedback: [reload])
/// ```
///
/// The sequence is an effect of the transition's step, recorded with it. A restart calls the function again for each
/// sequence that had not ended, and a retry for the sequence that has thrown. If the journal has n actions of the old
/// sequence, the first n actions of the new one are left out. So no transition is missed, and no action is dispatched
/// twice if the new sequence begins with the same actions. An action's entry names the step that caused it. A refused
/// input starts nothing.
///
/// Each feedback of a machine keeps the state before the step, so a step copies the collections that it changes.
public struct Feedback<Action: Sendable, State: Sendable, Environment: Sendable>: Sendable {
    let effect: @Sendable (Reply<Action, State>, Environment, Step) -> Effect<Action>

    /// Creates feedback for the transitions that a function gets a value from.
    ///
    /// - Parameters:
    ///   - name: the name of its effects and its queue in the journal. Each feedback of a machine needs its own, other
    ///     than the name of the table's queue, `table`.
    ///   - strategy: what becomes of a sequence when the next one starts: with `.latest` it is cancelled.
    ///   - restart: what a restart does with a sequence that had not ended.
    ///   - retry: whether the sequence is asked for again when it throws.
    ///   - tryGet: returns a value for the sequence, or nil to dispatch nothing. It must be pure, like a reducer.
    ///   - actions: returns the actions to dispatch.
    public init<Value: Sendable, Actions: AsyncSequence & SendableMetatype>(
        _ name: String, strategy: EffectStrategy = .merge, restart: Effect<Action>.Restart = .resume,
        retry: RetryPolicy = .never, tryGet: @escaping @Sendable (Reply<Action, State>) -> Value?,
        actions: @escaping @concurrent @Sendable (Value, Environment, EffectContext) async throws -> Actions
    ) where Actions.Element == Action, Actions.AsyncIterator: SendableMetatype {
        let queue = strategy.queue(of: name)
        effect = { transition, environment, step in
            guard let value = tryGet(transition) else { return .none }
            // The actions of a cascade are transitions of the same step: a restart must tell their effects apart.
            let name = step.substep == 0 ? name : "\(name) \(step.substep)"
            return .sequence(name, queue: queue, restart: restart, retry: retry) { context in
                context.undelivered(try await actions(value, environment, context))
            }
        }
    }

    /// Creates feedback for the transitions that meet a condition.
    ///
    /// - Parameters:
    ///   - name: the name of its effects and its queue in the journal. Each feedback of a machine needs its own, other
    ///     than the name of the table's queue, `table`.
    ///   - strategy: what becomes of a sequence when the next one starts: with `.latest` it is cancelled.
    ///   - restart: what a restart does with a sequence that had not ended.
    ///   - retry: whether the sequence is asked for again when it throws.
    ///   - filter: the condition. It must be pure, like a reducer.
    ///   - actions: returns the actions to dispatch.
    public init<Actions: AsyncSequence & SendableMetatype>(
        _ name: String, strategy: EffectStrategy = .merge, restart: Effect<Action>.Restart = .resume,
        retry: RetryPolicy = .never, filter: @escaping @Sendable (Reply<Action, State>) -> Bool,
        actions:
            @escaping @concurrent @Sendable (Reply<Action, State>, Environment, EffectContext) async throws ->
            Actions
    ) where Actions.Element == Action, Actions.AsyncIterator: SendableMetatype {
        self.init(
            name, strategy: strategy, restart: restart, retry: retry, tryGet: { filter($0) ? $0 : nil },
            actions: actions)
    }
}

extension Reducer where State: Sendable, Environment: Sendable {
    /// Adds feedback to this reducer: its effects follow those of the reducer.
    public func feedback(_ feedback: Feedback<Action, State, Environment>) -> Reducer {
        Reducer(handlers: handlers) { action, state, environment, step in
            let before = state
            let effect = reduce(action, &state, environment, &step)
            if effect.refusal != nil { return effect }
            return effect + feedback.effect(.success(action, from: before, to: state), environment, step)
        }
    }
}
