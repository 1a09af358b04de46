import JournalStore
import Testing

private struct TimerID: EffectIDProtocol {}
private struct Line: Oldest1SuspendNewEffectQueueProtocol {}

@Suite struct `Actomaton: the forms of an effect` {
    /// Each form as its README or an app writes it, and what it leads to.
    private static let forms: [(name: String, effect: Effect<Play>, log: [String])] = [
        ("empty", Effect.empty, []),
        ("nextAction", Effect.nextAction(.ended("a")), ["a"]),
        ("fireAndForget", Effect.fireAndForget { _ = "a" }, []),
        ("fireAndForget(id:run:)", Effect.fireAndForget(id: TimerID(), run: { _ = "a" }), []),
        ("fireAndForget(id:run:) with context", Effect.fireAndForget(id: TimerID(), run: { _ = $0.attempt }), []),
        ("init", Effect { .ended("a") }, ["a"]),
        ("init(run:)", Effect(run: { .ended("a") }), ["a"]),
        ("init(id:)", Effect(id: TimerID()) { .ended("a") }, ["a"]),
        ("init(queue:)", Effect(queue: Line()) { .ended("a") }, ["a"]),
        ("init(id:queue:)", Effect(id: TimerID(), queue: Line()) { .ended("a") }, ["a"]),
        (
            "init(id:queue:) with context",
            Effect(id: TimerID(), queue: Line()) { context in .ended("attempt \(context.attempt)") }, ["attempt 1"]
        ),
        (
            "init(id:queue:) with context and statements",
            Effect(id: TimerID(), queue: Line()) { context in
                try await context.step("a") {}
                return .ended("attempt \(context.attempt)")
            }, ["attempt 1"]
        ),
        ("init(sequence:)", Effect(sequence: { letters() }), ["a", "b"]),
        ("init(id:sequence:)", Effect(id: TimerID(), sequence: { letters() }), ["a", "b"]),
        (
            "init(id:queue:sequence:) with context",
            Effect(id: TimerID(), queue: Line(), sequence: { context in letters(context.delivered) }), ["a", "b"]
        ),
        ("cancel(id:)", Effect.cancel(id: TimerID()), []),
        ("cancel(ids:)", Effect.cancel(ids: { $0?.as(TimerID.self) != nil }), []),
    ]

    private static func letters(_ start: Int = 0) -> AsyncStream<Play> {
        AsyncStream { continuation in
            for letter in ["a", "b"].dropFirst(start) { continuation.yield(.ended(letter)) }
            continuation.finish()
        }
    }

    @Test(arguments: forms.map(\.name)) func `each form of an effect sends its actions`(_ name: String) async throws {
        let form = try #require(Self.forms.first { $0.name == name })
        let bench = try Workbench()
        let store = try await bench.openPlay { _ in form.effect }
        let dispatched = try await store.dispatch(.start("x"))
        await dispatched.completion()
        #expect(dispatched.errors.isEmpty)
        #expect(store.state.log == form.log)
        try await bench.journal.close()
    }
}
