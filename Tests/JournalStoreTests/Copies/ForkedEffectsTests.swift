import Foundation
import JournalTesting
import Testing
import TortureKit

@testable import JournalStore

@Suite struct `The effects of a fork`: AtDesk {
    let desk: Desk

    init() throws { desk = try Desk() }

    private var fork: String { folder.path("fork.db") }

    /// A journal with a stopped clock.
    private func open(_ path: String) throws -> Journal { try openJournal(path, clock) }

    /// A step that is committed a second before the next one.
    private func stepBeforeAnother(_ store: Store<Play, Score>) async throws -> Int {
        clock.move(by: .seconds(1))
        let step = try await store.dispatch(.add(1)).step
        clock.move(by: .seconds(1))
        try await store.dispatch(.add(1))
        return step
    }

    /// `x` runs until the door is open; `y` ends at once.
    private func effects(_ door: Door, _ keys: Box<[String]>) -> @Sendable (String) -> Effect<Play> {
        { name in
            .run(name) { context in
                keys.change { $0.append("\(name) \(context.idempotencyKey)") }
                if name == "x" { await door.pass() }
                return .ended(name)
            }
        }
    }

    @Test func `a fork asks about the runs that were live at its step, even if they have ended since`() async throws {
        let (door, keys) = (Door(), Box<[String]>([]))
        let journal = try open(path)
        let store = try await journal.openPlay(effects: effects(door, keys))
        try await store.dispatch(.start("y")).completion()
        try await store.dispatch(.start("x"))
        await door.comers(1)
        clock.move(by: .seconds(1))
        let step = try await store.dispatch(.add(1)).step
        clock.move(by: .seconds(1))
        door.open()
        try await store.says("y", "x")
        try await store.flush()
        try await journal.reader.fork("a", at: step, to: fork)
        try await journal.close()
        let runs = "SELECT step, name, status, delivered, ended IS NULL FROM effect_run ORDER BY step"
        #expect(try sql(runs) == ["1|y|completed|1|0", "3|x|completed|1|0"])
        #expect(try sql(runs, fork) == ["1|y|completed|1|0", "3|x|asked|0|1"])

        let forked = try open(fork)
        let other = try await forked.openPlay(effects: effects(door, keys))
        #expect(other.recovery.asked.map(\.name) == ["x"])
        #expect(keys.value.count == 2)
        try await other.release(RunKey(step: 3, ordinal: 0))
        try await other.says("y", "x")
        // It is the same effect, so it has the same idempotency key.
        #expect(keys.value.count == 3)
        #expect(keys.value[2] == keys.value[1])
        #expect(try await forked.verify().problems == [])
        try await forked.close()
    }

    @Test func `a fork does not ask about a run that had failed at its step and was retried later`() async throws {
        let fails = Box(true)
        let effects: @Sendable (String) -> Effect<Play> = { name in
            .run(name) {
                if fails.value { throw EffectFailure(description: "no") }
                return .ended(name)
            }
        }
        let journal = try open(path)
        let store = try await journal.openPlay(effects: effects)
        try await store.dispatch(.start("x")).completion()
        let step = try await stepBeforeAnother(store)
        clock.move(by: .seconds(1))
        fails.change { $0 = false }
        try await store.retry(RunKey(step: 1, ordinal: 0))
        try await store.says("x")
        try await store.flush()
        try await journal.reader.fork("a", at: step, to: fork)
        try await journal.close()
        let runs = "SELECT status, attempts, delivered, ended IS NULL FROM effect_run"
        #expect(try sql(runs) == ["completed|2|1|0"])
        #expect(try sql(runs, fork) == ["failed|1|0|0"])
        #expect(try sql("SELECT attempt, outcome, error FROM attempts", fork) == ["1|failed|no"])
        #expect(try JournalReader(path: fork).verify().problems == [])

        let forked = try open(fork)
        #expect(try await forked.openPlay(effects: effects).liveRuns().isEmpty)
        try await forked.close()
    }

