import JournalStore
import Testing

@Suite struct `Actomaton: cancel` {
    private static func open(_ bench: Workbench) async throws -> Store<Play, Score> {
        let store = try await bench.openPlay { name in
            switch name {
            case "by type and value": .cancel(ids: String.self) { $0.hasPrefix("a") }
            case "by type": .cancel(ids: Int.self)
            case "anonymous": .cancel { $0 == nil }
            case "all": .cancel { _ in true }
            default:
                .run("a1", id: "a1") {
                    try await forever(); return nil
                }
                    + .run("a2", id: "a2") {
                        try await forever(); return nil
                    }
                    + .run("b1", id: "b1") {
                        try await forever(); return nil
                    }
                    + .run("seven", id: 7) {
                        try await forever(); return nil
                    }
                    + .run("no ID") {
                        try await forever(); return nil
                    }
            }
        }
        try await store.dispatch(.start("work"))
        return store
    }

    @Test func `a cancel by ID ends only the effect with that ID`() async throws {
        let bench = try Workbench()
        let store = try await Self.open(bench)
        try await store.dispatch(.cancel("a2"))
        #expect(
            try await bench.runs(store)
                == ["a1|running", "a2|cancelled", "b1|running", "seven|running", "no ID|running"])
        #expect(
            try bench.sql("SELECT effects FROM step_record WHERE step = 2") == [#"[{"cancel":{"String":"a2"}}]"#])
        try await bench.journal.close()
    }

    @Test func `an optional ID is its value, for an effect and for what cancels it`() async throws {
        let bench = try Workbench()
        let some: String? = "a"
        let none: String? = nil
        let store = try await bench.openPlay { name in
            switch name {
            case "cancel some": .cancel(id: some)
            case "cancel none": .cancel(id: none)
            default:
                .run("a", id: some) {
                    try await forever(); return nil
                }
                    + .run("no ID", id: none) {
                        try await forever(); return nil
                    }
            }
        }
        try await store.dispatch(.start("work"))
        try await store.dispatch(.start("cancel none"))
        try await store.cancel(id: none)
        try await onThread { try store.blocking.cancel(id: none) }
        #expect(try await bench.runs(store) == ["a|running", "no ID|running"])
        try await store.dispatch(.start("cancel some"))
        #expect(try await bench.runs(store) == ["a|cancelled", "no ID|running"])
        try await store.dispatch(.start("work"))
        try await store.cancel(id: some)
        try await store.dispatch(.start("work"))
        try await onThread { try store.blocking.cancel(id: some) }
        #expect(
            try await bench.sql("SELECT name, status FROM effect_run", after: store)
                == Array(repeating: ["a|cancelled", "no ID|running"], count: 3).flatMap(\.self))
        try await bench.journal.close()
    }

    @Test func `a cancel of an unknown ID ends nothing`() async throws {
        let bench = try Workbench()
        let store = try await Self.open(bench)
        #expect(try await store.dispatch(.cancel("unknown")).outcome == .reduced)
        #expect(
            try await bench.sql("SELECT count(*) FROM running_effects", after: store) == ["5"])
        try await bench.journal.close()
    }

    @Test(arguments: [
        ("by type and value", ["b1", "seven", "no ID"]), ("by type", ["a1", "a2", "b1", "no ID"]),
        ("anonymous", ["a1", "a2", "b1", "seven"]), ("all", []),
    ])
    func `a cancel by predicate ends each effect whose ID matches`(_ predicate: String, _ left: [String]) async throws {
        let bench = try Workbench()
        let store = try await Self.open(bench)
        try await store.dispatch(.start(predicate))
        #expect(try await bench.sql("SELECT name FROM running_effects", after: store) == left)
        #expect(
            try bench.sql("SELECT count(*) FROM effect_run WHERE status = 'cancelled' AND ended IS NOT NULL")
                == ["\(5 - left.count)"])
        #expect(try bench.sql("SELECT effects FROM step_record WHERE step = 2") == [#"[{"cancel":"where"}]"#])
        try await bench.journal.close()
    }

    @Test func `a cancel by the app returns after it is committed`() async throws {
        let bench = try Workbench()
        let store = try await Self.open(bench)
        try await store.cancel(id: "a1")
        #expect(try bench.sql("SELECT name FROM effect_run WHERE status = 'cancelled'") == ["a1"])
        try await store.cancel { $0?.base is Int }
        #expect(try bench.sql("SELECT name FROM effect_run WHERE status = 'cancelled'") == ["a1", "seven"])
        try await bench.journal.close()
    }
}
