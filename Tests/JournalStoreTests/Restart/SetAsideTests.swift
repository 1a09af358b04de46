import CFaultVFS
import CJournalSQLite
import Dispatch
import JournalTesting
import Testing
import TortureKit

@testable import JournalStore

/// Effects that wait for a decision, and what else an opening, a close or a person meets at the same moment.
@Suite struct `Effects that wait for a decision`: AtDesk {
    let desk: Desk
    private let started = Box(0)

    init() throws { desk = try Desk() }

    private func asks(_ name: String) -> Effect<Play> {
        .run(name, id: name, restart: .ask) { [started] in
            started.change { $0 += 1 }
            try await forever()
            return nil
        }
    }

    private let resumes: @Sendable (String) -> Effect<Play> = { name in
        .run(name) {
            try await forever()
            return nil
        }
    }

    private func statuses() throws -> [String] { try sql("SELECT status FROM effect_run") }

    @Test func `an effect that is asked about is asked about again, although other code was there meanwhile`()
        async throws
    {
        let journal = try openJournal(path, clock)
        let running = Signal()
        var store = try await journal.openPlay { name in
            .run(name, id: name, restart: .ask) {
                running.send()
                try await forever()
                return nil
            }
        }
        try await store.dispatch(.start("x"))
        await running.wait()
        try await store.close()
        store = try await journal.openPlay(effects: asks)
        #expect(store.recovery.asked.count == 1)
        try await store.close()
        store = try await journal.openPlay()
        #expect(store.recovery.orphaned.count == 1)
        #expect(store.recovery.asked.isEmpty, "nobody can release it")
        let key = try #require(try await store.liveRuns().first?.key)
        #expect(await journalError { try await store.release(key) }?.code == .otherEffects)
        try await store.close()
        #expect(try statuses() == ["asked"])
        store = try await journal.openPlay(effects: asks)
        #expect(store.recovery.asked.count == 1)
        try await store.flush()
        #expect(started.value == 0)
        try await store.release(key)
        try await store.flush()
        #expect(try statuses() == ["running"])
        try await journal.close()
    }

    @Test func `an opening that fails ends, although a cancel action waits`() async throws {
        let journal = try openJournal(path, clock)
        let store = try await journal.openPlay { asks($0).onCancel(.ended("cancelled")) }
        try await store.dispatch(.start("x"))
        let key = try #require(try await store.liveRuns().first?.key)
        try await store.close()
        try await journal.cancel(key, in: "a")
        #expect(try statuses() == ["cancelling"])
        let stream = try await journal.openStream("a", machine: "play")
        try await stream.append("garbage")
        try await stream.close()
        let error = await journalError { try await journal.openPlay() }
        #expect(error?.code == .notDecodable)
        try await journal.close()
    }

    @Test func `a second retry of an effect waits for the first`() async throws {
        let journal = try openJournal(path, { $0.reducesTwice = false })
        let (begun, mayEnd) = (Signal(), DispatchSemaphore(value: 0))
        let isRetrying = Box(false)
        let fails = Box(true)
        let store = try await journal.openPlay(
            effects: { name in
                .run(name) {
                    if fails.value { throw CancellationError() }
                    return .ended(name)
                }
            },
            reduced: { _, _ in
                guard isRetrying.value else { return }
                isRetrying.change { $0 = false }
                begun.send()
                mayEnd.wait()
            })
        await (try store.dispatch(.start("x"))).completion()
        try await store.flush()
        #expect(try statuses() == ["failed"])
        let key = RunKey(step: 1, ordinal: 0)
        isRetrying.change { $0 = true }
        fails.change { $0 = false }
        // The reducer blocks its thread, which must not be one of the few that all tasks share.
        let first = Task(executorPreference: OrderedExecutor()) { try await store.retry(key) }
        await begun.wait()
        #expect(await journalError { try await store.retry(key) }?.code == .notInThatState)
        mayEnd.signal()
        try await first.value
        try await store.says("x")
        #expect(try sql("SELECT name FROM journal WHERE name = 'ended'") == ["ended"])
        try await journal.close()
    }