    @Test func `a fork counts the attempts of a run until its step, so that the others are made again`() async throws {
        let journal = try open(path)
        let store = try await journal.openPlay(clock: clock) { name in
            .run(name, retry: .constant(maxAttempts: 3, delay: .seconds(60))) { throw EffectFailure(description: "no") }
        }
        try await store.dispatch(.start("x"))
        await clock.sleepers(1)
        let step = try await stepBeforeAnother(store)
        clock.move(by: .seconds(60))
        await clock.sleepers(1)
        try await store.flush()
        try await journal.reader.fork("a", at: step, to: fork)
        try await journal.close()
        let runs = "SELECT status, attempts, failures FROM effect_run"
        #expect(try sql(runs) == ["delayed|2|2"])
        #expect(try sql(runs, fork) == ["asked|1|1"])
        #expect(try sql("SELECT attempt, error FROM effect_attempt", fork) == ["1|no"])
    }

    @Test func `a fork sends no action again because its run reported its cancel after the fork's step`() async throws {
        let door = Door()
        let effects: @Sendable (String) -> Effect<Play> = { name in
            .stream(name, id: name) { send, context in
                for number in context.delivered..<2 { try await send(.ended("\(number)")) }
                await door.pass()
            }.onCancel(.ended("undone"))
        }
        let journal = try open(path)
        let store = try await journal.openPlay(effects: effects)
        try await store.dispatch(.start("x"))
        await door.comers(1)
        let step = try await stepBeforeAnother(store)
        try await store.cancel(id: "x")
        try await store.says("0", "1", "undone")
        try await store.flush()
        try await journal.reader.fork("a", at: step, to: fork)
        door.open()
        try await journal.close()
        #expect(try sql("SELECT status, delivered FROM effect_run", fork) == ["asked|2"])

        let forked = try open(fork)
        let other = try await forked.openPlay(effects: effects)
        try await other.release(RunKey(step: 1, ordinal: 0))
        await other.join()
        #expect(other.state.log == ["0", "1"])
        #expect(try await forked.verify().problems == [])
        try await forked.close()
    }

    @Test func `a fork sends each action of a body again, also one that equals its cancel action`() async throws {
        let door = Door()
        let effects: @Sendable (String) -> Effect<Play> = { name in
            .stream(name, id: name) { send, context in
                for number in context.delivered..<2 { try await send(.ended("\(number)")) }
                await door.pass()
            }.onCancel(.ended("1"))
        }
        let journal = try open(path)
        let store = try await journal.openPlay(effects: effects)
        let step = try await store.dispatch(.start("x")).step
        await door.comers(1)
        try await store.cancel(id: "x")
        try await store.says("0", "1", "1")
        try await store.flush()
        try await journal.reader.fork("a", at: step, to: fork)
        door.open()
        try await journal.close()
        #expect(try sql("SELECT status, delivered FROM effect_run") == ["cancelled|2"])
        #expect(try sql("SELECT status, delivered FROM effect_run", fork) == ["asked|0"])
    }

    @Test func `a fork does not ask about what its last step has cancelled`() async throws {
        let door = Door()
        let journal = try open(path)
        let store = try await journal.openPlay { name in
            .run(name, id: name) {
                await door.pass()
                return .ended(name)
            }
        }
        try await store.dispatch(.start("x"))
        await door.comers(1)
        clock.move(by: .seconds(1))
        // The cancellation is recorded later than the step.
        let step = try await store.dispatch(.cancel("x")).step
        clock.move(by: .seconds(1))
        try await store.dispatch(.add(1))
        try await store.flush()
        let runs = "SELECT name, status FROM effect_run"
        for (last, status) in [(step - 1, "asked"), (step, "cancelled"), (step + 1, "cancelled")] {
            let copy = folder.path("\(last).db")
            try await journal.reader.fork("a", at: last, to: copy)
            #expect(try sql(runs, copy) == ["x|\(status)"])
        }
        door.open()
        try await journal.close()
    }

    /// A play whose effects wait for ever, and say so when they are cancelled.
    private static let undoing: @Sendable (String) -> Effect<Play> = { name in
        .run(name, id: name) {
            try await forever()
            return nil
        }.onCancel(.ended("undone"))
    }

