/// What the outputs of a ``StateMachine`` do: a map from outputs to side effects.
///
/// ```swift
/// let runtime = Runtime<State, Event, Output>()
///     .map(output: Output.close(speed:), to: close(speed:))
///     .register(middleware: { (state: State) in print("State: \(state)") })
/// ```
///
/// The first side effect that is mapped to an output runs. Each output is a described effect: it is recorded with the
/// step that executes it, its value is also its ID, and after a restart the recorded value runs through this map again,
/// also if the code around it has changed. An output without a side effect fails, with an error that names it.
public struct Runtime<
    State: Codable & Equatable & Sendable, Event: Codable & Equatable & Sendable, Output: Codable & Hashable & Sendable
>: Sendable {
    /// Returns the function of an `onFailure`; nil if that is for other outputs.
    typealias FailureMap = @Sendable (Output) -> (@Sendable (any Error) -> Event?)?
    /// Returns the event of an `onCancel` or an `onOrphan`, or nil within for none; nil if that is for other outputs.
    typealias EventMap = @Sendable (Output) -> Event??

    private var sideEffects: [SideEffect<State, Event, Output>] = []
    private var failures: [FailureMap] = []
    private var cancellations: [EventMap] = []
    private var orphans: [EventMap] = []
    private var eventFunctions: [Middleware<Event, State>] = []
    private var stateFunctions: [Middleware<Event, State>] = []

    /// Those for events come first: the event of a step comes before the state that it leads to.
    var middleware: [Middleware<Event, State>] { eventFunctions + stateFunctions }

    /// Creates a runtime that maps nothing.
    public init() {}

    func adding(_ sideEffect: SideEffect<State, Event, Output>) -> Runtime {
        changed(self) { $0.sideEffects.append(sideEffect) }
    }

    func adding(_ failure: @escaping FailureMap) -> Runtime {
        changed(self) { $0.failures.append(failure) }
    }

    func adding(cancellation: @escaping EventMap) -> Runtime {
        changed(self) { $0.cancellations.append(cancellation) }
    }

    func adding(orphan: @escaping EventMap) -> Runtime {
        changed(self) { $0.orphans.append(orphan) }
    }

    func adding(eventFunction function: Middleware<Event, State>) -> Runtime {
        changed(self) { $0.eventFunctions.append(function) }
    }

    func adding(stateFunction function: Middleware<Event, State>) -> Runtime {
        changed(self) { $0.stateFunctions.append(function) }
    }

    private func index(for output: Output) -> Int? {
        sideEffects.firstIndex { $0.work(output) != nil }
    }

    /// Returns what a step cancels that enters a state; nil if no strategy cancels anything.
    var cancels: (@Sendable (State) -> Effect<Event>)? {
        let strategies = sideEffects.map(\.strategy.cancels)
        guard strategies.contains(where: { $0 != nil }) else { return nil }
        return { state in
            let cancelled = strategies.indices.filter { strategies[$0]?(state) ?? false }
            if cancelled.isEmpty { return .none }
            return .cancel(ids: Output.self) { output in index(for: output).map(cancelled.contains) ?? false }
        }
    }

    /// An output as a described effect.
    func perform(_ output: Output) -> Effect<Event> {
        guard let index = index(for: output) else { return .perform(output, id: output) }
        let sideEffect = sideEffects[index]
        var effect = Effect<Event>.perform(
            output, id: output, queue: sideEffect.queue, priority: sideEffect.priority, restart: sideEffect.restart,
            retry: sideEffect.retry)
        if let event = Runtime.event(for: output, cancellations) { effect = effect.onCancel(event) }
        if let event = Runtime.event(for: output, orphans) { effect = effect.onOrphan(event) }
        return effect
    }

    /// The event of the first function that is for an output.
    private static func event(for output: Output, _ maps: [EventMap]) -> Event? {
        for map in maps {
            if let event = map(output) { return event }
        }
        return nil
    }

    /// What an output's side effect dispatches when it has finally failed, in this process or after a restart.
    func failure(_ output: Output) -> Effect<Event>.Failure? {
        for failure in failures {
            if let event = failure(output) { return .closure(event) }
        }
        return nil
    }

    /// Runs the side effect of an output, in this process or after a restart.
    @concurrent func run(
        _ output: Output, _ send: Effect<Event>.Send, _ context: EffectContext
    ) async throws -> Event? {
        for sideEffect in sideEffects {
            if let work = sideEffect.work(output) { return try await work(send, context) }
        }
        throw EffectFailure(
            description: "No side effect is mapped to the output '\(StoredName.ofCase(output))'. Add it to the runtime."
        )
    }
}
