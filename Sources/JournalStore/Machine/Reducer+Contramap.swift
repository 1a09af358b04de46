// A reducer of a part made into one of the whole.

extension Reducer {
    /// A reducer of wider actions. An action that does not match changes nothing and gives no effect.
    ///
    /// - Parameters:
    ///   - path: the case that holds this reducer's actions.
    ///   - scope: gives its effects IDs, queues and names of their own: needed where the same reducer is used twice.
    public func contramap<Whole: Sendable>(
        action path: CasePath<Whole, Action>, scope: String? = nil
    ) -> Reducer<Whole, State, Environment> {
        contramap(action: { path.extract(from: $0) }, embed: { path.embed($0) }, scope: scope)
    }

    /// A reducer of wider actions, by function.
    ///
    /// - Parameters:
    ///   - extract: this reducer's action in a wider one; nil where there is none.
    ///   - embed: the wider action for one of this reducer's.
    ///   - scope: gives its effects IDs, queues and names of their own.
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

    /// A reducer of a wider state, by key path.
    public func contramap<Whole>(
        state path: any WritableKeyPath<Whole, State> & Sendable
    ) -> Reducer<Action, Whole, Environment> {
        Reducer<Action, Whole, Environment>(handlers: handlers) { action, whole, environment, step in
            reduce(action, &whole[keyPath: path], environment, &step)
        }
    }

    /// A reducer of a wider state, by a key path to a part that may be missing: nothing happens then.
    public func contramap<Whole>(
        state path: any WritableKeyPath<Whole, State?> & Sendable
    ) -> Reducer<Action, Whole, Environment> {
        Reducer<Action, Whole, Environment>(handlers: handlers) { action, whole, environment, step in
            guard var part = whole[keyPath: path] else { return .none }
            let effect = reduce(action, &part, environment, &step)
            whole[keyPath: path] = part
            return effect
        }
    }

    /// A reducer of a wider state, by the case that holds this reducer's. In another case nothing happens.
    public func contramap<Whole>(state path: CasePath<Whole, State>) -> Reducer<Action, Whole, Environment> {
        contramap(state: { path.extract(from: $0) }, put: { $0 = path.embed($1) })
    }

    /// A reducer of a wider state, by function.
    ///
    /// - Parameters:
    ///   - get: this reducer's state in a wider one; nil where there is none.
    ///   - put: puts it back.
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

    /// A reducer of a wider environment.
    public func contramap<Whole>(
        environment part: @escaping @Sendable (Whole) -> Environment
    ) -> Reducer<Action, State, Whole> {
        Reducer<Action, State, Whole>(handlers: handlers.map { $0.lifted(part) }) { action, state, environment, step in
            reduce(action, &state, part(environment), &step)
        }
    }

    /// A reducer of everything wider, all at once.
    public func contramap<WholeAction: Sendable, WholeState, WholeEnvironment>(
        action: CasePath<WholeAction, Action>, state: any WritableKeyPath<WholeState, State> & Sendable,
        environment: @escaping @Sendable (WholeEnvironment) -> Environment, scope: String? = nil
    ) -> Reducer<WholeAction, WholeState, WholeEnvironment> {
        contramap(environment: environment).contramap(state: state).contramap(action: action, scope: scope)
    }
}