    @Test(arguments: [EffectRun.Restart.ask, .cancel])
    func `an effect that is to run again and that its queue delays is continued by the next opening`(
        _ policy: EffectRun.Restart
    ) async throws {
        let queue = JobQueue.suspending(1, delay: .constant(.seconds(60)))
        let begun = Signal()
        let effects: @Sendable (String) -> Effect<Play> = { name in
            .run(name, queue: queue, restart: policy == .ask ? .ask : .cancel) {
                begun.send()
                try await forever()
                return nil
            }
        }
        let journal = try openJournal(path, clock)
        var store = try await journal.openPlay(clock: clock, effects: effects)
        try await store.dispatch(.start("x"))
        await begun.wait()
        try await store.flush()
        #expect(try statuses() == ["running"])
        try await store.close()
        let key = RunKey(step: 1, ordinal: 0)
        store = try await journal.openPlay(clock: clock, effects: effects)
        if policy == .ask {
            #expect(store.recovery.asked.map(\.key) == [key])
            try await store.release(key)
        } else {
            #expect(store.recovery.cancelled.map(\.key) == [key])
            try await store.flush()
            try await store.retry(key)
        }
        try await store.close()
        #expect(try statuses() == ["waiting"])
        store = try await journal.openPlay(clock: clock, effects: effects)
        #expect(store.recovery.resumed.map(\.key) == [key])
        #expect(store.recovery.asked.isEmpty)
        #expect(store.recovery.cancelled.isEmpty)
        try await journal.close()
    }

    @Test func `an effect waits for its retry, although the code did not return it meanwhile`() async throws {
        let effects: @Sendable (String) -> Effect<Play> = { [started] name in
            .run(name, retry: .constant(maxAttempts: 2, delay: .seconds(60))) {
                started.change { $0 += 1 }
                if started.value == 1 { throw CancellationError() }
                return .ended(name)
            }
        }
        let journal = try openJournal(path, clock)
        var store = try await journal.openPlay(clock: clock, effects: effects)
        try await store.dispatch(.start("x"))
        while try statuses() != ["delayed"] { try await store.flush() }
        try await store.close()
        store = try await journal.openPlay(clock: clock)
        #expect(store.recovery.orphaned.count == 1)
        try await store.close()
        #expect(try statuses() == ["orphaned"])
        store = try await journal.openPlay(clock: clock, effects: effects)
        try await store.close()
        #expect(try statuses() == ["delayed"])
        #expect(started.value == 1)
        store = try await journal.openPlay(clock: clock, effects: effects)
        clock.move(by: .seconds(60))
        try await store.says("x")
        #expect(started.value == 2)
        try await journal.close()
    }

    @Test func `a dispatch that is repeated waits for no effect that the code does not return any more`() async throws {
        let journal = try openJournal(path, clock)
        var store = try await journal.openPlay(effects: asks)
        try await store.dispatch(.start("x"), id: "once")
        try await store.close()
        store = try await journal.openPlay()
        #expect(store.recovery.orphaned.count == 1)
        let again = try await store.dispatch(.start("x"), id: "once")
        #expect(again.outcome == .repeated)
        await again.completion()
        try await journal.close()
    }

    @Test func `a restored effect is cancelled by a condition on its ID, as before the restart`() async throws {
        let journal = try openJournal(path, clock)
        var store = try await journal.openPlay(clock: clock) { .after(.seconds(60), .ended($0), id: $0) }
        for name in ["reminder", "other"] { try await store.dispatch(.start(name)) }
        try await store.close()
        store = try await journal.openPlay(clock: clock) { .after(.seconds(60), .ended($0), id: $0) }
        try await store.cancel(ids: { $0 == AnyEffectID("reminder") })
        #expect(try await store.liveRuns().map(\.effectID) == [AnyEffectID("other")])
        try await journal.close()
    }

