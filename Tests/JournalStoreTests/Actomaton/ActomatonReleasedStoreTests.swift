import JournalStore
import Testing

@Suite struct `Actomaton: a store that is released` {
    private final class Shop: Sendable {
        let isOpen = true
        private let wentAway: Signal
        init(_ wentAway: Signal) { self.wentAway = wentAway }
        deinit { wentAway.send() }
    }

    private enum Action: Codable, Sendable, Equatable { case polite, stubborn, late }

    @Test func `a released store cancels bodies, frees the environment, drops results and keeps runs live`()
        async throws
    {
        let bench = try Workbench()
        let (door, shopWentAway, politeEnded, stubbornEnded) = (Door(), Signal(), Signal(), Signal())
        let wasCancelled = Box(false)
        let machine = Machine<Action, [Action], Shop>("shop", initialState: []) { action, state, shop in
            state.append(action)
            switch action {
            case .polite:
                return .run("polite") {
                    defer { politeEnded.send() }
                    try await forever()
                    return shop.isOpen ? .late : nil
                }
            case .stubborn:
                return .run("stubborn") {
                    await door.pass()
                    wasCancelled.change { $0 = Task.isCancelled }
                    stubbornEnded.send()
                    return .late
                }
            case .late: return .none
            }
        }
        var shop: Shop? = Shop(shopWentAway)
        weak var weakShop: Shop?
        weakShop = shop
        var store: Store<Action, [Action]>? = try await bench.journal.open(
            machine, stream: "a", environment: try #require(shop))
        shop = nil
        weak var weakStore: Store<Action, [Action]>?
        weakStore = store
        let polite = try await store?.dispatch(.polite)
        let stubborn = try await store?.dispatch(.stubborn)
        await door.comers(1)
        #expect(weakShop != nil)

        store = nil
        #expect(weakStore == nil)
        await politeEnded.wait()
        await shopWentAway.wait()
        #expect(weakShop == nil, "although one body has not ended")
        await polite?.completion()
        await stubborn?.completion()
        door.open()
        await stubbornEnded.wait()
        #expect(wasCancelled.value)

        try await bench.journal.close()
        #expect(try bench.sql("SELECT step, name FROM journal") == ["1|polite", "2|stubborn"])
        #expect(try bench.sql("SELECT name, status FROM effect_run") == ["polite|running", "stubborn|running"])
        #expect(try bench.sql("SELECT name FROM running_effects") == ["polite", "stubborn"])
    }

    @Test func `the next store resumes the effects of a released store`() async throws {
        let bench = try Workbench()
        let resumed = Box<[Bool]>([])
        let effects: @Sendable (String) -> Effect<Play> = { name in
            .run(name) { context in
                resumed.change { $0.append(context.isResumed) }
                if !context.isResumed { try await forever() }
                return .ended(name)
            }
        }
        var store: Store<Play, Score>? = try await bench.openPlay(effects: effects)
        try await store?.dispatch(.start("x"))
        store = nil
        try await bench.journal.close()

        let journal = try bench.reopened()
        let again = try await journal.open(play, stream: "a", environment: Stage(effects: effects), clock: bench.clock)
        await again.reaches { $0.log == ["x"] }
        #expect(resumed.value.last == true)
        #expect(
            try await bench.sql("SELECT name, status, attempts FROM effect_run", after: again) == ["x|completed|2"])
        try await journal.close()
    }

    @Test func `effects of a released store that wait or are delayed go on waiting in the next one`() async throws {
        struct OneByOne: Oldest1SuspendNewEffectQueue {}
        let bench = try Workbench()
        let started = Box<[String]>([])
        let effects: @Sendable (String) -> Effect<Play> = { name in
            .run(name, queue: name == "delayed" ? nil : OneByOne(), delay: name == "delayed" ? .seconds(60) : .zero) {
                started.change { $0.append(name) }
                try await forever()
                return nil
            }
        }
        let expected = ["running|running", "waiting|waiting", "delayed|delayed"]
        var store: Store<Play, Score>? = try await bench.openPlay(effects: effects)
        var dispatched: [Dispatched<Play>?] = []
        for name in ["running", "waiting", "delayed"] { dispatched.append(try await store?.dispatch(.start(name))) }
        store = nil
        for dispatched in dispatched { await dispatched?.completion() }
        try await bench.journal.close()
        #expect(try bench.sql("SELECT name, status FROM effect_run ORDER BY step") == expected)

        let journal = try bench.reopened()
        let again = try await journal.open(play, stream: "a", environment: Stage(effects: effects), clock: bench.clock)
        #expect(try await bench.runs(again) == expected)
        #expect(!started.value.contains("waiting") && !started.value.contains("delayed"))
        try await journal.close()
    }
}
