import JournalStore
import JournalTesting
import Testing

@Suite struct `Actomaton: reducers composed as in its README` {
    private typealias Root = Gallery.Root
    private typealias Counter = Gallery.Counter
    private typealias Todo = Gallery.Todo
    private typealias Stopwatch = Gallery.Stopwatch

    private static func open(_ bench: Workbench, _ journal: Journal) async throws -> Store<Root.Action, Root.State> {
        try await journal.open(
            Machine("root", initialState: Root.State(), reducer: Root.reducer), stream: "a",
            environment: Root.Environment(stopwatch: Stopwatch.Environment(clock: bench.clock)), clock: bench.clock)
    }

    @Test func `a feature changes the state only on its own screen`() async throws {
        let bench = try Workbench()
        let store = try await Self.open(bench, bench.journal)
        try await store.dispatch(.counter(.increment))
        #expect(store.state.current == nil, "without a screen there is no counter")
        try await store.dispatch(.changeCurrent(.counter(Counter.State(count: 5))))
        try await store.dispatch(.counter(.increment))
        #expect(store.state.current == .counter(Counter.State(count: 6)))
        try await store.dispatch(.todo(.add("not here")))
        #expect(store.state.current == .counter(Counter.State(count: 6)))
        try await store.dispatch(.changeCurrent(.todo(Todo.State())))
        try await store.dispatch(.todo(.add("milk")))
        guard case .todo(let todo) = store.state.current, let item = todo.items.first else {
            Issue.record("the screen is \(store.state)")
            return
        }
        #expect((item.text, item.isDone) == ("milk", false))
        let toggled = try await store.dispatch(.todo(.toggle(item.id)))
        #expect(toggled.outcome == .reduced)
        #expect(store.state.current == .todo(Todo.State(items: [Todo.Item(id: item.id, text: "milk", isDone: true)])))

        #expect(
            try await bench.sql("SELECT step, name, action, outcome FROM journal", after: store) == [
                #"1|counter|{"counter":{"_0":{"increment":{}}}}|reduced"#,
                #"2|changeCurrent|{"changeCurrent":{"_0":{"counter":{"_0":{"count":5}}}}}|reduced"#,
                #"3|counter|{"counter":{"_0":{"increment":{}}}}|reduced"#,
                #"4|todo|{"todo":{"_0":{"add":{"_0":"not here"}}}}|reduced"#,
                #"5|changeCurrent|{"changeCurrent":{"_0":{"todo":{"_0":{"items":[]}}}}}|reduced"#,
                #"6|todo|{"todo":{"_0":{"add":{"_0":"milk"}}}}|reduced"#,
                #"7|todo|{"todo":{"_0":{"toggle":{"_0":"\#(item.id)"}}}}|reduced"#,
            ])
        try await bench.journal.close()
    }

    @Test func `a feature's effect sends through the root reducer, also after a restart`() async throws {
        let bench = try Workbench()
        let store = try await Self.open(bench, bench.journal)
        try await store.dispatch(.changeCurrent(.stopwatch(Stopwatch.State())))
        try await store.dispatch(.stopwatch(.start))
        await bench.clock.sleepers(1)
        bench.clock.move(by: .seconds(1))
        await store.reaches { $0.current == .stopwatch(Stopwatch.State(seconds: 1)) }
        try await bench.journal.close()

        let journal = try bench.reopened()
        let again = try await Self.open(bench, journal)
        #expect(again.state.current == .stopwatch(Stopwatch.State(seconds: 1)))
        #expect(again.recovery.resumed.map(\.name) == ["stopwatch.start"])
        await bench.clock.sleepers(1)
        bench.clock.move(by: .seconds(1))
        await again.reaches { $0.current == .stopwatch(Stopwatch.State(seconds: 2)) }
        try await again.dispatch(.stopwatch(.stop))

        #expect(
            try await bench.sql("SELECT step, time, action, origin, cause FROM journal", after: again) == [
                #"1|2026-01-01T00:00:00.000000Z|{"changeCurrent":{"_0":{"stopwatch":{"_0":{"seconds":0}}}}}|dispatched|"#,
                #"2|2026-01-01T00:00:00.000000Z|{"stopwatch":{"_0":{"start":{}}}}|dispatched|"#,
                #"3|2026-01-01T00:00:01.000000Z|{"stopwatch":{"_0":{"tick":{}}}}|effect|step 2, effect 0"#,
                #"4|2026-01-01T00:00:02.000000Z|{"stopwatch":{"_0":{"tick":{}}}}|effect|step 2, effect 0"#,
                #"5|2026-01-01T00:00:02.000000Z|{"stopwatch":{"_0":{"stop":{}}}}|dispatched|"#,
            ])
        #expect(
            try bench.sql("SELECT name, status, attempts, delivered FROM effect_run") == [
                "stopwatch.start|cancelled|2|2"
            ])
        try await journal.close()
    }
}
