// Lift the reducer of a part to a reducer of the whole.

extension Reducer {
    /// Lifts this reducer to wider actions. An action that does not match changes nothing and gives no effect.
    ///
    /// - Parameters:
    ///   - path: the case that holds this reducer's actions.
    ///   - scope: a prefix for the IDs, queues and names of its effects; needed if the same reducer is used twice. Outside of
    ///     this reducer its IDs do not match: `store.cancel(id:)` does not find them.
    public func contramap<Whole: Sendable>(
        action path: CasePath<Whole, Action>, scope: String? = nil
    ) -> Reducer<Whole, State, Environment> {
        contramap(action: { path.extract(from: $0) }, embed: { path.embed($0) }, scope: scope)
    }

    /// Lifts this reducer to wider actions, with two functions.
    ///
    /// - Parameters:
    ///   - extract: returns this reducer's action from a wider one, or nil if it contains none.
    ///   - embed: wraps this reducer's action in a wider one.
    ///   - scope: a prefix for the IDs, queues and names of its effects.
    public func contramap<Whole: Sendable>(
        action extract: @escaping @Sendable (Whole) -> Action?, embed: @escaping @Sendable (Action) -> Whole,
        scope: String? = nil
    ) -> Reducer<Whole, State, Environment> {
        Reducer<Whole, State, Environment>(handlers: handlers.map { $0.lifted(embed, scope: scope) }) {
            action, state, environment, step in
            guard let part = extract(action) else { return .none }
            let effect = reduce(part, &state, environment, &step)
            if effect.parts.isEmpty { return .none }
            return (scope.map(effect.scoped) ?? effect).lifted(embed, keepsDescriptions: true)
        }
    }

    /// Lifts this reducer to a wider state, with a key path.
    public func contramap<Whole>(
        state path: any WritableKeyPath<Whole, State> & Sendable
    ) -> Reducer<Action, Whole, Environment> {
        Reducer<Action, Whole, Environment>(handlers: handlers) { action, whole, environment, step in
            reduce(action, &whole[keyPath: path], environment, &step)
        }
    }

    /// Lifts this reducer to a wider state, with a key path to an optional part. If the part is nil, nothing happens.
    public func contramap<Whole>(
        state path: any WritableKeyPath<Whole, State?> & Sendable
    ) -> Reducer<Action, Whole, Environment> {
        Reducer<Action, Whole, Environment>(handlers: handlers) { action, whole, environment, step in
            whole[keyPath: path].change { reduce(action, &$0, environment, &step) } ?? .none
        }
    }

    /// Lifts this reducer to an enum state, with the path of a case. If the state is another case, nothing happens.
    public func contramap<Whole>(state path: CasePath<Whole, State>) -> Reducer<Action, Whole, Environment> {
        Reducer<Action, Whole, Environment>(handlers: handlers) { action, whole, environment, step in
            path.change(&whole) { reduce(action, &$0, environment, &step) } ?? .none
        }
    }

    /// Lifts this reducer to a wider state, with two functions. The wider state still has the part while this reducer
    /// changes it, so each step copies the collections that it changes.
    ///
    /// - Parameters:
    ///   - get: returns this reducer's state from a wider one, or nil if it contains none.
    ///   - put: writes the changed state back.
    public func contramap<Whole>(
        state get: @escaping @Sendable (Whole) -> State?, put: @escaping @Sendable (inout Whole, State) -> Void
    ) -> Reducer<Action, Whole, Environment> {
        Reducer<Action, Whole, Environment>(handlers: handlers) { action, whole, environment, step in
            guard var part = get(whole) else { return .none }
            let effect = reduce(action, &part, environment, &step)
            put(&whole, part)
            return effect
        }
    }

    /// Lifts this reducer to a wider environment.
    public func contramap<Whole>(
        environment part: @escaping @Sendable (Whole) -> Environment
    ) -> Reducer<Action, State, Whole> {
        Reducer<Action, State, Whole>(handlers: handlers.map { $0.lifted(part) }) { action, state, environment, step in
            reduce(action, &state, part(environment), &step)
        }
    }

    /// Lifts this reducer to a wider action, state and environment at once.
    public func contramap<WholeAction: Sendable, WholeState, WholeEnvironment>(
        action: CasePath<WholeAction, Action>, state: any WritableKeyPath<WholeState, State> & Sendable,
        environment: @escaping @Sendable (WholeEnvironment) -> Environment, scope: String? = nil
    ) -> Reducer<WholeAction, WholeState, WholeEnvironment> {
        contramap(environment: environment).contramap(state: state).contramap(action: action, scope: scope)
    }
}

extension Reducer {
    /// The same reducer, with the IDs of its effects transformed; see ``Effect/map(optionalID:)``.
    public func map(optionalID transform: @escaping @Sendable (AnyEffectID?) -> (any EffectID)?) -> Reducer {
        Reducer(handlers: handlers) { action, state, environment, step in
            reduce(action, &state, environment, &step).map(optionalID: transform)
        }
    }

    /// The same reducer, with the queues of its effects transformed; see ``Effect/map(optionalQueue:)``.
    public func map(optionalQueue transform: @escaping @Sendable ((any EffectQueue)?) -> (any EffectQueue)?) -> Reducer
    {
        Reducer(handlers: handlers) { action, state, environment, step in
            reduce(action, &state, environment, &step).map(optionalQueue: transform)
        }
    }
}

extension Optional {
    /// Changes the value in place, if there is one.
    fileprivate mutating func change<Result>(_ body: (inout Wrapped) -> Result) -> Result? {
        // Taken out: with two owners its collections would be copied.
        guard var value = take() else { return nil }
        defer { self = value }
        return body(&value)
    }
}

extension CasePath {
    /// Changes the payload in place, if the value is of this case.
    fileprivate func change<Result>(_ whole: inout Root, _ body: (inout Value) -> Result) -> Result? {
        guard var payload = extract(from: whole) else { return nil }
        return withUnsafeMutablePointer(to: &whole) { whole in
            // Removed meanwhile: with two owners the payload's collections would be copied.
            whole.deinitialize(count: 1)
            defer { whole.initialize(to: embed(payload)) }
            return body(&payload)
        }
    }
}
