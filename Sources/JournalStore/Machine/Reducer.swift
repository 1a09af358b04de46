/// How an action changes a state, and what else is to happen: the rule of a machine, and nothing but a rule.
///
/// It is called once when an action is committed, and again at every replay, so it must give the same for the same: no clock, no
/// `UUID()`, no random numbers but those of the ``Step`` it is given, and no work but in the ``Effect`` it returns.
public struct Reducer<Action: Sendable, State, Environment>: Sendable {
    private let body: @Sendable (Action, inout State, Environment, inout Step) -> Effect<Action>
    /// What performs the described effects of this reducer.
    let handlers: [Handler<Action, Environment>]

    /// A reducer that needs no time and no chance.
    public init(_ reduce: @escaping @Sendable (Action, inout State, Environment) -> Effect<Action>) {
        self.init(handlers: []) { action, state, environment, _ in reduce(action, &state, environment) }
    }

    /// A reducer that is also given the step: its time, and chance.
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

    /// Reduces one action. What the effect holds is not carried out.
    public func reduce(
        _ action: Action, _ state: inout State, _ environment: Environment, _ step: inout Step
    ) -> Effect<Action> {
        let effect = body(action, &state, environment, &step)
        return effect.isNone ? effect : effect.bound(to: handlers, environment)
    }

    /// Reduces one action by hand, as in a test of a reducer that needs no step.
    public func reduce(_ action: Action, _ state: inout State, _ environment: Environment) -> Effect<Action> {
        var step = Step()
        return reduce(action, &state, environment, &step)
    }

    /// Changes nothing.
    public static var empty: Reducer { Reducer { _, _, _ in .none } }

    /// First the left, then the right, on the same state. Their effects follow one another.
    public static func + (left: Reducer, right: Reducer) -> Reducer {
        combine([left, right])
    }

    /// One after the other on the same state. Their effects follow one another.
    public static func combine(_ reducers: Reducer...) -> Reducer {
        combine(reducers)
    }

    /// One after the other on the same state. Their effects follow one another.
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
