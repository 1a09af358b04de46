import JournalStore
import Testing

@Suite struct `Actomaton: order inside one dispatch` {
    @Test func `cancel before run of the same ID ends the old run and starts the new one`() async throws {
        let bench = try Workbench()
        let store = try await bench.openPlay { name in
            .cancel(id: "a")
                + .run(name, id: "a") {
                    try await forever(); return nil
                }
        }
        try await store.dispatch(.start("old"))
        try await store.dispatch(.start("new"))
        #expect(try await bench.runs(store) == ["old|cancelled", "new|running"])
        #expect(
            try bench.sql("SELECT effects FROM step_record WHERE step = 2")
                == [#"[{"cancel":{"String":"a"}},{"run":"new","id":{"String":"a"}}]"#])
        try await bench.journal.close()
    }

    @Test func `run before cancel of the same ID starts nothing`() async throws {
        let bench = try Workbench()
        let started = Box(0)
        let store = try await bench.openPlay { name in
            .run(name, id: "a") {
                started.change { $0 += 1 }
                return .ended(name)
            } + .cancel(id: "a")
        }
        let dispatched = try await store.dispatch(.start("x"))
        await dispatched.completion()
        #expect(started.value == 0)
        #expect(store.state.log == [])
        #expect(
            try await bench.sql("SELECT name, status, attempts, started FROM effect_run", after: store)
                == ["x|cancelled|0|"])
        try await bench.journal.close()
    }

    @Test func `effects are handled in order after the whole cascade is reduced`() async throws {
        let bench = try Workbench()
        let store = try await bench.openPlay { name in
            switch name {
            // The effects are in the order of the reduction, so the cascade's cancel comes before the last run.
            case "top":
                .run("before", id: "a") {
                    try await forever(); return nil
                } + .next(.start("inner"))
                    + .run("after", id: "a") {
                        try await forever(); return nil
                    }
            default: .cancel(id: "a") + .next(.ended("reduced"))
            }
        }
        try await store.dispatch(.start("top"))
        #expect(store.state.log == ["reduced"])
        #expect(try await bench.runs(store) == ["before|cancelled", "after|running"])
        try await bench.journal.close()
    }
}
