/// The pure function of a machine: it changes the state for an action and returns the effects to start.
///
/// A store calls it when an action is committed, and again at every replay, so the same input must give the same
/// output: no clock, no `UUID()`, no random numbers except those of the ``Step``, and no work except in the returned
/// ``Effect``. The same step can be reduced more than once.
///
/// The state is changed in place. A reducer that rejects an action should do so before it changes anything, because to
/// undo a change, the store has to copy the state.
public struct Reducer<Action: Sendable, State, Environment>: Sendable {
    private let body: @Sendable (Action, inout State, Environment, inout Step) -> Effect<Action>
    /// The handlers that perform this reducer's described effects.
    let handlers: [Handler<Action, Environment>]

    /// Creates a reducer that uses neither time nor random values.
    ///
    /// To use another reducer in it, combine them with `combine` or `+`: a call of it inside of the closure leaves out
    /// its handlers of described effects.
    public init(_ reduce: @escaping @Sendable (Action, inout State, Environment) -> Effect<Action>) {
        self.init(handlers: []) { action, state, environment, _ in reduce(action, &state, environment) }
    }

    /// Creates a reducer that also receives the step, with its time and its random values.
    public init(_ reduce: @escaping @Sendable (Action, inout State, Environment, inout Step) -> Effect<Action>) {
        self.init(handlers: [], reduce)
    }

    init(
        handlers: [Handler<Action, Environment>],
        _ reduce: @escaping @Sendable (Action, inout State, Environment, inout Step) -> Effect<Action>
    ) {
        self.handlers = handlers
        body = reduce
    }

    /// Reduces one action. The returned effect is not started.
    public func reduce(
        _ action: Action, _ state: inout State, _ environment: Environment, _ step: inout Step
    ) -> Effect<Action> {
        let effect = body(action, &state, environment, &step)
        return effect.isNone ? effect : effect.bound(to: handlers, environment)
    }

    /// Reduces one action with a default ``Step``, for tests of a reducer that does not use the step.
    public func reduce(_ action: Action, _ state: inout State, _ environment: Environment) -> Effect<Action> {
        var step = Step()
        return reduce(action, &state, environment, &step)
    }

    /// The same reducer, with calls before and after each reduction.
    package func observed(
        before: @escaping @Sendable (borrowing Step) -> Void, after: @escaping @Sendable () -> Void
    ) -> Reducer {
        Reducer(handlers: handlers) { [body] action, state, environment, step in
            before(step)
            defer { after() }
            return body(action, &state, environment, &step)
        }
    }

    /// A reducer that changes nothing and returns no effect.
    public static var empty: Reducer { Reducer { _, _, _ in .none } }

    /// Runs the left reducer, then the right one, on the same state. Their effects are combined in order. If one of
    /// them rejects the action, it is rejected: the state stays as it was before both, and no effect starts.
    public static func + (left: Reducer, right: Reducer) -> Reducer {
        combine([left, right])
    }

    /// Runs the reducers in order on the same state. Their effects are combined in order. If one of them rejects the
    /// action, it is rejected: the state stays as it was before all of them, and no effect starts.
    public static func combine(_ reducers: Reducer...) -> Reducer {
        combine(reducers)
    }

    /// Runs the reducers in order on the same state. Their effects are combined in order. If one of them rejects the
    /// action, it is rejected: the state stays as it was before all of them, and no effect starts.
    public static func combine(_ reducers: [Reducer]) -> Reducer {
        Reducer(handlers: reducers.flatMap(\.handlers)) { action, state, environment, step in
            var effect = Effect<Action>.none
            for reducer in reducers {
                effect = effect + reducer.reduce(action, &state, environment, &step)
            }
            return effect
        }
    }
}
