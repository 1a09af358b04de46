import JournalTesting
import Testing
import TortureKit

@testable import JournalStore

@Suite struct `Orphan actions` {
    let clock = ManualClock()

    private static let effects: @Sendable (String) -> Effect<Play> = { name in
        let effect: Effect<Play> =
            name == "described"
            ? .perform(Chore.wash, id: name)
            : .run("work", id: name) {
                try await forever()
                return nil
            }
        return effect.onOrphan(.ended("orphan \(name)"))
    }

    private static let waits: Performing = { _, _ in
        try await forever()
        return nil
    }

    @Test(arguments: ["closure", "described"])
    func `an orphan action is committed once, with a final record, despite a crash`(_ name: String) async throws {
        let wreckage = try Wreckage()
        var journal = try wreckage.journal(clock)
        var store = try await journal.openChores(clock: clock, effects: Self.effects, perform: Self.waits)
        try await store.dispatch(.start(name))
        try await store.settles()
        try await store.close()
        store = try await journal.openChores(clock: clock, effects: { _ in .none }, perform: nil)
        #expect(store.recovery.orphaned.count == 1)
        try await store.says("orphan \(name)")
        try await store.flush()
        try await journal.close()
        var both: Set<[String]> = []
        for path in wreckage.paths {
            let shell = try Shell(path, readOnly: true)
            guard try shell("SELECT count(*) FROM effect_run") != ["0"] else { continue }
            both.insert(try shell("SELECT count(*) FROM entry WHERE cause_step = 1"))
            journal = try openJournal(path, clock)
            for _ in 1...2 {
                store = try await journal.openChores(clock: clock, effects: { _ in .none }, perform: nil)
                try await store.says("orphan \(name)")
                try await store.settles()
                try await store.close()
            }
            #expect(store.recovery.orphaned == [])
            #expect(store.state.log == ["orphan \(name)"])
            #expect(
                try shell("SELECT status, error FROM effect_run")
                    == ["cancelled|The code returns no such effect; its orphan action was sent."])
            #expect(try shell("SELECT origin, cause FROM journal WHERE name = 'ended'") == ["restart|step 1, effect 0"])
            #expect(try await journal.verify().isSound)
            try await journal.close()
        }
        #expect(both == [["0"], ["1"]])
    }

    @Test func `an orphan action is not dispatched while the code has the effect`() async throws {
        let journal = try Journal.inMemory()
        var store = try await journal.openChores(effects: Self.effects, perform: Self.waits)
        try await store.dispatch(contentsOf: [.start("closure"), .start("described")])
        try await store.flush()
        try await store.close()
        store = try await journal.openChores(effects: Self.effects, perform: Self.waits)
        try await store.settles()
        #expect(store.state.log == [])
        #expect(try journal.reader.effectRuns(in: "a").map(\.status) == [.running, .running])
    }

    @Test func `an effect whose orphan action cannot be decoded remains an orphan`() async throws {
        let folder = try TemporaryFolder()
        let journal = try openJournal(folder.path("a.db"), clock)
        var store = try await journal.openChores(clock: clock, effects: Self.effects, perform: Self.waits)
        try await store.dispatch(.start("closure"))
        try await store.flush()
        try await store.close()
        try Shell(folder.path("a.db")).change("UPDATE effect_run SET on_orphan = '{\"gone\":{}}'")
        store = try await journal.openChores(clock: clock, effects: { _ in .none }, perform: nil)
        try await store.settles()
        #expect(store.state.log == [])
        #expect(try journal.reader.effectRuns(in: "a").map(\.status) == [.orphaned])
        try await journal.close()
    }

    @Test func `an effect that waits for a decision goes on waiting, and its orphan action is not sent`() async throws {
        let begun = Signal()
        let asks: @Sendable (String) -> Effect<Play> = { name in
            .run(name, restart: .ask) {
                begun.send()
                try await forever()
                return nil
            }.onOrphan(.ended("orphan"))
        }
        let journal = try Journal.inMemory()
        var store = try await journal.openPlay(effects: asks)
        try await store.dispatch(.start("x"))
        await begun.wait()
        try await store.close()
        store = try await journal.openPlay(effects: asks)
        #expect(store.recovery.asked.count == 1)
        try await store.close()
        store = try await journal.openPlay()
        try await store.settles()
        #expect(store.state.log == [])
        #expect(try journal.reader.effectRuns(in: "a").map(\.status) == [.asked])
    }

    @Test func `a retried effect that waits in its queue still waits after code that does not return it`() async throws
    {
        struct Line: Oldest1SuspendNewEffectQueue {}
        let fails = Box(true)
        let began = Box<[String]>([])
        let effects: @Sendable (String) -> Effect<Play> = { name in
            .run("work", id: name, queue: name == "free" ? nil : Line(), restart: name == "first" ? .resume : .cancel) {
                began.change { $0.append(name) }
                if fails.value { throw EffectFailure(description: "no") }
                try await forever()
                return nil
            }
        }
        let folder = try TemporaryFolder()
        let path = folder.path("a.db")
        let journal = try openJournal(path, clock)
        let states = { try Shell(path, readOnly: true)("SELECT status, attempts FROM effect_run ORDER BY step") }
        var store = try await journal.openPlay(clock: clock, effects: effects)
        for name in ["retried", "second", "free"] { await (try store.dispatch(.start(name))).completion() }
        fails.change { $0 = false }
        try await store.dispatch(.start("first"))
        for step in [1, 2, 3] { try await store.retry(RunKey(step: step)) }
        try await store.settles()
        #expect(try states() == ["waiting|1", "waiting|1", "running|2", "running|1"])
        try await store.close()

        store = try await journal.openPlay(clock: clock) { _ in .none }
        try await store.close()
        #expect(try states() == ["orphaned|1", "orphaned|1", "orphaned|2", "orphaned|1"])

        store = try await journal.openPlay(clock: clock, effects: effects)
        try await store.settles()
        // The one that was running has started once more already, and is not started again.
        #expect(try states() == ["waiting|1", "waiting|1", "cancelled|2", "running|2"])
        #expect(began.value.count { $0 == "free" } == 2)
        #expect(began.value.count { $0 == "first" } == 2)
        #expect(began.value.count == 6)
        try await journal.close()
    }
}
