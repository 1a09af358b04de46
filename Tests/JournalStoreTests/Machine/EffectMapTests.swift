import Testing

@testable import JournalStore

@Suite struct `Machine, map of effects` {
    struct Work: EffectID { var number = 0 }
    struct Line: Newest1EffectQueue { var name = "line" }
    struct Failure: Error {}

    static let all: Effect<Int> =
        .next(1) + .reject("no")
        + .run("work", id: Work(number: 3), queue: Line(), priority: .high, delay: .seconds(4), restart: .ask) { 5 }
        + .run { nil } + .cancel(id: Work(number: 1)) + .cancel(ids: { $0 == nil }) + .updateQueue(Line())

    static let outline = [
        "next 1", "reject no", "run work", "run -", "cancel \(Work(number: 1))", "cancel where", "update Line",
    ]

    // MARK: Actions

    @Test func `map of the action changes what is reduced and sent, and keeps the rest`() async throws {
        let mapped = Self.all.map(action: { "<\($0)>" })
        #expect(mapped.outline == ["next <1>"] + Self.outline.dropFirst())
        let run = mapped.runs[0]
        #expect(run.id == AnyEffectID(Work(number: 3)))
        #expect(run.queue.map(AnyEffectID.init) == AnyEffectID(Line()))
        #expect(run.priority == .high && run.delay == .seconds(4) && run.restart.kind == .ask)
        #expect(try await run.actions() == ["<5>"])
        #expect(try await mapped.runs[1].actions() == [])
        #expect(mapped.conditions[0](nil))
        #expect(!mapped.conditions[0](AnyEffectID(1)))
    }

    @Test func `map of the action changes streamed actions and passes on the context`() async throws {
        let effect = Effect<Int>.stream { send, context in
            for number in 0..<context.delivered { try await send(number) }
        }
        #expect(try await effect.map(action: { -$0 }).runs[0].actions(.of(delivered: 3)) == [0, -1, -2])
    }

    @Test func `map of the action passes on the errors of the body and of send`() async {
        let throwing = Effect<Int>.run { throw Failure() }.map(action: { -$0 })
        await #expect(throws: Failure.self) { try await throwing.runs[0].actions() }
        let sending = Effect<Int>.stream { send, _ in try await send(1) }.map(action: { -$0 })
        await #expect(throws: Failure.self) {
            _ = try await sending.runs[0].perform(Effect.Send { _ in throw Failure() }, .any)
        }
    }

    @Test(arguments: [(.resume, "resume"), (.cancel, "cancel"), (.ask, "ask")] as [(Effect<Int>.Restart, String)])
    func `map of the action keeps the restart policy`(_ restart: Effect<Int>.Restart, _ name: String) {
        #expect(
            Effect<Int>.run(restart: restart) { nil }.map(action: { "\($0)" }).runs[0].restart.kind.rawValue == name)
    }

    @Test func `map of the action changes the action of the restart policy`() {
        let mapped = Effect<Int>.run(restart: .dispatch(7)) { nil }.map(action: { "<\($0)>" })
        guard case .dispatch(let action) = mapped.runs[0].restart else {
            Issue.record("it is \(mapped.runs[0].restart.kind)")
            return
        }
        #expect(action == "<7>")
    }

    @Test func `map of the action keeps the retry policy, and whether an effect is ephemeral`() {
        let retry = RetryPolicy.exponential(maxAttempts: 4)
        #expect(Effect<Int>.run(retry: retry) { nil }.map(action: { "\($0)" }).runs[0].retry == retry)
        #expect(Effect<Int>.ephemeral { _ in }.map(action: { "\($0)" }).runs[0].isEphemeral)
    }

    // MARK: IDs and queues

    struct Wrapped: EffectID { var inner: AnyEffectID }

    @Test func `map of the ID changes the IDs of runs and cancels only`() async throws {
        let mapped = Self.all.map(id: { Wrapped(inner: $0) })
        let work = { (number: Int) in AnyEffectID(Wrapped(inner: AnyEffectID(Work(number: number)))) }
        #expect(mapped.parts.count == Self.all.parts.count)
        #expect(mapped.runs.map(\.id) == [work(3), nil])
        #expect(mapped.outline[4] == "cancel \(work(1).base)")
        #expect(try await mapped.runs[0].actions() == [5])
        #expect(mapped.runs[0].queue.map(AnyEffectID.init) == AnyEffectID(Line()))
    }

    @Test func `map of the queue changes the queues of runs and updates`() {
        struct Slow: Oldest1SuspendNewEffectQueue {}
        let mapped = Self.all.map(queue: { _ in Slow() })
        #expect(mapped.outline == Self.outline.dropLast() + ["update Slow"])
        #expect(mapped.runs.map { $0.queue.map(AnyEffectID.init) } == [AnyEffectID(Slow()), nil])
        #expect(mapped.runs[0].id == AnyEffectID(Work(number: 3)))
    }

    @Test func `map of the ID and of the queue can give them to runs without`() {
        let timer = Effect<Int>.after(.seconds(1), 1)
        let mapped = (Self.all + timer).map(optionalID: { _ in Work(number: 9) })
            .map(optionalQueue: { $0 ?? Line(name: "other") })
        #expect(mapped.runs.map(\.id) == Array(repeating: AnyEffectID(Work(number: 9)), count: 3))
        let queues = [AnyEffectID(Line()), AnyEffectID(Line(name: "other")), nil]
        #expect(mapped.runs.map { $0.queue.map(AnyEffectID.init) } == queues)
        #expect(mapped.outline.contains("cancel \(Work(number: 9))"))
        #expect(
            Self.all.map(optionalID: { _ in nil }).outline
                == Self.outline.filter { $0 != "cancel \(Work(number: 1))" })
    }

    private enum Described: CustomStringConvertible {
        case timeIsUp
        var description: String { "described" }
    }

    @Test func `a lifted effect keeps its earlier name and its place in the order`() throws {
        let timer = Effect<Described>.after(.seconds(1), .timeIsUp)
        let earlier = try #require(timer.runs[0].earlierName)
        #expect(timer.runs[0].name == "timeIsUp" && earlier.hasSuffix("Described"))
        #expect(timer.map(action: { "\($0)" }).runs[0].earlierName == earlier)
        let scoped = Reducer<Described, Int, Void> { _, _, _ in timer }
            .contramap(
                action: { (action: String) in action.isEmpty ? nil : .timeIsUp }, embed: { "\($0)" }, scope: "left")
        var state = 0
        let lifted = scoped.reduce("x", &state, ()).runs[0]
        #expect(lifted.name == "left.timeIsUp" && lifted.earlierName == "left.\(earlier)")
        let plain = Machine<Int, Int, Void>("plain", initialState: 0, update: { $0 += $1 }, effect: { _, _, _ in })
        let called = plain.reducer.reduce(1, &state, ()).map(action: { "\($0)" })
        #expect(called.runs.allSatisfy(\.startsInOrder) && called.runs.count == 1)
    }

    @Test func `map of the queue to nil takes runs out of their queue and drops updates`() {
        let mapped = Self.all.map(queue: { _ in nil })
        #expect(mapped.outline == Self.outline.dropLast())
        #expect(mapped.runs.allSatisfy { $0.queue == nil })
    }
}
