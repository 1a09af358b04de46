import JournalStore
import Testing

@Suite struct `Actomaton: errors of an effect` {
    private struct Broken: Error, CustomStringConvertible { var description = "the printer is on fire" }

    private static let effects: @Sendable (String) -> Effect<Play> = { name in
        switch name {
        case "run": .run(name) { throw Broken() }
        case "fireAndForget": .fireAndForget(name) { throw Broken() }
        case "stream":
            .stream(name) { send, _ in
                try await send(.add(1))
                throw Broken()
            }
        case "sequence": .sequence(name) { _ async throws -> AsyncStream<Play> in throw Broken() }
        default: .none
        }
    }

    @Test(arguments: [("run", 0), ("fireAndForget", 0), ("stream", 1), ("sequence", 0)])
    func `an effect's error is recorded and delivered to the caller`(_ name: String, _ delivered: Int) async throws {
        let bench = try Workbench()
        let store = try await bench.openPlay(effects: Self.effects)
        let dispatched = try await store.dispatch(.start(name))
        await dispatched.completion()
        #expect(dispatched.errors.count == 1)
        #expect(dispatched.errors.first is Broken)
        var failures = 0
        for await case .failure(let error) in dispatched.results {
            #expect(error is Broken)
            failures += 1
        }
        #expect(failures == 1)
        #expect(store.state.sum == delivered)
        #expect(
            try await bench.sql(
                "SELECT name, status, error, delivered, ended IS NOT NULL FROM effect_run", after: store)
                == ["\(name)|failed|the printer is on fire|\(delivered)|1"])
        try await bench.journal.close()
    }

    @Test func `an error is recorded even if no caller awaits it, and the store continues`() async throws {
        struct OneByOne: Oldest1SuspendNewEffectQueue {}
        let bench = try Workbench()
        let store = try await bench.openPlay { name in
            name == "good"
                ? .run("good", queue: OneByOne()) { .ended("good") } : .run("bad", queue: OneByOne()) { throw Broken() }
        }
        try await store.dispatch(.start("bad"))
        // It gets the queue's slot only after the other one has ended.
        let dispatched = try await store.dispatch(.start("good"))
        await dispatched.completion()
        #expect(store.state.log == ["good"])
        #expect(
            try await bench.sql("SELECT name, status, error FROM effect_run", after: store)
                == ["bad|failed|the printer is on fire", "good|completed|"])
        try await bench.journal.close()
    }

    @Test func `errors of the feedback's effects reach a caller with trackingFeedback`() async throws {
        let bench = try Workbench()
        let store = try await bench.openPlay { name in
            name == "top" ? .run("top") { .start("bottom") } : .run("bottom") { throw Broken() }
        }
        let dispatched = try await store.dispatch(.start("top"), trackingFeedback: true)
        await dispatched.completion()
        #expect(dispatched.errors.first is Broken)
        #expect(try await bench.runs(store) == ["top|completed", "bottom|failed"])
        try await bench.journal.close()
    }

    @Test func `a cancelled effect reports no error, whatever its body throws`() async throws {
        let bench = try Workbench()
        let door = Door()
        let store = try await bench.openPlay { name in
            .run(name, id: name) {
                await door.pass()
                if name == "a" { throw CancellationError() }
                throw Broken()
            }
        }
        let dispatched = try await store.dispatch(contentsOf: [.start("a"), .start("b")])
        await door.comers(2)
        try await store.dispatch(contentsOf: [.cancel("a"), .cancel("b")])
        door.open()
        for dispatched in dispatched {
            await dispatched.completion()
            #expect(dispatched.errors.isEmpty)
        }
        #expect(
            try await bench.sql("SELECT name, status, error FROM effect_run", after: store) == [
                "a|cancelled|", "b|cancelled|",
            ])
        try await bench.journal.close()
    }
}
