/// The result of reducing one action by itself: nothing was journaled, and no effect was started.
public struct ReducedAction<Action: Sendable, State: Sendable>: Sendable {
    /// The state after the action and its cascade.
    public let state: State
    /// The actions that `.next` added, without those that the reducer rejected.
    public let cascade: [Action]
    /// Why the reducer rejected the action; nil if it did not. The state is unchanged then.
    public let rejection: String?
    /// The effects that it returned, in order, with messages to other machines.
    public let effects: [ReplayedEffect]
}

extension Machine {
    /// Reduces one action with its cascade, without a journal: for tests of a single transition.
    ///
    /// ```swift
    /// let paid = cart.reduce(.pay, from: Cart(items: ["apple"]), environment: shop)
    /// #expect(paid.effects.map(\.name) == ["charge"])
    /// #expect(paid.effects.first?.id == AnyEffectID("payment"))
    /// ```
    ///
    /// - Parameters:
    ///   - action: the action.
    ///   - state: the state before it; by default the machine's initial state. If the state is an optional, nil is that
    ///     too: for the state nil, pass `.some(nil)`.
    ///   - environment: the dependencies that the reducer gets.
    ///   - step: the step, with its date and the seed of its random values.
    public func reduce(
        _ action: Action, from state: State? = nil, environment: Environment, step: Step = Step()
    ) -> ReducedAction<Action, State> {
        let program = Program(self, environment: environment, checksCoding: false)
        let before = state ?? initialState
        var after = before
        let reduction = Reduction.of(action, &after, step, limit: cascadeLimit, undoing: true, reduce: program.reduce)
        let transition = Transition(
            action, reduction, stream: step.stream, step: step.number, time: step.time, origin: .dispatched,
            from: before,
            to: after)
        return ReducedAction(
            state: after, cascade: transition.cascade, rejection: transition.rejection,
            effects: program.parts(of: reduction, transition).compactMap { ReplayedEffect($0, program) })
    }
}

extension Machine where Environment == Void {
    /// Reduces one action without a journal; see ``reduce(_:from:environment:step:)``.
    public func reduce(_ action: Action, from state: State? = nil, step: Step = Step()) -> ReducedAction<Action, State>
    {
        reduce(action, from: state, environment: (), step: step)
    }
}
