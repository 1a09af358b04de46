import JournalTesting
import Testing
import TortureKit

@testable import JournalStore

@Suite struct `Failure actions`: AtDesk {
    struct Broken: Error, CustomStringConvertible { var description: String { "broken" } }

    let desk: Desk

    init() throws { desk = try Desk() }

    private func open(
        _ effects: @escaping @Sendable (String) -> Effect<Play>
    ) async throws -> (Journal, Store<Play, Score>) {
        let journal = try openJournal(path, clock)
        return (journal, try await journal.openPlay(clock: clock, effects: effects))
    }

    private static let kinds: [Named<@Sendable (Effect<Play>) -> Effect<Play>>] = [
        Named("an action", { $0.onFailure(.ended("told")) }),
        Named("a function", { $0.onFailure { $0 is Broken ? .ended("told") : nil } }),
    ]

    @Test(arguments: kinds) func `a failure action is an entry of the effect, and a waiting caller sees the error`(
        _ kind: Named<@Sendable (Effect<Play>) -> Effect<Play>>
    ) async throws {
        let (journal, store) = try await open { kind.value(.run($0) { throw Broken() }) }
        let dispatched = try await store.dispatch(.start("x"))
        await dispatched.completion()
        #expect(dispatched.errors.map { "\($0)" } == ["broken"])
        #expect(store.state.log == ["told"])
        try await store.flush()
        #expect(
            try sql("SELECT step, name, origin, cause FROM journal") == [
                "1|start|dispatched|", "2|ended|effect|step 1, effect 0",
            ])
        #expect(try sql("SELECT status, error, delivered FROM effect_run") == ["failed|broken|0"])
        #expect(try await journal.verify().isSound)
        try await journal.close()
    }

    @Test func `a retry after a reported failure sends the rest of a stream`() async throws {
        let isBroken = Box(true)
        let (journal, store) = try await open { name in
            .stream(name) { send, context in
                for action in context.undelivered(["one", "two"]) {
                    try await send(.ended(action))
                    if isBroken.value { throw Broken() }
                }
            }.onFailure(.ended("told"))
        }
        try await store.dispatch(.start("x"))
        try await store.says("one", "told")
        isBroken.change { $0 = false }
        try await store.retry(RunKey(step: 1))
        try await store.says("one", "told", "two")
        #expect(try sql("SELECT delivered FROM effect_run") == ["2"])
        try await journal.close()
    }

    @Test func `a failure function that returns nil leaves the failure as it is`() async throws {
        let (journal, store) = try await open { .run($0) { throw Broken() }.onFailure { _ in nil } }
        let dispatched = try await store.dispatch(.start("x"))
        await dispatched.completion()
        #expect(dispatched.errors.count == 1)
        try await store.settles()
        #expect(store.state.log == [])
        #expect(try sql("SELECT status, error, delivered FROM effect_run") == ["failed|broken|0"])
        try await journal.close()
    }

    @Test(arguments: kinds) func `a failure action of an ephemeral effect is dispatched as well`(
        _ kind: Named<@Sendable (Effect<Play>) -> Effect<Play>>
    ) async throws {
        let (journal, store) = try await open { kind.value(.ephemeral($0) { _ in throw Broken() }) }
        let dispatched = try await store.dispatch(.start("x"))
        await dispatched.completion()
        #expect(dispatched.errors.map { "\($0)" } == ["broken"])
        #expect(store.state.log == ["told"])
        try await store.flush()
        #expect(try sql("SELECT count(*) FROM effect_run") == ["0"])
        try await journal.close()
    }

    @Test func `a failure action is dispatched after the last retry, with its error`() async throws {
        let (journal, store) = try await open {
            .run($0, retry: .constant(maxAttempts: 3, delay: .seconds(5))) { context in
                throw EffectFailure(description: "\(context.attempt)")
            }.onFailure { .ended("\($0)") }
        }
        try await store.dispatch(.start("x"))
        for _ in 1...2 {
            await clock.sleepers(1)
            #expect(store.state.log == [])
            clock.move(by: .seconds(5))
        }
        try await store.says("3")
        try await journal.close()
    }

    @Test func `a failure action is dispatched at once if the error is not retried`() async throws {
        let (journal, store) = try await open {
            .run($0, retry: .constant(maxAttempts: 9, delay: .seconds(5)).except(Broken.self)) { throw Broken() }
                .onFailure(.ended("told"))
        }
        try await store.dispatch(.start("x"))
        try await store.says("told")
        try await store.flush()
        #expect(try sql("SELECT status, attempts FROM effect_run") == ["failed|1"])
        try await journal.close()
    }

    @Test func `retries end at the deadline, which counts from the first start, also across a restart`() async throws {
        let effects: @Sendable (String) -> Effect<Play> = {
            .run($0, retry: .constant(maxAttempts: 9, delay: .seconds(30), deadline: .seconds(70))) { context in
                throw EffectFailure(description: "\(context.attempt)")
            }.onFailure { .ended("\($0)") }
        }
        var (journal, store) = try await open(effects)
        try await store.dispatch(.start("x"))
        await clock.sleepers(1)
        clock.move(by: .seconds(20))
        try await journal.close()
        (journal, store) = try await open(effects)
        await clock.sleepers(1)
        #expect(clock.nextWake == .seconds(10))
        clock.move(by: .seconds(10))
        // The second try at 30, the third at 60, and none at 90.
        while clock.nextWake != .seconds(30) { await Task.yield() }
        clock.move(by: .seconds(30))
        try await store.says("3")
        try await journal.close()
    }

    @Test func `a failure action is dispatched if there is no handler`() async throws {
        let (journal, store) = try await open { .perform(Chore.sweep($0)).onFailure(.ended("told")) }
        try await store.dispatch(.start("x"))
        try await store.says("told")
        try await store.flush()
        #expect(try sql("SELECT status, substr(error, 1, 19) FROM effect_run") == ["failed|There is no handler"])
        try await journal.close()
    }

    @Test func `a failure action is dispatched if the final action does not encode`() async throws {
        enum Number: Codable, Sendable, Equatable { case start, got(Double), failed }
        let machine = Machine<Number, [String], Void>("numbers", initialState: []) { action, state, _ in
            guard action == .start else {
                state.append("\(action)")
                return .none
            }
            return .run { .got(.nan) }.onFailure(.failed)
        }
        let journal = try openJournal(path, clock)
        let store = try await journal.open(machine, stream: "a", clock: clock)
        _ = try await store.dispatch(.start) { $0 == ["failed"] }
        try await journal.close()
    }

    @Test func `a failure action of a cancelled effect is not dispatched`() async throws {
        let door = Door()
        let (journal, store) = try await open {
            .run($0, id: $0) {
                await door.pass()
                throw Broken()
            }.onFailure(.ended("told"))
        }
        try await store.dispatch(.start("x"))
        await door.comers(1)
        try await store.dispatch(.cancel("x"))
        door.open()
        try await store.settles()
        #expect(store.state.log == [])
        #expect(try sql("SELECT status FROM effect_run") == ["cancelled"])
        try await journal.close()
    }

    @Test func `a failed effect keeps its slot in the queue until its failure action is reduced`() async throws {
        let order = Box<[String]>([])
        let (journal, store) = try await open { name in
            .run(name, id: name, queue: JobQueue.suspending(1)) {
                order.change { $0.append(name) }
                throw Broken()
            }.onFailure(name == "a" ? .cancel("b") : .ended(name))
        }
        try await store.dispatch(contentsOf: [.start("a"), .start("b"), .start("c")])
        try await store.says("c")
        #expect(order.value == ["a", "c"])
        try await journal.close()
    }

    private static let unheard: [Named<@Sendable (Effect<Play>) -> Effect<Play>>] = [
        Named("no failure action", { $0 }),
        Named("a failure function that returns nil", { $0.onFailure { _ in nil } }),
    ]

    @Test(arguments: unheard) func `a failure without an action gives its slot to the next effect at once`(
        _ kind: Named<@Sendable (Effect<Play>) -> Effect<Play>>
    ) async throws {
        let started = Box<[String]>([])
        let journal = try openJournal(path) {
            // No deferred write has a transaction of its own.
            $0.idleDelay = .seconds(1_000_000)
        }
        let store = try await journal.openPlay { name in
            kind.value(
                .run(name, queue: JobQueue.suspending(1)) {
                    started.change { $0.append(name) }
                    throw Broken()
                })
        }
        try await store.dispatch(contentsOf: [.start("a"), .start("b"), .start("c")])
        await started.until { $0.count == 3 }
        #expect(started.value == ["a", "b", "c"])
        try await journal.close()
    }

    @Test(arguments: ["closure", "function", "described"])
    func `a failure action is committed once, with the record, wherever the process dies`(_ kind: String) async throws {
        let wreckage = try Wreckage()
        let effects: @Sendable (String) -> Effect<Play> = { name in
            switch kind {
            case "closure": .run(name) { throw Broken() }.onFailure(.ended("told"))
            case "function": .run(name) { throw Broken() }.onFailure { _ in .ended("told") }
            default: .perform(Chore.wash).onFailure(.ended("told"))
            }
        }
        let perform: Performing = { _, _ in throw Broken() }
        var journal = try wreckage.journal(clock)
        var store = try await journal.openChores(clock: clock, effects: effects, perform: perform)
        try await store.dispatch(.start("x"))
        try await store.says("told")
        try await store.flush()
        try await journal.close()
        var both: Set<[String]> = []
        for path in wreckage.paths {
            let shell = try Shell(path, readOnly: true)
            guard try shell("SELECT count(*) FROM entry") != ["0"] else { continue }
            let told = try shell("SELECT count(*) FROM entry WHERE cause_step = 1")
            #expect(try shell("SELECT count(*) FROM effect_run WHERE status = 'failed'") == told)
            both.insert(told)
            journal = try openJournal(path, clock)
            store = try await journal.openChores(clock: clock, effects: effects, perform: perform)
            try await store.says("told")
            try await store.settles()
            #expect(store.state.log == ["told"])
            #expect(try shell("SELECT status, delivered FROM effect_run") == ["failed|0"])
            try await journal.close()
        }
        #expect(both == [["0"], ["1"]])
    }

    @Test func `an effect that cannot be stored never starts, wherever the process dies before its failure action`()
        async throws
    {
        struct Odd: EffectID { var value = Double.nan }
        let wreckage = try Wreckage()
        let effects: @Sendable (String) -> Effect<Play> = { name in
            .run(name, id: Odd()) { .ended("started") }.onFailure(.ended("told"))
        }
        var journal = try wreckage.journal(clock)
        // The opening settles this step, and writes its records before it sends anything.
        try await journal.openStream("a", machine: "play").append(#"{"start":{"_0":"x"}}"#)
        try await journal.close()
        journal = try wreckage.journal(clock)
        var store = try await journal.openPlay(clock: clock, effects: effects)
        await store.join()
        try await journal.close()
        var wasBetween = false
        for path in wreckage.paths {
            guard try sql("SELECT count(*) FROM entry", path) != ["0"] else { continue }
            if try sql("SELECT status FROM effect_run", path) == ["delayed"] { wasBetween = true }
            journal = try openJournal(path, clock)
            store = try await journal.openPlay(clock: clock, effects: effects)
            await store.join()
            #expect(store.state.log == ["told"])
            try await journal.close()
        }
        #expect(wasBetween, "one kill comes after the record, and before the failure action")
    }
}
