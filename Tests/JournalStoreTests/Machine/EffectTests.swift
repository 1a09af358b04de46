import Testing

@testable import JournalStore

@Suite struct `Machine, effects` {
    struct Work: EffectID { var number = 0 }
    struct Other: EffectID { var number = 0 }
    struct Line: Newest1EffectQueue { var name = "line" }

    // MARK: Together

    @Test func `combined effects keep their order`() {
        let first = Effect<Int>.next(1) + .reject("no")
        let second = Effect<Int>.cancel(id: Work()) + .updateQueue(Line())
        let all = ["next 1", "reject no", "cancel \(Work())", "update Line"]
        #expect((first + second).outline == all)
        #expect(Effect.combine(first, .none, second).outline == all)
        #expect(Effect.combine([first, second]).outline == all)
        #expect((second + first).outline == Array(all[2...] + all[..<2]))
    }

    @Test func `none adds nothing, on either side`() {
        let one = Effect<Int>.next(1)
        #expect((one + .none).outline == ["next 1"])
        #expect((.none + one).outline == ["next 1"])
        #expect(Effect<Int>.combine().outline == [])
        #expect(Effect<Int>.none.outline == [])
    }

    // MARK: Bodies

    static func counting(_ numbers: Range<Int>) -> AsyncStream<Int> {
        AsyncStream { continuation in
            for number in numbers { continuation.yield(number) }
            continuation.finish()
        }
    }

    struct Kind: CustomTestStringConvertible {
        var testDescription: String
        var effect: Effect<Int>
        var actions: [Int]

        static let all = [
            Kind(testDescription: "run", effect: .run { 5 }, actions: [5]),
            Kind(testDescription: "run that returns nil", effect: .run { nil }, actions: []),
            Kind(testDescription: "run, with its context", effect: .run { $0.delivered }, actions: [2]),
            Kind(testDescription: "fireAndForget", effect: .fireAndForget {}, actions: []),
            Kind(testDescription: "fireAndForget, with its context", effect: .fireAndForget { _ in }, actions: []),
            Kind(
                testDescription: "stream",
                effect: .stream { send, context in
                    try await send(context.delivered)
                    try await send(7)
                }, actions: [2, 7]),
            Kind(testDescription: "sequence", effect: .sequence { _ in counting(0..<3) }, actions: [0, 1, 2]),
            Kind(
                testDescription: "sequence, with its context", effect: .sequence { counting($0.delivered..<4) },
                actions: [2, 3]),
            Kind(testDescription: "ephemeral", effect: .ephemeral { _ in }, actions: []),
            Kind(testDescription: "Effect { }", effect: Effect { 5 }, actions: [5]),
            Kind(testDescription: "Effect(sequence:)", effect: Effect(sequence: { counting(0..<2) }), actions: [0, 1]),
        ]
    }

    @Test(arguments: Kind.all) func `each kind of effect sends the actions of its body`(_ kind: Kind) async throws {
        #expect(kind.effect.parts.count == 1)
        let run = try #require(kind.effect.runs.first)
        #expect(try await run.actions(.of(delivered: 2)) == kind.actions)
        #expect(run.isEphemeral == (kind.testDescription == "ephemeral"))
    }

    struct Failure: Error {}

    @Test func `an error that a body throws is passed on`() async {
        let effects: [Effect<Int>] = [
            .run { throw Failure() }, .fireAndForget { throw Failure() }, .stream { _, _ in throw Failure() },
            .sequence { _ in AsyncThrowingStream<Int, any Error> { $0.finish(throwing: Failure()) } },
            .ephemeral { _ in throw Failure() },
        ]
        for effect in effects {
            await #expect(throws: Failure.self) { try await effect.runs[0].actions() }
        }
    }

