import JournalStore
import Testing

@Suite struct `Actomaton: the cancel ID of a dispatch` {
    private static let effects: @Sendable (String) -> Effect<Play> = { name in
        name == "top"
            ? .run("leads on") { .start("deeper") }
                + .run("stays", id: "own") {
                    try await forever(); return nil
                }
            : name == "thin"
                ? .run("leads on") { .start("deeper") }
                : .run(name) {
                    try await forever(); return nil
                }
    }

    @Test func `a reducer that cancels the ID ends the effects of the dispatch and of its feedback`() async throws {
        let bench = try Workbench()
        let store = try await bench.openPlay(effects: Self.effects)
        try await store.dispatch(.start("other"), cancelID: "another session")
        let dispatched = try await store.dispatch(.start("top"), cancelID: "session", trackingFeedback: true)
        var results = dispatched.results.makeAsyncIterator()
        _ = await results.next()
        try await store.dispatch(.cancel("session"))
        await dispatched.completion()
        #expect(
            try await bench.sql("SELECT name, status FROM effect_run ORDER BY name", after: store) == [
                "deeper|cancelled", "leads on|completed", "other|running", "stays|cancelled",
            ])
        try await bench.journal.close()
    }

    @Test func `a cancel of the ID ends the effects of the feedback after the first ones have ended`() async throws {
        let bench = try Workbench()
        let store = try await bench.openPlay(effects: Self.effects)
        let dispatched = try await store.dispatch(.start("thin"), cancelID: "session")
        await dispatched.completion()
        try await store.dispatch(.cancel("session"))
        #expect(
            try await bench.sql("SELECT name, status FROM effect_run ORDER BY name", after: store)
                == ["deeper|cancelled", "leads on|completed"])
        try await bench.journal.close()
    }

    @Test(arguments: ["reducer", "store", "reducer after a restart"])
    func `a cancel by condition ends the dispatches whose cancel ID meets it`(_ by: String) async throws {
        struct Request: EffectID { var number: Int }
        let effects: @Sendable (String) -> Effect<Play> = { name in
            name == "cancel all above 1"
                ? .cancel(ids: Request.self) { $0.number > 1 }
                : .run(name) {
                    try await forever(); return nil
                }
        }
        let bench = try Workbench()
        var journal = bench.journal
        var store = try await bench.openPlay(effects: effects)
        for number in 1...3 { try await store.dispatch(.start("\(number)"), cancelID: Request(number: number)) }
        if by == "reducer after a restart" {
            try await journal.close()
            journal = try bench.reopened()
            store = try await journal.open(play, stream: "a", environment: Stage(effects: effects), clock: bench.clock)
        }
        if by == "store" {
            try await store.cancel(ids: { id in (id?.as(Request.self)?.number ?? 0) > 1 })
        } else {
            try await store.dispatch(.start("cancel all above 1"))
        }
        #expect(try await bench.runs(store) == ["1|running", "2|cancelled", "3|cancelled"])
        try await journal.close()
    }

    @Test func `several dispatches can share one cancel ID, and each effect keeps its own ID`() async throws {
        let bench = try Workbench()
        let store = try await bench.openPlay { name in
            .run(name, id: name) {
                try await forever(); return nil
            }
        }
        for name in ["a", "b", "c"] { try await store.dispatch(.start(name), cancelID: "session") }
        try await store.dispatch(.cancel("b"))
        #expect(try await bench.runs(store) == ["a|running", "b|cancelled", "c|running"])
        try await store.dispatch(.cancel("session"))
        #expect(try await bench.runs(store) == ["a|cancelled", "b|cancelled", "c|cancelled"])
        #expect(try bench.sql("SELECT count(*) FROM entry WHERE cancel_id = '{\"String\":\"session\"}'") == ["3"])
        try await bench.journal.close()
    }

    @Test func `a cancel of the ID ends the resumed effects after a restart`() async throws {
        let bench = try Workbench()
        let store = try await bench.openPlay(effects: Self.effects)
        let dispatched = try await store.dispatch(.start("top"), cancelID: "session", trackingFeedback: true)
        var results = dispatched.results.makeAsyncIterator()
        _ = await results.next()
        try await bench.journal.close()

        let journal = try bench.reopened()
        let again = try await journal.open(
            play, stream: "a", environment: Stage(effects: Self.effects), clock: bench.clock)
        #expect(Set(again.recovery.resumed.map(\.name)) == ["deeper", "stays"])
        try await again.dispatch(.cancel("session"))
        #expect(
            try await bench.sql("SELECT name, status FROM effect_run ORDER BY name", after: again)
                == ["deeper|cancelled", "leads on|completed", "stays|cancelled"])
        try await journal.close()
    }
}
