extension StateMachine where State: Codable, Event: Codable, Output: Codable & Hashable {
    /// The machine as a reducer, which rejects the events that no ``On`` accepts, with the handler of its outputs. The
    /// middleware of the runtime and the output of the initial state belong to a whole machine: only
    /// `Machine(_:version:_:runtime:)` has them.
    ///
    /// - Parameter runtime: what the outputs do.
    public func reducer(runtime: Runtime<State, Event, Output> = Runtime()) -> Reducer<Event, State, Void> {
        let cancels = runtime.cancels
        return Reducer { event, state, _ in
            guard reacts(to: event, &state) else { return .noMatch(of: "transition", event, state) }
            // Statements, because `map` and `??` of types that depend on the machine look up their metadata at each
            // step.
            var effect = Effect<Event>.none
            if let cancels { effect = cancels(state) }
            // After the cancel: a step does not cancel what it executes.
            if let output = output(for: state) { effect = effect + runtime.perform(output) }
            return effect
        }
        .handling(Output.self, failure: { runtime.failure($0) }) { output, _, send, context in
            try await runtime.run(output, send, context)
        }
    }
}

extension Machine where Environment == Void {
    /// Creates a machine in the When/On language.
    ///
    /// The output of its initial state is executed once in the life of a stream, and not at each opening.
    ///
    /// - Parameters:
    ///   - name: the machine's name.
    ///   - version: the version of this code.
    ///   - stateMachine: the states, events and outputs.
    ///   - runtime: what the outputs do.
    public init<Output: Codable & Hashable & Sendable>(
        _ name: String, version: Int = 1, _ stateMachine: StateMachine<State, Action, Output>,
        runtime: Runtime<State, Action, Output> = Runtime()
    ) {
        self.init(
            name, version: version, initialState: stateMachine.initial, reducer: stateMachine.reducer(runtime: runtime))
        entering = { state in stateMachine.output(for: state).map(runtime.perform) ?? .none }
        middleware = runtime.middleware
    }
}
