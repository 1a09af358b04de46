import JournalStore
import Testing

@Suite struct `Actomaton: map of an effect` {
    @Test func `map of the action changes every action that the effect sends, at once or later`() async throws {
        let bench = try Workbench()
        let store = try await bench.openPlay { name in
            guard name == "x" else { return .none }
            let inner: Effect<Int> =
                .next(1) + .run("returns") { 2 }
                + .stream("sends", queue: OneByOne()) { send, _ in try await send(3) }
                + .cancel(id: "unknown") + .updateQueue(OneByOne())
            return inner.map(action: { .ended("\($0)") })
        }
        struct OneByOne: Oldest1SuspendNewEffectQueue {}
        let dispatched = try await store.dispatch(.start("x"))
        await dispatched.completion()
        #expect(store.state.log.first == "1")
        #expect(Set(store.state.log) == ["1", "2", "3"])
        #expect(try await bench.runs(store) == ["returns|completed", "sends|completed"])
        try await bench.journal.close()
    }

    @Test func `map of the ID changes the IDs that an effect runs under and the IDs that it cancels`() async throws {
        struct Mine: EffectID {
            var id: String
        }
        let bench = try Workbench()
        let store = try await bench.openPlay { name in
            let work = Effect<Play>.run(name, id: "work") {
                try await forever(); return nil
            }
            return switch name {
            case "mapped": work.map(id: { Mine(id: $0.base as? String ?? "") })
            case "cancel mapped": Effect.cancel(id: "work").map(id: { Mine(id: $0.base as? String ?? "") })
            default: work
            }
        }
        for name in ["mapped", "plain", "cancel mapped"] { try await store.dispatch(.start(name)) }
        #expect(try await bench.runs(store) == ["mapped|cancelled", "plain|running"])
        #expect(
            try bench.sql(
                "SELECT json_extract(effect_id, '$.' || (SELECT '\"' || key || '\"' FROM json_each(effect_id))) FROM effect_run"
            ) == [#"{"id":"work"}"#, "work"])
        try await bench.journal.close()
    }

    @Test func `an ID and a queue can be given to the effects of a part, which then can be cancelled`() async throws {
        struct ScreenID: EffectID {}
        struct OneByOne: Oldest1SuspendNewEffectQueue {}
        let part = Reducer<Play, Score, Stage> { action, _, _ in
            guard case .start(let name) = action else { return .none }
            return .run(name) {
                try await forever(); return nil
            }
        }
        let whole =
            part.map(optionalID: { _ in ScreenID() }).map(optionalQueue: { _ in OneByOne() })
            + Reducer { action, _, _ in
                guard case .cancel = action else { return .none }
                return .cancel(id: ScreenID())
            }
        let bench = try Workbench()
        let machine = Machine("whole", initialState: Score(), reducer: whole)
        let store = try await bench.journal.open(
            machine, stream: "a", environment: Stage(), clock: bench.clock)
        for name in ["first", "second"] { try await store.dispatch(.start(name)) }
        #expect(try await bench.runs(store) == ["first|running", "second|waiting"])
        try await store.dispatch(.cancel("screen"))
        #expect(try await bench.runs(store) == ["first|cancelled", "second|cancelled"])
        try await bench.journal.close()
    }

    @Test func `map of the queue changes the queue or removes it`() async throws {
        struct AdmissionQueue: Oldest1SuspendNewEffectQueue {
            var number: Int
        }
        let bench = try Workbench()
        let store = try await bench.openPlay { name in
            let work = Effect<Play>.run(name, queue: AdmissionQueue(number: 1)) {
                try await forever(); return nil
            }
            return switch name {
            case "other": work.map(queue: { _ in AdmissionQueue(number: 2) })
            case "none": work.map(queue: { _ in nil })
            default: work
            }
        }
        for name in ["first", "second", "other", "none"] { try await store.dispatch(.start(name)) }
        #expect(try await bench.runs(store) == ["first|running", "second|waiting", "other|running", "none|running"])
        #expect(try bench.sql("SELECT count(DISTINCT queue), sum(queue IS NULL) FROM effect_run") == ["2|1"])
        try await bench.journal.close()
    }
}