    @Test(arguments: ["reducer", "caller", "operator"])
    func `a run that was cancelled says so in a fork and in a detached copy, and does not run there`(
        _ canceller: String
    ) async throws {
        let journal = try open(path)
        let store = try await journal.openPlay(effects: Self.undoing)
        var step = try await store.dispatch(.start("x")).step
        try await store.flush()
        clock.move(by: .seconds(1))
        switch canceller {
        case "reducer": step = try await store.dispatch(.cancel("x")).step
        case "caller": try await store.cancel(id: "x")
        default:
            try await store.close()
            try await journal.cancel(RunKey(step: 1, ordinal: 0), in: "a")
        }
        if canceller == "operator" {
            #expect(try sql("SELECT status FROM effect_run") == ["cancelling"])
            try await journal.backup(to: folder.path("detached.db"), detached: true)
        } else {
            try await store.says("undone")
            try await store.flush()
        }
        try await journal.reader.fork("a", at: step, to: fork)
        try await journal.close()
        for copy in [fork] + (canceller == "operator" ? [folder.path("detached.db")] : []) {
            #expect(try sql("SELECT status FROM effect_run", copy) == ["cancelling"])
            let forked = try open(copy)
            let other = try await forked.openPlay(effects: Self.undoing)
            try await other.says("undone")
            try await other.flush()
            #expect(other.recovery.asked.isEmpty)
            #expect(try sql("SELECT status FROM effect_run", copy) == ["cancelled"])
            #expect(try await forked.verify().problems == [])
            try await forked.close()
        }
    }

    /// The actions of timers that are due together share a transaction, and so have one time.
    @Test func `a fork does not ask about a timer whose action it has, and the next step has the same time`()
        async throws
    {
        let timers: @Sendable (String) -> Effect<Play> = { .after(.seconds(60), .ended($0)) }
        let names = ["x", "y", "z"]
        let journal = try open(path)
        let store = try await journal.openPlay(clock: clock, effects: timers)
        for name in names { try await store.dispatch(.start(name)) }
        try await store.flush()
        await clock.sleepers(1)
        clock.move(by: .seconds(60))
        _ = try await store.dispatch(.add(0)) { $0.log == names }
        try await store.flush()
        let rings = try journal.reader.entries(in: "a").filter { $0.origin == .effect }
        #expect(Set(rings.map(\.time)).count == 1)
        for (index, ring) in rings.enumerated() {
            let copy = folder.path("\(index).db")
            try await journal.reader.fork("a", at: ring.step, to: copy)
            let statuses = names.indices.map { $0 <= index ? "completed" : "asked" }
            #expect(try sql("SELECT status FROM effect_run ORDER BY step", copy) == statuses)
            let forked = try open(copy)
            let other = try await forked.openPlay(clock: clock, effects: timers)
            for run in try await other.liveRuns() { try await other.release(run.key) }
            await other.join()
            #expect(other.state.log.sorted() == names)
            #expect(try await forked.verify().problems == [])
            try await forked.close()
        }
        try await journal.close()
    }

    @Test func `a fork asks about the effects of steps that were not settled when it was made`() async throws {
        let journal = try open(path)
        let stream = try await journal.openStream("a", machine: "play")
        let codec = JSONCodec()
        for action in [Play.start("y"), .add(1), .start("z")] { try await stream.append(codec.encode(action)) }
        try await journal.reader.fork("a", at: 2, to: fork)
        try await journal.close()
        let keys = Box<[String]>([])
        let forked = try open(fork)
        let store = try await forked.openPlay(effects: effects(Door(), keys))
        #expect(store.recovery.unsettledSteps == 2)
        #expect(store.recovery.asked.map(\.name) == ["y"])
        #expect(try await store.liveRuns().map(\.status) == [.asked])
        #expect(keys.value.isEmpty)
        // Effects of the fork's own steps start.
        try await store.dispatch(.start("z")).completion()
        #expect(keys.value.count == 1)
        try await store.release(RunKey(step: 1, ordinal: 0))
        try await store.says("z", "y")
        try await forked.close()
        let original = try open(path)
        let other = try await original.openPlay(effects: effects(Door(), keys))
        // They run at the same time.
        _ = try await other.dispatch(.add(0)) { $0.log.sorted() == ["y", "z"] }
        try await original.close()
    }