    @Test func `a sequence ends when send throws`() async {
        let effect = Effect<Int>.sequence { _ in Self.counting(0..<9) }
        let taken = Box(0)
        await #expect(throws: Failure.self) {
            _ = try await effect.runs[0].perform(
                Effect.Send { action in
                    if action == 3 { throw Failure() }
                    taken.change { $0 += 1 }
                }, .any)
        }
        #expect(taken.value == 3)
    }

    static let spelledOut: [Effect<Int>] = [
        .run(
            "name", id: Work(number: 3), queue: Line(), priority: .high, delay: .seconds(4), restart: .ask,
            retry: .constant(maxAttempts: 2)
        ) { nil },
        .run(
            "name", id: Work(number: 3), queue: Line(), priority: .high, delay: .seconds(4), restart: .ask,
            retry: .constant(maxAttempts: 2)
        ) { _ in nil },
        .fireAndForget(
            "name", id: Work(number: 3), queue: Line(), priority: .high, delay: .seconds(4), restart: .ask,
            retry: .constant(maxAttempts: 2)
        ) {},
        .fireAndForget(
            "name", id: Work(number: 3), queue: Line(), priority: .high, delay: .seconds(4), restart: .ask,
            retry: .constant(maxAttempts: 2)
        ) { _ in },
        .stream(
            "name", id: Work(number: 3), queue: Line(), priority: .high, delay: .seconds(4), restart: .ask,
            retry: .constant(maxAttempts: 2)
        ) { _, _ in },
        .sequence(
            "name", id: Work(number: 3), queue: Line(), priority: .high, delay: .seconds(4), restart: .ask,
            retry: .constant(maxAttempts: 2)
        ) { _ in counting(0..<1) },
        .ephemeral("name", id: Work(number: 3), queue: Line(), priority: .high, delay: .seconds(4)) { _ in },
    ]

    @Test(arguments: spelledOut.indices) func `a run keeps all its arguments`(_ index: Int) throws {
        let run = try #require(Self.spelledOut[index].runs.first)
        #expect(run.name == "name")
        #expect(run.id == AnyEffectID(Work(number: 3)))
        #expect(run.queue.map(AnyEffectID.init) == AnyEffectID(Line()))
        #expect(run.priority == .high)
        #expect(run.delay == .seconds(4))
        if run.isEphemeral { return }
        #expect(run.restart.kind == .ask)
        #expect(run.retry == .constant(maxAttempts: 2))
    }

    @Test func `an omitted argument has its default`() throws {
        let run = try #require(Effect<Int>.run { nil }.runs.first)
        #expect(run.name == nil && run.id == nil && run.queue == nil && run.priority == nil)
        #expect(run.delay == .zero && run.retry == .never && run.restart.kind == .resume && !run.isEphemeral)
    }

    @Test(
        arguments: [
            (.resume, "resume", false), (.cancel, "cancel", true), (.ask, "ask", true),
            (.dispatch(1), "dispatch", true),
        ] as [(Effect<Int>.Restart, String, Bool)])
    func `only resumed runs can start twice`(_ restart: Effect<Int>.Restart, _ name: String, _ startsOnce: Bool) {
        #expect(restart.kind.rawValue == name)
        #expect(restart.startsOnce == startsOnce)
    }

    // MARK: Cancelling

    @Test func `a cancel chooses IDs by type and condition`() throws {
        let all = try #require(Effect<Int>.cancel(ids: Work.self).conditions.first)
        let some = try #require(Effect<Int>.cancel(ids: Work.self, where: { $0.number > 3 }).conditions.first)
        let unnamed = try #require(Effect<Int>.cancel(ids: { $0 == nil }).conditions.first)
        let ids: [AnyEffectID?] = [
            AnyEffectID(Work(number: 1)), AnyEffectID(Work(number: 4)), AnyEffectID(Other(number: 4)), nil,
        ]
        #expect(ids.map(all) == [true, true, false, false])
        #expect(ids.map(some) == [false, true, false, false])
        #expect(ids.map(unnamed) == [false, false, false, true])
    }

    // MARK: Actomaton's names

    @Test func `Actomaton's names create the same effects`() throws {
        #expect(Effect<Int>.empty.outline == [])
        #expect(Effect<Int>.nextAction(3).outline == ["next 3"])
        let run = try #require(Effect<Int>(id: Work(number: 3), queue: Line(), priority: .low) { 5 }.runs.first)
        let sequence = try #require(
            Effect<Int>(
                id: Work(number: 3), queue: Line(), priority: .low, sequence: { Self.counting(0..<1) }
            ).runs.first)
        for run in [run, sequence] {
            #expect(run.id == AnyEffectID(Work(number: 3)))
            #expect(run.queue.map(AnyEffectID.init) == AnyEffectID(Line()))
            #expect(run.priority == .low)
        }
    }

    struct OldID: EffectIDProtocol {}
    struct OldQueue: EffectQueueProtocol {
        var effectQueuePolicy: EffectQueuePolicy { .runOldest(maxCount: 2, .discardNew) }
        var effectQueueDelay: EffectQueueDelay { .random(0.1...0.3) }
    }
    struct OldNewest: Newest1EffectQueueProtocol {}
    struct OldDiscard: Oldest1DiscardNewEffectQueueProtocol {}
    struct OldSuspend: Oldest1SuspendNewEffectQueueProtocol {}

    @Test func `Actomaton's queues have the policies of Actomaton`() {
        #expect(OldNewest().effectQueuePolicy == .runNewest(maxCount: 1))
        #expect(OldDiscard().effectQueuePolicy == .runOldest(maxCount: 1, .discardNew))
        #expect(OldSuspend().effectQueuePolicy == .runOldest(maxCount: 1, .suspendNew))
        #expect(OldSuspend().effectQueueDelay == .zero)
        let effect = Effect<Int>(id: OldID(), queue: OldQueue()) { 1 } + .cancel(id: OldID()) + .cancel(ids: OldID.self)
        #expect(effect.outline == ["run -", "cancel \(OldID())", "cancel where"])
    }
}
