public import JournalStore

/// What moves the door.
public struct Engine: Sendable {
    let delay: Duration

    /// Creates an engine.
    ///
    /// - Parameter delay: how long the door takes at the speed 1.
    public init(delay: Duration) {
        self.delay = delay
    }
}

/// The side effect of the output `close`. A restart calls it again if it had not returned.
func close(speed: Int, engine: Engine) async throws -> Event {
    print("the door closes at speed \(speed)")
    try await Task.sleep(for: engine.delay / speed)
    return .doorHasLocked
}

/// The journaled elevator.
///
/// - Parameters:
///   - engine: what moves the door.
///   - log: gets each state.
public func machine(
    engine: Engine, log: @escaping @Sendable (String) -> Void = { _ in }
) -> Machine<Event, State, Void> {
    let runtime = Runtime<State, Event, Output>()
        .map(output: Output.close(speed:), to: inject(dep: engine, in: close(speed:engine:)))
        .register(middleware: { (state: State) in log("State: \(state)") })
    return Machine("elevator", stateMachine, runtime: runtime)
}
