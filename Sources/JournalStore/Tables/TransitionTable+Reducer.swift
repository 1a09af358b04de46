extension TransitionTable {
    /// The table as a reducer, which rejects the inputs that no row matches.
    ///
    /// - Parameters:
    ///   - strategy: what becomes of running effects when a transition has others.
    ///   - name: the name of the queue of its effects. If a machine has two tables with a strategy, give them different
    ///     names.
    public func reducer(
        strategy: EffectStrategy = .merge, name: String = "table"
    ) -> Reducer<Action, State, Environment> {
        let index = TransitionIndex(rows.map { MatchedRow($0, queue: strategy.queue(of: name)) })
        return Reducer { action, state, environment in
            guard let row = index.firstRow(for: action, state) else { return .noMatch(of: "row", action, state) }
            let effect = row.effect?(action, environment)
            row.move(&state, action)
            return effect ?? .none
        }
    }
}

extension Machine {
    /// Creates a machine from a transition table.
    ///
    /// - Parameters:
    ///   - name: the machine's name.
    ///   - version: the version of this code.
    ///   - initialState: the state before the first step.
    ///   - table: the table. An input that no row matches is rejected.
    ///   - strategy: what becomes of an effect when another one of the table starts.
    ///   - feedback: what is dispatched because of the table's transitions.
    public init(
        _ name: String, version: Int = 1, initialState: State, table: TransitionTable<Action, State, Environment>,
        strategy: EffectStrategy = .merge, feedback: [Feedback<Action, State, Environment>] = []
    ) {
        let reducer = feedback.reduce(table.reducer(strategy: strategy)) { $0.feedback($1) }
        self.init(name, version: version, initialState: initialState, reducer: reducer)
    }
}