    @Test func `an ephemeral effect of a step that was not settled does not run in a fork`() async throws {
        let journal = try open(path)
        let stream = try await journal.openStream("a", machine: "play")
        for action in [Play.start("y"), .add(1)] { try await stream.append(JSONCodec().encode(action)) }
        try await journal.reader.fork("a", at: 2, to: fork)
        try await journal.close()
        let began = Box<[Int]>([])
        let forked = try open(fork)
        let store = try await forked.openPlay { name in
            let effect: Effect<Play> = .ephemeral(name) { context in
                began.change { $0.append(context.step) }
            }
            return effect.onCancel(.ended("cancelled \(name)"))
        }
        #expect(try await store.liveRuns().isEmpty)
        #expect(try await store.allLiveRuns().isEmpty)
        #expect(store.state.log.isEmpty)
        await (try store.dispatch(.start("z"))).completion()
        #expect(began.value == [3])
        try await forked.close()
    }

    @Test func `a fork drops remembered steps of runs not yet started, and later interventions on runs`() async throws {
        let journal = try open(path)
        let stream = try await journal.openStream("a", machine: "m")
        try await stream.append("1")
        clock.move(by: .seconds(10))
        try await stream.append("2")
        var batch = Batch()
        let (early, late) = (Timestamp(microseconds: 0), clock.wallClock())
        for (ordinal, started) in [early, late].enumerated() {
            batch.runs.append(
                EffectRun(
                    stream: stream.id, step: 1, ordinal: ordinal, rootStep: 1, name: "x", status: .running, attempts: 1,
                    started: started))
            batch.remembered.append(
                RememberedStep(
                    stream: stream.id, step: 1, ordinal: ordinal, path: "", name: "s", use: 1, result: "\(ordinal)"))
        }
        batch.settled = [stream.id: 2]
        batch.interventions = [
            stream.id: [
                Intervention(act: .cancel, step: 1, ordinal: 0, time: late),
                Intervention(act: .skip, step: 1, time: late),
                Intervention(act: .retry, step: 1, ordinal: 1, time: early),
                Intervention(act: .skip, step: 2, time: early),
            ]
        ]
        _ = try await journal.commit(batch)
        try await journal.close()
        try await JournalReader(path: path).fork("a", at: 1, to: fork)
        #expect(try sql("SELECT ordinal, attempts FROM effect_run", fork) == ["0|1", "1|0"])
        #expect(try sql("SELECT result FROM effect_step", fork) == ["0"])
        #expect(try sql("SELECT act, step FROM intervention ORDER BY act", fork) == ["retry|1", "skip|1"])
    }

    @Test func `a fork does not know the end of an attempt that was under way at its step`() async throws {
        let door = Door()
        let journal = try open(path)
        let store = try await journal.openPlay(clock: clock) { name in
            .run(name, retry: .constant(maxAttempts: 3, delay: .seconds(60))) {
                await door.pass()
                throw EffectFailure(description: "no")
            }
        }
        try await store.dispatch(.start("x"))
        await door.comers(1)
        let step = try await stepBeforeAnother(store)
        door.open()
        await clock.sleepers(1)
        clock.move(by: .seconds(60))
        await door.comers(2)
        await clock.sleepers(1)
        try await store.flush()
        try await journal.reader.fork("a", at: step, to: fork)
        try await journal.close()
        let attempts = "SELECT attempt, ended IS NULL, error FROM effect_attempt"
        #expect(try sql(attempts) == ["1|0|no", "2|0|no"])
        #expect(try sql(attempts, fork) == ["1|1|"])
        #expect(try JournalReader(path: fork).verify().problems == [])
    }

    @Test func `a fork asks about a run that was retried after an operator had cancelled it`() async throws {
        let journal = try open(path)
        var store = try await journal.openPlay(effects: Self.undoing)
        try await store.dispatch(.start("x"))
        try await store.close()
        let key = RunKey(step: 1, ordinal: 0)
        try await journal.cancel(key, in: "a")
        store = try await journal.openPlay(effects: Self.undoing)
        try await store.says("undone")
        try await store.retry(key)
        let step = try await stepBeforeAnother(store)
        try await store.cancel(id: "x")
        try await store.says("undone", "undone")
        try await store.flush()
        try await journal.reader.fork("a", at: step, to: fork)
        try await journal.close()
        #expect(try sql("SELECT status FROM effect_run") == ["cancelled"])
        #expect(try sql("SELECT status FROM effect_run", fork) == ["asked"])
    }
}
