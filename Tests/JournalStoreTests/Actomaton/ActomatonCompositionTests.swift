import JournalStore
import Testing

@Suite struct `Actomaton: empty, + and combine` {
    private typealias Part = Reducer<Int, [String], Void>

    private static func part(_ name: String) -> Reducer<Int, [String], Void> {
        Reducer { action, state, _ in
            state.append("\(name) \(action) after \(state.count)")
            return .run(name) { nil }
        }
    }

    @Test func `the empty reducer changes nothing and returns no effect`() async throws {
        let bench = try Workbench()
        let store = try await bench.journal.open(
            Machine("none", initialState: ["as it was"], reducer: Part.empty), stream: "a")
        try await store.dispatch(1)
        #expect(store.state == ["as it was"])
        #expect(try await bench.sql("SELECT step, outcome FROM journal", after: store) == ["1|reduced"])
        #expect(try bench.sql("SELECT count(*) FROM effect_run") == ["0"])
        try await bench.journal.close()
    }

    @Test func `+ reduces left, then right, on the same state, and keeps that order for the effects`() async throws {
        let bench = try Workbench()
        let store = try await bench.journal.open(
            Machine("sum", initialState: [], reducer: Self.part("left") + .empty + Self.part("right")), stream: "a")
        let dispatched = try await store.dispatch(7)
        await dispatched.completion()
        #expect(store.state == ["left 7 after 0", "right 7 after 1"])
        #expect(try await bench.runs(store) == ["left|completed", "right|completed"])
        #expect(try bench.sql("SELECT effects FROM step_record") == [#"[{"run":"left"},{"run":"right"}]"#])
        try await bench.journal.close()
    }

    @Test func `combine reduces any number of reducers in order`() async throws {
        let bench = try Workbench()
        let reducer = Part.combine(Self.part("a"), Self.part("b"), Self.part("c")) + Part.combine([Self.part("d")])
        let store = try await bench.journal.open(Machine("sum", initialState: [], reducer: reducer), stream: "a")
        let dispatched = try await store.dispatch(7)
        await dispatched.completion()
        #expect(store.state == ["a 7 after 0", "b 7 after 1", "c 7 after 2", "d 7 after 3"])
        #expect(try await bench.runs(store) == ["a|completed", "b|completed", "c|completed", "d|completed"])
        try await bench.journal.close()
    }
}