    @Test func `an ID equals its stored form, and no other`() throws {
        struct Number: EffectIDProtocol { var number: Int }
        let stored = try JSONCodec().decode(AnyEffectID.self, from: JSONCodec().encode(AnyEffectID(Number(number: 7))))
        let typed = AnyEffectID(Number(number: 7))
        #expect(stored == typed && typed == stored)
        #expect(Set([stored, typed]).count == 1)
        #expect(stored != AnyEffectID(Number(number: 8)))
        #expect(stored != AnyEffectID(7))
    }

    @Test func `closing a store tells if its last records could not be written`() async throws {
        let vfs = FaultVFS()
        let journal = try openJournal(path, clock, vfs: vfs.name)
        let door = Door()
        let store = try await journal.openPlay { name in
            .run(name) {
                await door.pass()
                return nil
            }
        }
        let dispatched = try await store.dispatch(.start("x"))
        try await store.flush()
        await door.comers(1)
        vfs.fail(FAULT_WRITE, suffix: "-wal", count: -1, code: SQLITE_FULL)
        door.open()
        await dispatched.completion()
        let error = await journalError { try await store.close() }
        #expect(error?.code == .diskFull && error?.stream != nil)
        #expect(error?.advice.contains("what it had not recorded is forgotten") == true)
        vfs.clear()
        #expect(try statuses() == ["running"])
        let again = try await journal.openPlay { name in .run(name) { nil } }
        #expect(again.recovery.resumed.count == 1)
        try await again.close()
        try await journal.close()
    }

    @Test func `an act on a full disk is done, says that it is recorded later, and is`() async throws {
        let vfs = FaultVFS()
        let journal = try openJournal(path, clock, vfs: vfs.name)
        let store = try await journal.openPlay(effects: resumes)
        try await store.dispatch(.start("x"))
        try await store.flush()
        vfs.fail(FAULT_WRITE, suffix: "-wal", count: -1, code: SQLITE_FULL)
        let error = await journalError { try await journal.cancel(RunKey(step: 1), in: "a") }
        #expect(error?.code == .diskFull)
        #expect(error?.advice.contains(" Do not repeat the act: it has been done in this process") == true)
        #expect((error?.stream, error?.step) == ("a", 1))
        #expect(try await store.liveRuns().isEmpty)
        #expect(try statuses() == ["running"])
        vfs.clear()
        try await store.flush()
        #expect(try statuses() == ["cancelled"])
        #expect(try journal.reader.interventions(in: "a").map(\.act) == [.cancel])
        try await journal.close()
    }

