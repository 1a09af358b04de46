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
        options.wallClock = clock.wallClock
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

    /// The process is killed before the effects of the step are recorded, so the code that opens the journal derives
    /// them again.
    @Test func `a new version that returns an effect among others has the same idempotency key for it`() async throws {
        let folder = try TemporaryFolder()
        let killed = try openJournal(folder.path("killed.db"))
        let stream = try await killed.openStream("a", machine: "play")
        let action = try JSONCodec().encode(Play.start("pay"))
        _ = try await killed.commit(Batch(entries: [NewEntry(stream: stream.id, action: action)]))
        try await killed.close()
        func keys(_ names: [String], _ copy: String) async throws -> [String: [String]] {
            try Shell(folder.path("killed.db"))("VACUUM INTO '\(folder.path(copy))'")
            let journal = try openJournal(folder.path(copy))
            let keys = Box<[String: [String]]>([:])
            let store = try await journal.openPlay { _ in
                .combine(
                    names.map { name in
                        @Sendable func note(_ context: EffectContext) {
                            keys.change { $0[name, default: []].append(context.idempotencyKey) }
                        }
                        if name == "now" { return Effect<Play>.ephemeral(name) { note($0) } }
                        return Effect<Play>.run(name) { context in
                            note(context)
                            return nil
                        }
                    })
            }
            await store.join()
            try await store.flush()
            // The tool computes the same from the records.
            let listed = try journal.reader.listed(try journal.reader.effectRuns(in: "a"), of: "a")
            let recorded = keys.value.filter { $0.key != "now" }
            #expect(Set(listed.compactMap(\.idempotencyKey)) == Set(recorded.values.flatMap(\.self)))
            try await journal.close()
            return keys.value
        }
        let first = try await keys(["pay", "pay"], "1.db")
        let second = try await keys(["log", "pay", "mail", "pay"], "2.db")
        #expect(first["pay"]?.sorted() == second["pay"]?.sorted())
        #expect(Set(second.values.flatMap(\.self)).count == 4)
        // An ephemeral effect is not recorded.
        #expect(try await keys(["now"], "3.db")["now"] == keys(["log", "now"], "4.db")["now"])
    }
}
