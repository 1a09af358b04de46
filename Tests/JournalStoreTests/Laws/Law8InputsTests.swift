import JournalTesting
import Testing
import TortureKit

@testable import JournalStore

@Suite struct `Law 8: time, identity and chance are inputs` {
    @Test func `a replay draws the same random values, and another stream draws others`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.db")
        var journal = try openJournal(path) { $0.snapshots = .never }
        var store = try await journal.openPlay()
        for _ in 0..<5 { try await store.dispatch(.draw) }
        let drawn = store.state.drawn
        #expect(Set(drawn).count == 5)
        let other = try await journal.openPlay("b")
        for _ in 0..<5 { try await other.dispatch(.draw) }
        #expect(Set(other.state.drawn).isDisjoint(with: drawn))
        try await journal.close()

        journal = try openJournal(path) { $0.snapshots = .never }
        store = try await journal.openPlay()
        #expect(store.state.drawn == drawn)
        try await journal.close()
    }

    @Test func `the time of a step is the journal's time, as in its entry`() async throws {
        let clock = ManualClock()
        var options = reducingOnce
        options.clock = clock.wallClock
        let journal = try Journal.inMemory(options: options)
        let times = Box<[Timestamp]>([])
        let store = try await journal.openPlay(
            clock: clock, reduced: { _, step in times.change { $0.append(step.time) } })
        try await store.dispatch(.add(1))
        clock.move(by: .seconds(90))
        try await store.dispatch(.add(1))
        #expect(times.value.map(\.description) == ["2026-01-01T00:00:00.000000Z", "2026-01-01T00:01:30.000000Z"])
        #expect(try journal.reader.entries(in: "a").map(\.time) == times.value)
    }

    @Test func `an idempotency key is the same for all attempts of a run, and differs between runs`() async throws {
        let journal = try Journal.inMemory()
        let keys = Box<[String: [String]]>([:])
        let clock = ManualClock()
        func open(_ stream: String) async throws -> Store<Play, Score> {
            try await journal.openPlay(stream, clock: clock) { name in
                .run(name, retry: .constant(maxAttempts: 2, delay: .seconds(1))) { context in
                    keys.change { $0["\(stream) \(name)", default: []].append(context.idempotencyKey) }
                    if context.attempt == 1 { throw CancellationError() }
                    return nil
                }
            }
        }
        for stream in ["a", "b"] {
            let store = try await open(stream)
            for name in ["x", "y"] {
                let dispatched = try await store.dispatch(.start(name))
                await clock.sleepers(1)
                clock.move(by: .seconds(1))
                await dispatched.completion()
            }
        }
        #expect(keys.value.values.allSatisfy { $0.count == 2 && $0[0] == $0[1] })
        #expect(Set(keys.value.values.map { $0[0] }).count == 4)
    }
}
