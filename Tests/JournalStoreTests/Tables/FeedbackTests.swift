import JournalTesting
import Testing

@testable import JournalStore

private enum Search: Codable, Sendable, Equatable { case type(String), loaded(String), clear }

private struct Screen: Codable, Sendable, Equatable {
    var query = ""
    var results: [String] = []
}

private let table: TransitionTable<Search, Screen, Library> = [
    .on(CasePath(Search.type), from: .any, to: { query, screen in Screen(query: query, results: screen.results) }),
    .on(CasePath(Search.loaded), from: .any) { result, screen in
        Screen(query: screen.query, results: screen.results + [result])
    },
    .clear | .where { $0 != Screen() } => { _ in Screen() },
]

private struct Library: Sendable {
    var results: @Sendable (_ query: String, _ key: String) async throws -> [String] = { query, _ in
        ["\(query) 1", "\(query) 2"]
    }
}

private func stream(_ results: [String]) -> AsyncStream<Search> {
    AsyncStream { continuation in
        for result in results { continuation.yield(.loaded(result)) }
        continuation.finish()
    }
}

private func search(_ strategy: EffectStrategy = .merge) -> Machine<Search, Screen, Library> {
    let load = Feedback<Search, Screen, Library>(
        "load", strategy: strategy,
        tryGet: { reply in if case .type(let query) = reply.input { query } else { nil } },
        actions: { query, library, context in stream(try await library.results(query, context.idempotencyKey)) })
    return Machine("search", initialState: Screen(), table: table, feedback: [load])
}

@Suite struct `Feedback from transitions`: AtDesk {
    let desk: Desk

    init() throws { desk = try Desk() }

    @Test func `a transition that is accepted dispatches its actions, each caused by its step`() async throws {
        let journal = try openJournal(path)
        let store = try await journal.open(search(), stream: "a", environment: Library())
        await (try await store.dispatch(.type("a"))).completion()
        try await store.dispatch(.clear)
        #expect(store.state == Screen())
        try await store.close()
        #expect(
            try sql("SELECT step, name, origin, cause FROM journal") == [
                "1|type|dispatched|", "2|loaded|effect|step 1, effect 0", "3|loaded|effect|step 1, effect 0",
                "4|clear|dispatched|",
            ])
        #expect(try sql("SELECT name, status, delivered FROM effect_run") == ["load|completed|2"])
        try await journal.close()
    }

    @Test func `a filter selects transitions, and a refused input feeds nothing back`() async throws {
        let asked = Box<[Search]>([])
        let log = Feedback<Search, Screen, Library>(
            "log", filter: { $0.input == .clear },
            actions: { transition, _, _ in
                asked.change { $0.append(transition.input) }
                return stream(["\(transition.from.query) was cleared"])
            })
        let journal = try openJournal(path)
        let machine = Machine("search", initialState: Screen(), table: table, feedback: [log])
        let store = try await journal.open(machine, stream: "a", environment: Library())
        let refused = try await store.dispatch(.clear)
        await refused.completion()
        #expect(asked.value.isEmpty && store.state == Screen())
        try await store.dispatch(.type("b"))
        await (try await store.dispatch(.clear)).completion()
        #expect(asked.value == [.clear])
        #expect(store.state.results == ["b was cleared"])
        try await journal.close()
    }

    @Test func `with the strategy latest a new sequence cancels the one that runs`() async throws {
        let entered = Signal()
        let library = Library { query, _ in
            entered.send()
            if query == "slow" { try? await forever() }
            return ["\(query) 1"]
        }
        let journal = try openJournal(path)
        let store = try await journal.open(search(.latest), stream: "a", environment: library)
        try await store.dispatch(.type("slow"))
        await entered.wait()
        await (try await store.dispatch(.type("fast"))).completion()
        #expect(store.state == Screen(query: "fast", results: ["fast 1"]))
        try await store.close()
        let runs = try sql("SELECT status FROM effect_run ORDER BY step")
        #expect(runs == ["evicted", "completed"])
        try await journal.close()
    }

    @Test func `the transitions of one cascade are told apart`() async throws {
        let both: TransitionTable<Search, Screen, Library> =
            [.clear | any => { $0 } | .combine(.next(.type("x")), .next(.type("y")))] + table
        let load = Feedback<Search, Screen, Library>(
            "load", tryGet: { reply in if case .type(let query) = reply.input { query } else { nil } },
            actions: { query, _, _ in stream([query]) })
        let journal = try openJournal(path)
        let machine = Machine("search", initialState: Screen(), table: both, feedback: [load])
        let store = try await journal.open(machine, stream: "a", environment: Library())
        await (try await store.dispatch(.clear)).completion()
        #expect(Set(store.state.results) == ["x", "y"])
        try await store.close()
        #expect(try sql("SELECT name FROM effect_run ORDER BY ordinal") == ["load 1", "load 2"])
        try await journal.close()
    }

    @Test func `wherever the process is killed, no action is dispatched twice and none is missing`() async throws {
        for strategy in [EffectStrategy.merge, .concat] {
            var matrix = CrashMatrix(search(strategy), actions: [.type("a"), .type("b"), .clear]) { outside in
                Library { query, key in outside.call("search", key: key) { _ in ["\(query) 1", "\(query) 2"] } }
            }
            matrix.cutsTwice = strategy == .merge
            let report = try await matrix.run()
            #expect(report.effects == 2 && report.entries == 7 && report.unfinished == 0, "\(report)")
        }
    }

    @Test func `an action that a reducer rejects is no transition, so the feedback is not asked`() async throws {
        let asked = Box(0)
        let reducer = Reducer<Int, Int, Void> { number, sum, _ in
            if number < 0 { return .reject("no") }
            sum += number
            return .none
        }
        .feedback(
            Feedback(
                "count",
                filter: { _ in
                    asked.change { $0 += 1 }; return false
                }, actions: { _, _, _ in stream([]).map { _ in 0 } }))
        let journal = try Journal.inMemory(options: changed(Journal.Options()) { $0.reducesTwice = false })
        let store = try await journal.open(Machine("sum", initialState: 0, reducer: reducer), stream: "a")
        #expect(try await store.dispatch(-1).rejection == "no")
        #expect(asked.value == 0)
        try await store.dispatch(1)
        #expect(asked.value == 1)
        try await journal.close()
    }
}
