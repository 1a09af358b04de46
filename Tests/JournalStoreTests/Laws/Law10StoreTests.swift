import Testing
import TortureKit

@testable import JournalStore

@Suite struct `Law 10, in a store: asking twice is asking once` {
    @Test func `a repeated dispatch ID returns the first step and reduces nothing`() async throws {
        let journal = try Journal.inMemory()
        let store = try await journal.openPlay()
        let first = try await store.dispatch(.add(5), id: "order-7")
        let again = try await store.dispatch(.add(5), id: "order-7")
        #expect(first.step == 1)
        #expect(first.outcome == .reduced)
        #expect(again.step == 1)
        #expect(again.outcome == .repeated)
        #expect(store.state.sum == 5)
        let error = await journalError { try await store.dispatch(.add(6), id: "order-7") }
        #expect(error?.code == .dispatchIDReused)
        #expect(error?.step == 1)
        #expect(store.state.sum == 5)
    }

    @Test func `an empty dispatch ID is refused, which callers without an ID would share`() async throws {
        let journal = try Journal.inMemory()
        let store = try await journal.openPlay()
        let error = await journalError { try await store.dispatch(.add(5), id: "") }
        #expect(error?.code == .badArgument)
        #expect(error?.stream == "a")
        #expect(try await store.dispatch(.add(6)).step == 1)
    }

    @Test func `a repeated dispatch joins the first one while its effects run`() async throws {
        let journal = try Journal.inMemory()
        let door = Door()
        let store = try await journal.openPlay { name in
            .run {
                await door.pass()
                return .ended(name)
            }
        }
        let first = try await store.dispatch(.start("x"), id: "order-7")
        let again = try await store.dispatch(.start("x"), id: "order-7")
        #expect(again.outcome == .repeated)
        await door.comers(1)
        door.open()
        await again.completion()
        #expect(store.state.log == ["x"])
        await first.completion()
        #expect(try journal.reader.effectRuns(in: "a").count == 1)
    }

    @Test func `concurrent dispatches with one ID get one step`() async throws {
        let folder = try TemporaryFolder()
        let journal = try openJournal(folder.path("a.db"))
        let store = try await journal.openPlay()
        let steps = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<50 { group.addTask { try await store.dispatch(.add(1), id: "once").step } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(steps == [1])
        #expect(store.state.sum == 1)
        try await journal.close()
    }

    @Test func `a repeated dispatch that waits for a state returns if the current state matches`() async throws {
        let journal = try Journal.inMemory()
        let store = try await journal.openPlay()
        #expect(try await store.dispatch(.add(5), id: "x", until: { $0.sum == 5 }).sum == 5)
        #expect(try await store.dispatch(.add(5), id: "x", until: { $0.sum == 5 }).sum == 5)
    }

    @Test func `a caller that waits for a state is asked once about each, also while others wait`() async throws {
        let journal = try Journal.inMemory()
        let store = try await journal.openPlay()
        let asked = Watched<[Int]>([])
        let isThree: @Sendable (Score) -> Bool = { state in
            asked.change { $0.append(state.sum) }
            return state.sum == 3
        }
        let waiting = Task { try await store.dispatch(.add(1), until: isThree) }
        _ = await asked.wait { $0.isEmpty ? nil : true }
        for _ in 1...2 { _ = try await store.dispatch(.add(1), id: "x", until: { $0.sum == 2 }) }
        _ = try await store.dispatch(.add(1), until: { $0.sum == 3 })
        #expect(try await waiting.value.sum == 3)
        #expect(asked.read { $0 } == [1, 2, 3])
    }

    /// The result of the first dispatch is kept or not, and the store is the same one or was opened again.
    @Test(arguments: [(true, false), (false, false), (false, true)])
    func `law 10: a repeated dispatch knows which effects of the first one have failed or were cancelled`(
        keepsFirst: Bool, reopens: Bool
    ) async throws {
        let effects: @Sendable (String) -> Effect<Play> = { name in
            .fireAndForget("fails") { throw EffectFailure(description: "no money") }
                + .fireAndForget("waits", id: name) { try await forever() } + .fireAndForget("ends") {}
        }
        let folder = try TemporaryFolder()
        let journal = try openJournal(folder.path("a.db"))
        var store = try await journal.openPlay(effects: effects)
        var first: Dispatched<Play>? = try await store.dispatch(.start("x"), id: "order-7")
        try await store.cancel(id: "x")
        await first?.completion()
        if !keepsFirst { first = nil }
        if reopens {
            try await store.close()
            store = try await journal.openPlay(effects: effects)
        }
        let again = try await store.dispatch(.start("x"), id: "order-7")
        #expect(again.outcome == .repeated)
        await again.completion()
        #expect(again.errors.map { "\($0)" } == ["no money"])
        #expect(again.isCancelled)
        var results: [String] = []
        for await result in again.results { results.append("\(result)") }
        #expect(results.count == 1 && results[0].contains("no money"))
        withExtendedLifetime(first) {}
        try await journal.close()
    }

    @Test func `law 10: a repeated dispatch follows the effects that are left, and knows of the others`() async throws {
        let door = Door()
        let journal = try Journal.inMemory()
        let store = try await journal.openPlay { name in
            .run("fails") { throw EffectFailure(description: "no money") }
                + .run("waits") {
                    await door.pass()
                    return .ended(name)
                }
        }
        for await result in try await store.dispatch(.start("x"), id: "order-7").results {
            #expect("\(result)".contains("no money"))
            break
        }
        let again = try await store.dispatch(.start("x"), id: "order-7")
        door.open()
        await again.completion()
        #expect(again.errors.map { "\($0)" } == ["no money"])
        #expect(!again.isCancelled)
        #expect(store.state.log == ["x"])
        try await journal.close()
    }
}
