import Foundation
import JournalTesting
import Testing
import TortureKit

@testable import JournalStore

@Suite struct `Reducers and effects that misbehave` {
    struct Broken: Error, CustomStringConvertible { var description: String { "broken" } }

    @Test func `an effect that throws does not make others fail`() async throws {
        let folder = try TemporaryFolder()
        let journal = try openJournal(folder.path("a.db"))
        let store = try await journal.openPlay { name in
            .run("bad") { throw Broken() } + .run("good") { .ended("good") }
        }
        let dispatched = try await store.dispatch(.start("x"))
        var results: [String] = []
        for await result in dispatched.results {
            switch result {
            case .success(let action): results.append("\(action)")
            case .failure(let error): results.append("\(error)")
            }
        }
        #expect(results.sorted() == ["broken", "ended(\"good\")"])
        #expect(dispatched.errors.map { "\($0)" } == ["broken"])
        #expect(store.state.log == ["good"])
        try await store.flush()
        #expect(
            try Shell(folder.path("a.db"), readOnly: true)("SELECT name, status, error FROM effect_run")
                == ["bad|failed|broken", "good|completed|"])
        try await journal.close()
    }

    @Test func `an effect that hangs and ignores its cancellation blocks neither queue nor close`() async throws {
        struct One: Newest1EffectQueue {}
        let journal = try Journal.inMemory()
        let door = Door()
        let store = try await journal.openPlay { name in
            .run(name, queue: One()) {
                if name == "hangs" { await door.pass() }
                return .ended(name)
            }
        }
        try await store.dispatch(.start("hangs"))
        await door.comers(1)
        let next = try await store.dispatch(.start("next"))
        await next.completion()
        #expect(store.state.log == ["next"])
        try await store.close()
        door.open()
        #expect(try journal.reader.effectRuns(in: "a").map(\.status) == [.evicted, .completed])
    }

    @Test func `a reducer that hangs blocks its own store and no other`() async throws {
        let journal = try Journal.inMemory(options: reducingOnce)
        let entered = DispatchSemaphore(value: 0)
        let leave = DispatchSemaphore(value: 0)
        let slow = try await journal.openPlay(
            "slow",
            reduced: { _, _ in
                entered.signal()
                leave.wait()
            })
        let other = try await journal.openPlay("other")
        let hanging = Thread { _ = try? slow.blocking.dispatch(.add(1)) }
        hanging.start()
        await Task.detached { wait(for: entered) }.value
        try await other.dispatch(.add(5))
        #expect(other.state.sum == 5)
        #expect(slow.state.sum == 0)
        leave.signal()
        _ = try await other.dispatch(.add(1))
        leave.signal()
        let state = try await slow.dispatch(.add(1)) { $0.sum == 2 }
        #expect(state.sum == 2)
    }

    @Test func `an action that a body sends after its end is refused`() async throws {
        let journal = try Journal.inMemory()
        let kept = Box<[Effect<Play>.Send]>([])
        let store = try await journal.openPlay { name in
            .stream(name) { send, _ in kept.change { $0.append(send) } }
        }
        let dispatched = try await store.dispatch(.start("x"))
        await dispatched.completion()
        let late = await error { try await kept.value[0](.ended("late")) }
        #expect(late is CancellationError)
        #expect(store.state.log == [])
        try await store.close()
        let later = await error { try await kept.value[0](.ended("later")) }
        #expect(later is CancellationError)
        #expect(try journal.reader.entries(in: "a").count == 1)
    }

    @Test func `all actions of a body that sends ten thousand are reduced, while others dispatch`() async throws {
        let folder = try TemporaryFolder()
        let journal = try openJournal(folder.path("a.db")) { $0.durability = .normal }
        let store = try await journal.openPlay { name in
            .stream(name) { send, _ in
                for number in 1...10_000 { try await send(.add(number)) }
            }
        }
        let dispatched = try await store.dispatch(.start("x"))
        // Others dispatch meanwhile.
        for _ in 0..<100 { try await store.dispatch(.ended("other")) }
        await dispatched.completion()
        #expect(store.state.sum == 10_000 * 10_001 / 2)
        #expect(store.state.log.count == 100)
        try await store.flush()
        let shell = try Shell(folder.path("a.db"), readOnly: true)
        #expect(try shell("SELECT delivered, status FROM effect_run") == ["10000|completed"])
        #expect(try shell("SELECT count(*) FROM entry WHERE origin = 1") == ["10000"])
        try await journal.close()
    }

    @Test func `many child tasks of one body can send at the same time`() async throws {
        let journal = try Journal.inMemory()
        let store = try await journal.openPlay { name in
            .stream(name) { send, _ in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<100 { group.addTask { try await send(.add(1)) } }
                    try await group.waitForAll()
                }
            }
        }
        let dispatched = try await store.dispatch(.start("x"))
        await dispatched.completion()
        #expect(store.state.sum == 100)
    }

    @Test func `an effect can dispatch to its own store, wait for that, cancel itself, and close it`() async throws {
        let journal = try Journal.inMemory()
        let box = Box<Store<Play, Score>?>(nil)
        let closed = Signal()
        let store = try await journal.openPlay { name in
            .run(name, id: name) {
                guard let store = box.value else { return nil }
                switch name {
                case "dispatches":
                    let inner = try await store.dispatch(.start("inner"), trackingFeedback: true)
                    await inner.completion()
                    return .ended(name)
                case "cancels itself":
                    try await store.cancel(id: name)
                    return .ended(name)
                case "closes":
                    try await store.close()
                    closed.send()
                    return .ended(name)
                default: return .ended(name)
                }
            }
        }
        box.change { $0 = store }
        await (try await store.dispatch(.start("dispatches"))).completion()
        #expect(store.state.log == ["inner", "dispatches"])
        await (try await store.dispatch(.start("cancels itself"))).completion()
        #expect(store.state.log == ["inner", "dispatches"])
        let last = try await store.dispatch(.start("closes"))
        await last.completion()
        await closed.wait()
        #expect(store.state.log == ["inner", "dispatches"])
        box.change { $0 = nil }
        #expect(try journal.reader.effectRuns(in: "a").map(\.status) == [.completed, .completed, .cancelled, .running])
    }

    @Test func `a reducer that calls its own store and waits gets an error and does not deadlock`() async throws {
        let journal = try Journal.inMemory(options: reducingOnce)
        let box = Box<Store<Play, Score>?>(nil)
        let errors = Box<[JournalError.Code]>([])
        let store = try await journal.openPlay(reduced: { action, _ in
            guard action == .add(1), let store = box.value else { return }
            do throws(JournalError) { try store.blocking.dispatch(.add(2)) } catch {
                errors.change { [error] in $0.append(error.code) }
            }
        })
        box.change { $0 = store }
        try await store.dispatch(.add(1))
        #expect(errors.value == [.reentrant])
        #expect(store.state.sum == 1)
        box.change { $0 = nil }
    }

    @Test func `a step whose next actions are all rejected keeps its state and has no record`()
        async throws
    {
        let machine = Machine<Int, Int, Void>("chain", initialState: 0) { number, sum, _ in
            sum += number
            return number > 0 ? .next(-number) : .reject("below zero")
        }
        let folder = try TemporaryFolder()
        let journal = try openJournal(folder.path("a.db"))
        let store = try await journal.open(machine, stream: "s")
        #expect(try await store.dispatch(3).outcome == .reduced)
        #expect(store.state == 3)
        try await store.flush()
        #expect(try Shell(folder.path("a.db"), readOnly: true)("SELECT count(*) FROM step_record") == ["0"])
        try await journal.close()
    }

    @Test func `a cascade without end is rejected as a whole`() async throws {
        let journal = try Journal.inMemory()
        let store = try await journal.openPlay()
        let dispatched = try await store.dispatch(.cascade(20_000))
        guard case .rejected(let reason) = dispatched.outcome else {
            Issue.record("the outcome is \(dispatched.outcome)")
            return
        }
        #expect(reason.contains("10000"))
        #expect(store.state == Score())
        #expect(try await store.dispatch(.cascade(9_999)).outcome == .reduced)
        #expect(store.state.log.count == 10_000)
    }

    @Test func `an effect ID or a queue that does not encode fails that run and nothing else`() async throws {
        struct Odd: EffectID { var value = Double.nan }
        struct OddQueue: EffectQueue {
            var value = Double.infinity
            var effectQueuePolicy: EffectQueuePolicy { .runNewest(maxCount: 1) }
        }
        let folder = try TemporaryFolder()
        let journal = try openJournal(folder.path("a.db"))
        let store = try await journal.openPlay { name in
            .run("odd", id: Odd()) { .ended("odd") } + .run("queue", queue: OddQueue()) { .ended("queue") }
                + .run("fine") { .ended("fine") }
        }
        let dispatched = try await store.dispatch(.start("x"))
        await dispatched.completion()
        #expect(store.state.log == ["fine"])
        #expect(dispatched.errors.count == 2)
        try await store.flush()
        let rows = try Shell(folder.path("a.db"), readOnly: true)(
            "SELECT name, status, error FROM effect_run ORDER BY ordinal")
        #expect(rows.count == 3)
        #expect(rows[0].hasPrefix("odd|failed|It cannot be encoded"))
        #expect(rows[1].hasPrefix("queue|failed|It cannot be encoded"))
        #expect(rows[2] == "fine|completed|")
        try await journal.close()
    }

    @Test func `an action of an effect that does not encode fails the effect`() async throws {
        enum Number: Codable, Sendable, Equatable { case start, got(Double) }
        let journal = try Journal.inMemory()
        let machine = Machine<Number, Double, Void>("numbers", initialState: 0) { action, state, _ in
            switch action {
            case .start: return .run { .got(.nan) }
            case .got(let value):
                state = value
                return .none
            }
        }
        let store = try await journal.open(machine, stream: "a")
        let dispatched = try await store.dispatch(.start)
        await dispatched.completion()
        #expect((dispatched.errors.first as? JournalError)?.code == .notStorable)
        try await store.flush()
        #expect(try journal.reader.effectRuns(in: "a").map(\.status) == [.failed])
    }

    @Test func `a plain effect whose action does not encode fails, and holds up no later call`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.db")
        // On this clock no hold ends.
        let (journal, clock) = (try Journal(path: path), ManualClock())
        try await onThread {
            let store = try PlainStore(
                state: 0, update: { (state: inout Double, action: Double) in state += action },
                effect: { _, action, dispatch in if action == 1 { dispatch(.nan) } }, journal: journal, clock: clock)
            for number in [1.0, 2.0] {
                try store.dispatch(number)
                try store.join()
            }
            #expect(store.state == 3)
            try store.close()
        }
        let runs = try Shell(path, readOnly: true)("SELECT step, status FROM effect_run ORDER BY step")
        #expect(runs == ["1|failed", "2|completed"])
    }

    @Test func `a state that does not encode is reported, and dispatching goes on`() async throws {
        let notices = Box<[Notice]>([])
        let told = Signal()
        var options = Journal.Options()
        options.snapshots = SnapshotPolicy(everySteps: 1, onClose: false)
        options.report = { notice in
            notices.change { $0.append(notice) }
            told.send()
        }
        let journal = try Journal.inMemory(options: options)
        let store = try await journal.open(
            Machine<Int, Double, Void>("odd", initialState: 0, update: { $0 = $1 == 0 ? .nan : Double($1) }),
            stream: "a")
        try await store.dispatch(0)
        await told.wait()
        #expect(notices.value[0].kind == .snapshotFailed)
        #expect(notices.value[0].error.code == .notStorable)
        #expect(notices.value[0].error.advice.hasSuffix(" Dispatching continues; the next opening takes longer."))
        #expect(notices.value[0].error.step == 1)
        #expect(try await store.dispatch(7).step == 2)
        #expect(store.state == 7)
    }

    private func error(_ body: () async throws -> Void) async -> (any Error)? {
        do {
            try await body()
            return nil
        } catch {
            return error
        }
    }
}

private func wait(for semaphore: DispatchSemaphore) { semaphore.wait() }