    @Test func `an operator waits until an opening has decided about the effects`() async throws {
        let journal = try openJournal(path, clock)
        var store = try await journal.openPlay(effects: resumes)
        try await store.dispatch(.start("x"))
        try await store.flush()
        try await store.close()
        let stream = try await journal.openStream("a", machine: "play")
        try await stream.append(#"{"draw":{}}"#)
        try await stream.close()
        let (begun, mayEnd, isBegun) = (Signal(), DispatchSemaphore(value: 0), Box(false))
        let machine = changed(play) {
            $0.codec = ObservedCodec { text in
                guard text.contains(#""draw""#), !isBegun.value else { return }
                isBegun.change { $0 = true }
                begun.send()
                mayEnd.wait()
            }
        }
        // The codec blocks its thread, which must not be one of the few that all tasks share.
        let opening = Task(executorPreference: OrderedExecutor()) { [resumes] in
            try await journal.open(machine, stream: "a", environment: Stage(effects: resumes))
        }
        await begun.wait()
        let engine = try #require(
            journal.stores.withLock { $0.byStream.values.first?.store } as? StoreEngine<Play, Score>)
        let answers = Box(0)
        let answered = Signal()
        engine.post(
            .intervene(.cancel, RunKey(step: 1, ordinal: 0), nil, Intervention.Remarks()) { _ in
                answers.change { $0 += 1 }
                answered.send()
            })
        for _ in 1...3 { try await journal.writer.exclusively { _ in } }
        #expect(answers.value == 0)
        mayEnd.signal()
        store = try await opening.value
        await answered.wait()
        try await store.flush()
        #expect(try statuses() == ["cancelled"])
        try await journal.close()
    }

    @Test(arguments: [Intervention.Act.cancel, .release, .retry])
    func `an act on an effect that does not exist says so, whether its stream is open or not`(
        _ act: Intervention.Act
    ) async throws {
        let journal = try openJournal(path, clock)
        let store = try await journal.openPlay()
        try await store.dispatch(.add(1))
        let key = RunKey(step: 1, ordinal: 7)
        let byStore = await journalError {
            switch act {
            case .cancel: try await store.cancel(key)
            case .release: try await store.release(key)
            default: try await store.retry(key)
            }
        }
        let ofOpen = await journalError { try await journal.intervene(act, key, in: "a") }
        try await store.close()
        let ofClosed = await journalError { try await journal.intervene(act, key, in: "a") }
        for error in [byStore, ofOpen, ofClosed] {
            #expect(error?.code == .noSuchStep)
            #expect(error?.message == "There is no effect 1.7, or it was pruned.")
            #expect(error?.step == 1)
        }
        #expect(try journal.reader.interventions(in: "a").isEmpty)
        try await journal.close()
    }

    @Test func `an ephemeral effect, which has no record, is refused for its state as long as it lives`() async throws {
        let journal = try openJournal(path, clock)
        let running = Signal()
        let store = try await journal.openPlay { _ in
            .ephemeral { _ in
                running.send()
                try await forever()
            }
        }
        try await store.dispatch(.start("x"))
        await running.wait()
        let key = try #require(try await store.allLiveRuns().first?.key)
        #expect(await journalError { try await store.release(key) }?.code == .notInThatState)
        try await store.cancel(key)
        #expect(await journalError { try await store.cancel(key) }?.code == .noSuchStep)
        try await journal.close()
    }

    @Test func `messages wait for earlier records of their sender that cannot be written, and keep their order`()
        async throws
    {
        let journal = try openJournal(path, clock)
        let sender = Machine<Play, Score, Stage>("sender", initialState: Score()) { action, _, stage, _ in
            if case .start(let name) = action { stage.effects(name) } else { .none }
        }
        .connected(to: play) { step in
            if case .add(let number) = step.action { ("to", .ended("\(number)")) } else { nil }
        }
        let receiver = try await journal.openPlay("to", clock: clock)
        let store = try await journal.open(
            sender, stream: "from",
            environment: Stage { name in
                .run(name) {
                    try await forever()
                    return nil
                }
            }, clock: clock)
        let id = try sql("SELECT id FROM stream WHERE name = 'from'")[0]
        try await journal.refuse("INSERT ON effect_run WHEN new.stream = \(id) AND new.name = 'x'")
        try await store.dispatch(.start("x"))
        for number in 1...3 { try await store.dispatch(.add(number)) }
        await clock.sleepers(1)
        try await journal.refuseNothing()
        try await store.flush()
        clock.move(by: .seconds(2))
        try await receiver.says("1", "2", "3")
        try await journal.close()
    }

    @Test func `a cancel by ID on a full disk has stopped the effects, and says so`() async throws {
        let vfs = FaultVFS()
        let journal = try openJournal(path, clock, vfs: vfs.name)
        let store = try await journal.openPlay { name in
            .run(name, id: name) {
                try await forever()
                return nil
            }
        }
        let dispatched = try await store.dispatch(.start("x"))
        try await store.dispatch(.start("y"))
        try await store.flush()
        vfs.fail(FAULT_WRITE, suffix: "-wal", count: -1, code: SQLITE_FULL)
        for (isCancelled, error) in [
            (false, await journalError { try await store.cancel(id: "nobody") }),
            (true, await journalError { try await store.cancel(id: "y") }),
            (true, await journalError { try await dispatched.cancel() }),
        ] {
            guard let error else {
                #expect(!isCancelled)
                continue
            }
            #expect(error.code == .diskFull)
            #expect(error.advice.contains("Do not repeat the act") == isCancelled, "\(error)")
        }
        #expect(try await store.liveRuns().isEmpty)
        vfs.clear()
        try await store.flush()
        #expect(try statuses() == ["cancelled", "cancelled"])
        try await journal.close()
    }
}
