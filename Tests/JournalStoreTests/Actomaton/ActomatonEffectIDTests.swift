import JournalStore
import Testing

@Suite struct `Actomaton: an effect ID` {
    private struct ByNumber: EffectIDProtocol { var number = 7 }
    private struct Other: EffectIDProtocol { var number = 7 }
    private enum Kind: EffectIDProtocol { case download, upload }

    private static let ids: [(name: String, id: any EffectID)] = [
        ("int", 7), ("small int", Int8(7)), ("double", 7.0), ("text", "7"), ("struct", ByNumber()),
        ("other struct", Other()),
        ("download", Kind.download), ("upload", Kind.upload),
    ]

    @Test(arguments: [0, 1, 2, 3, 4, 5, 6, 7])
    func `a cancel matches an effect ID by type and value`(_ index: Int) async throws {
        let bench = try Workbench()
        let store = try await bench.openPlay { name in
            if name == "cancel" {
                func cancel(_ id: some EffectID) -> Effect<Play> { .cancel(id: id) }
                let id: any EffectID = Self.ids[index].id
                return cancel(id)
            }
            return .combine(
                Self.ids.map { name, id in
                    .run(name, id: id) {
                        try await forever(); return nil
                    }
                })
        }
        try await store.dispatch(.start("all"))
        try await store.dispatch(.start("cancel"))
        #expect(
            try await bench.sql("SELECT name FROM effect_run WHERE status = 'cancelled'", after: store)
                == [Self.ids[index].name])
        #expect(try bench.sql("SELECT count(DISTINCT id) FROM running_effects") == ["\(Self.ids.count - 1)"])
        try await bench.journal.close()
    }

    @Test func `effects can share an ID, and a new one cancels no other`() async throws {
        let bench = try Workbench()
        let store = try await bench.openPlay { name in
            .run(name, id: "shared") {
                try await forever(); return nil
            }
        }
        try await store.dispatch(.start("one"))
        try await store.dispatch(.start("two"))
        #expect(try await bench.runs(store) == ["one|running", "two|running"])
        try await store.dispatch(.cancel("shared"))
        #expect(try await bench.runs(store) == ["one|cancelled", "two|cancelled"])
        try await bench.journal.close()
    }

    @Test func `an effect ID belongs to one store, not to the process`() async throws {
        let bench = try Workbench()
        let work: @Sendable (String) -> Effect<Play> = { name in
            .run(name, id: "shared") {
                try await forever(); return nil
            }
        }
        let (first, second) = (
            try await bench.openPlay("a", effects: work), try await bench.openPlay("b", effects: work)
        )
        try await first.dispatch(.start("in a"))
        try await second.dispatch(.start("in b"))
        try await first.dispatch(.cancel("shared"))
        try await second.flush()
        #expect(try await bench.runs(first) == ["in a|cancelled", "in b|running"])
        try await bench.journal.close()
    }
}
