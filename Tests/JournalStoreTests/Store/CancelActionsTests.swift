import JournalTesting
import Testing
import TortureKit

@testable import JournalStore

@Suite struct `Cancel actions`: AtDesk {
    let desk: Desk

    init() throws { desk = try Desk() }

    /// A body that runs until it is cancelled; its cancel action says its name.
    private static func waiting(_ name: String, queue: (any EffectQueue)? = nil) -> Effect<Play> {
        .run(name, id: name, queue: queue) {
            try await forever()
            return nil
        }.onCancel(.ended("\(name) undone"))
    }

    private func open(
        _ effects: @escaping @Sendable (String) -> Effect<Play> = { Self.waiting($0) }
    ) async throws -> (Journal, Store<Play, Score>) {
        let journal = try openJournal(path, clock)
        return (journal, try await journal.openPlay(clock: clock, effects: effects))
    }

    private func records() throws -> [String] { try sql("SELECT name, status, delivered FROM effect_run") }

    // MARK: Who cancels

    @Test func `a reducer that cancels an effect gets its cancel action, as an entry of the effect`() async throws {
        let (journal, store) = try await open()
        try await store.dispatch(.start("pay"))
        try await store.dispatch(.cancel("pay"))
        try await store.says("pay undone")
        try await store.flush()
        #expect(
            try sql("SELECT step, name, origin, cause FROM journal WHERE name <> 'add'") == [
                "1|start|dispatched|", "2|cancel|dispatched|", "3|ended|effect|step 1, effect 0",
            ])
        #expect(try records() == ["pay|cancelled|0"])
        #expect(try await journal.verify().isSound)
        try await journal.close()
    }

    @Test(arguments: ["app by ID", "app by key", "dispatch"])
    func `every cancel sends it`(_ canceller: String) async throws {
        let (journal, store) = try await open()
        let dispatched = try await store.dispatch(.start("pay"))
        switch canceller {
        case "app by ID": try await store.cancel(id: "pay")
        case "app by key": try await store.cancel(RunKey(step: 1))
        default: try await dispatched.cancel()
        }
        #expect(try records().first.map { $0.hasPrefix("pay|cancel") } == true, "the cancel is committed on return")
        try await store.says("pay undone")
        await dispatched.completion()
        #expect(dispatched.isCancelled)
        try await journal.close()
    }

    @Test func `an effect that its queue evicts sends it, and the newer one starts at once`() async throws {
        struct One: Newest1EffectQueue {}
        let (journal, store) = try await open { Self.waiting($0, queue: One()) }
        try await store.dispatch(.start("a"))
        try await store.dispatch(.start("b"))
        try await store.says("a undone")
        try await store.flush()
        #expect(try records() == ["a|cancelled|0", "b|running|0"])
        try await journal.close()
    }

    @Test func `an effect whose body never began sends it, and one that its queue discards does not`() async throws {
        struct Wait: Oldest1SuspendNewEffectQueue {}
        struct Full: Oldest1DiscardNewEffectQueue {}
        let (journal, store) = try await open { name in
            name == "free" ? Self.waiting(name) : Self.waiting(name, queue: name < "m" ? Wait() : Full())
        }
        for name in ["a", "b", "x", "y"] { try await store.dispatch(.start(name)) }
        try await store.cancel(id: "b")
        try await store.says("b undone")
        try await store.flush()
        #expect(try records() == ["a|running|0", "b|cancelled|0", "x|running|0", "y|discarded|0"])
        try await journal.close()
    }

    @Test func `effects that end in another way send none`() async throws {
        let (journal, store) = try await open { name in
            .run(name, id: name) {
                if name == "bad" { throw EffectFailure(description: "bad") }
                return nil
            }.onCancel(.ended("undone"))
        }
        for name in ["good", "bad"] { await (try await store.dispatch(.start(name))).completion() }
        try await store.cancel(id: "good")
        try await store.settles()
        #expect(store.state.log == [])
        #expect(try records() == ["good|completed|0", "bad|failed|0"])
        try await journal.close()
    }

    @Test func `a cancelled effect is not cancelled again, retried or released before its action is committed`() throws
    {
        var run = EffectRun(
            stream: StreamID(rawValue: 1), step: 1, ordinal: 0, rootStep: 1, name: "pay", status: .running)
        run.onCancel = "{}"
        let now = Timestamp(microseconds: 5)
        let cancelling = try run.after(.cancel, at: now, file: "a.db", stream: "a")
        #expect(cancelling.status == .cancelling)
        #expect(cancelling.ended == nil)
        for act in [Intervention.Act.cancel, .retry, .release] {
            #expect(throws: JournalError.self) { try cancelling.after(act, at: now, file: "a.db", stream: "a") }
        }
    }

    @Test func `a running effect is retried only if no attempt at it is under way`() throws {
        let run = EffectRun(
            stream: StreamID(rawValue: 1), step: 1, ordinal: 0, rootStep: 1, name: "pay", status: .running, attempts: 1)
        let now = Timestamp(microseconds: 5)
        // Its process has ended.
        #expect(try run.after(.retry, at: now, file: "a.db", stream: "a").status == .waiting)
        let error = try #require(throws: JournalError.self) {
            try run.after(.retry, isUnderWay: true, at: now, file: "a.db", stream: "a")
        }
        #expect(error.code == .notInThatState)
        #expect(error.message == "The effect 'pay' (1.0) is running.")
        #expect(try run.after(.cancel, isUnderWay: true, at: now, file: "a.db", stream: "a").status == .cancelled)
    }

    @Test(arguments: [
        (EffectRun.Status.delayed, "It is sent when it is due."),
        (EffectRun.Status.asked, "It waits for a decision: release it."),
    ])
    func `a timer is not retried, and the advice says what sends it`(status: EffectRun.Status, advice: String) throws {
        let new = EffectRun(
            stream: StreamID(rawValue: 1), step: 1, ordinal: 0, rootStep: 1, name: "remind", status: status)
        let timer = changed(new) { $0.sends = "{}" }
        let error = try #require(throws: JournalError.self) {
            try timer.after(.retry, at: Timestamp(microseconds: 5), file: "a.db", stream: "a")
        }
        #expect(error.message == "The effect 'remind' (1.0) is a timer.")
        #expect(error.advice == advice)
    }

    @Test func `map changes the cancel action with the others`() async throws {
        let effect = Self.waiting("pay").map(action: { (action: Play) in "\(action)" })
        #expect(effect.runs.first?.cancel == "ended(\"pay undone\")")
    }

    // MARK: Crashes

    private static let kinds: [Named<@Sendable (String) -> Effect<Play>>] = [
        Named("a closure", { Self.waiting($0) }),
        Named("a described effect", { .perform(Chore.wash, id: $0).onCancel(.ended("\($0) undone")) }),
        Named("a timer", { .after(.seconds(60), .ended("late"), id: $0).onCancel(.ended("\($0) undone")) }),
    ]

    @Test(arguments: kinds) func `it is committed once, wherever the process dies, also if the code has changed`(
        _ kind: Named<@Sendable (String) -> Effect<Play>>
    ) async throws {
        let wreckage = try Wreckage()
        let waits: Performing = { _, _ in
            try await forever()
            return nil
        }
        var journal = try wreckage.journal(clock)
        var store = try await journal.openChores(clock: clock, effects: kind.value, perform: waits)
        try await store.dispatch(.start("pay"))
        try await store.settles()
        try await store.dispatch(.cancel("pay"))
        try await store.says("pay undone")
        try await store.flush()
        try await journal.close()
        var found: Set<String> = []
        for path in wreckage.paths {
            let shell = try Shell(path, readOnly: true)
            guard try shell("SELECT count(*) FROM journal WHERE name = 'cancel'") == ["1"] else { continue }
            found.formUnion(try shell("SELECT status FROM effect_run"))
            journal = try openJournal(path, clock)
            for opening in 1...2 {
                // The code of the second opening does not return the effect any more.
                let effects = opening == 1 ? kind.value : { @Sendable _ in Effect<Play>.none }
                store = try await journal.openChores(clock: clock, effects: effects, perform: waits)
                try await store.says("pay undone")
                try await store.settles()
                try await store.close()
            }
            #expect(try shell("SELECT status FROM effect_run") == ["cancelled"])
            #expect(try await journal.verify().isSound)
            try await journal.close()
        }
        #expect(found.isSuperset(of: ["running", "cancelled"]) || found.isSuperset(of: ["delayed", "cancelled"]))
    }

    @Test func `an effect that its reducer cancelled stays cancelled, whatever the next opening does with effects`()
        async throws
    {
        let wreckage = try Wreckage()
        let asks: @Sendable (String) -> Effect<Play> = { name in
            .run(name, id: name, restart: .ask) {
                try await forever()
                return nil
            }.onCancel(.ended("\(name) undone"))
        }
        var journal = try wreckage.journal(clock)
        var store = try await journal.openPlay(clock: clock, effects: asks)
        try await store.dispatch(.start("pay"))
        try await store.settles()
        try await store.dispatch(.cancel("pay"))
        try await store.says("pay undone")
        try await journal.close()
        var found: Set<String> = []
        for path in wreckage.paths {
            let shell = try Shell(path, readOnly: true)
            guard try shell("SELECT count(*) FROM journal WHERE name = 'cancel'") == ["1"] else { continue }
            found.formUnion(try shell("SELECT status FROM effect_run"))
            journal = try openJournal(path, clock)
            store = try await journal.openPlay(clock: clock, effects: asks)
            try await store.says("pay undone")
            try await store.settles()
            #expect(store.recovery.asked == [])
            #expect(try shell("SELECT status FROM effect_run") == ["cancelled"])
            try await journal.close()
        }
        #expect(found.contains("running"))
    }

    @Test func `a cancel by the tool is completed by the next opening, also if the code has no such effect`()
        async throws
    {
        var (journal, store) = try await open()
        try await store.dispatch(.start("pay"))
        try await store.settles()
        try await journal.close()
        journal = try openJournal(path, clock)
        try await journal.cancel(RunKey(step: 1), in: "a", reason: "the customer called")
        #expect(try sql("SELECT name, status FROM running_effects") == ["pay|cancelling"])
        #expect(try await journal.verify().isSound)
        store = try await journal.openPlay(clock: clock, effects: { _ in .none })
        #expect(store.recovery.orphaned.isEmpty)
        try await store.says("pay undone")
        try await store.flush()
        #expect(try records() == ["pay|cancelled|0"])
        try await journal.close()
    }

    @Test func `a host opens a stream whose cancel action was not sent`() async throws {
        var (journal, store) = try await open()
        try await store.dispatch(.start("pay"))
        try await store.settles()
        try await journal.close()
        journal = try openJournal(path, clock)
        try await journal.cancel(RunKey(step: 1), in: "a")
        let host = try journal.host(play, environment: Stage(effects: { Self.waiting($0) }), clock: clock)
        #expect(await host.recovery().opened == 1)
        store = try await host.store(for: "a")
        try await store.says("pay undone")
        try await journal.close()
    }
}
