import CFaultVFS
import CJournalSQLite
import JournalTesting
import Testing
import TortureKit

@testable import JournalStore

@Suite struct `Law 6: a result arrives once` {
    /// The runs whose record disagrees with the entries that they sent; there must be none in any state of the file.
    private func disagreements(_ path: String) throws -> [String] {
        try Shell(path)(
            """
            SELECT run.step, run.ordinal, run.delivered,
                (SELECT count(*) FROM entry WHERE cause_step = run.step AND cause_run = run.ordinal) AS sent, run.status
            FROM effect_run AS run
            WHERE run.delivered != sent OR (run.name = 'once' AND (run.status = 'completed') != (sent = 1))
            """)
    }

    private func open(_ path: String, _ vfs: String?) async throws -> (Journal, Store<Play, Score>) {
        let journal = try openJournal(path) { $0.vfs = vfs }
        let store = try await journal.openPlay { name in
            .run("once", id: name) { .ended("once \(name)") }
                + .stream("often") { send, context in
                    for number in context.delivered..<3 { try await send(.ended("often \(name) \(number)")) }
                }
        }
        return (journal, store)
    }

    @Test func `an entry and the change of its run are committed together, wherever the disk fails`() async throws {
        let expected = Set(
            ["a", "b"].flatMap { name in ["once \(name)"] + (0..<3).map { "often \(name) \($0)" } })
        var failures = 0
        var nth: UInt64 = 1
        while true {
            let folder = try TemporaryFolder()
            let path = folder.path("a.db")
            let vfs = FaultVFS()
            var (journal, store) = try await open(path, vfs.name)
            vfs.fail(FAULT_SYNC, suffix: "-wal", nth: nth, code: Extended.inputOutputSync)
            var dispatched: [String] = []
            for name in ["a", "b"] {
                guard let done = try? await store.dispatch(.start(name), id: name, trackingFeedback: true) else {
                    break
                }
                dispatched.append(name)
                await done.completion()
            }
            let hasFailed = (try? await store.flush()) == nil
            try? await store.close()
            try? await journal.close()
            vfs.clear()
            #expect(try disagreements(path) == [], "after a failure at sync \(nth)")

            // The next opening delivers what is missing, and nothing twice.
            (journal, store) = try await open(path, nil)
            for name in ["a", "b"] { try await store.dispatch(.start(name), id: name) }
            let state = try await store.dispatch(.add(1)) { Set($0.log) == expected }
            #expect(state.log.count == expected.count, "after a failure at sync \(nth): \(state.log)")
            try await store.flush()
            #expect(try disagreements(path) == [])
            #expect(try journal.reader.liveRuns(in: "a").filter { $0.name == "once" }.isEmpty)
            try await journal.close()
            guard hasFailed else { break }
            failures += 1
            nth += 1
        }
        #expect(failures > 5)
    }

    @Test func `a result on a full disk keeps its queue slot and arrives when there is room`() async throws {
        struct One: Oldest1SuspendNewEffectQueue {}
        let folder = try TemporaryFolder()
        let path = folder.path("a.db")
        let vfs = FaultVFS()
        let clock = ManualClock()
        let door = Door()
        let started = Box<[String]>([])
        let journal = try openJournal(path) {
            $0.vfs = vfs.name
            $0.wallClock = clock.wallClock
        }
        let store = try await journal.openPlay(clock: clock) { name in
            .run(name, queue: One()) {
                started.change { $0.append(name) }
                await door.pass()
                return .ended(name)
            }
        }
        try await store.dispatch(.start("x"))
        try await store.dispatch(.start("y"))
        await door.comers(1)
        try await store.flush()
        vfs.fail(FAULT_WRITE, suffix: "-wal", count: -1, code: SQLITE_FULL)
        door.open()
        // The store retries from time to time.
        await clock.sleepers(1)
        clock.move(by: .seconds(1))
        await clock.sleepers(1)
        #expect(store.state.log == [])
        #expect(started.value == ["x"])
        #expect(await journalError { try await store.dispatch(.add(1)) }?.code == .diskFull)
        vfs.clear()
        let state = try await store.dispatch(.add(1)) { $0.log.count == 2 }
        #expect(state.log == ["x", "y"])
        #expect(started.value == ["x", "y"])
        try await store.flush()
        #expect(try disagreements(path) == [])
        try await journal.close()
    }

    @Test func `a store that fails does not commit the end of an effect without the step that ends it`() async throws {
        let folder = try TemporaryFolder()
        let journal = try openJournal(folder.path("a.db"))
        let store = try await journal.openPlay { name in
            .run(name) {
                try await forever()
                return nil
            }
        }
        try await store.dispatch(.start("x"))
        try await store.flush()
        let engine = store.engine
        // Its answer makes a transaction, which takes each record that the store has passed on.
        let request = DispatchRequest<Play, Score>(
            .add(1), Batch(entries: [try engine.entry(.add(1))]), to: engine, waitsForState: true)
        request.reply = .until({ _ in false }, { _ in journal.submit(Batch()) { _ in } })
        engine.admit(request)
        try await store.flush()
        engine.post(
            .list(ephemeral: false) { _ in
                guard let run = engine.scheduler.runs.values.first?.record else { return }
                engine.recorder.record(run.completed(at: Timestamp.now()))
                engine.fail(JournalError(.busy, "A read failed."), alone: true)
            })
        _ = try await journal.commit(Batch())
        #expect(try Shell(folder.path("a.db"), readOnly: true)("SELECT status FROM effect_run") == ["running"])
        try await journal.close()
    }
}
