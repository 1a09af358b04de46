import CFaultVFS
import CJournalSQLite
import JournalTesting
import Testing
import TortureKit

@testable import JournalStore

@Suite struct `A retry on a full disk`: AtDesk {
    private struct Line: Oldest1DiscardNewEffectQueue {}

    let desk: Desk

    init() throws { desk = try Desk() }

    /// The effect of step 2 finds its queue full, because that of step 1 waits at the door.
    private func discardsOne(_ store: Store<Play, Score>, _ door: Door) async throws {
        try await store.dispatch(.start("busy"))
        await door.comers(1)
        try await store.dispatch(.start("discarded"))
        door.open()
        try await store.says("busy")
    }

    /// Otherwise a process that ends now leaves an effect that has ended, with no word of the retry.
    @Test func `starts an effect that never ran only when the journal says who has retried it`() async throws {
        let vfs = FaultVFS()
        let door = Door()
        let acts = Box<[String]>([])
        let journal = try openJournal(path, clock, vfs: vfs.name)
        let path = path
        let store = try await journal.openPlay(clock: clock) { name in
            .run(name, queue: Line()) {
                if name == "busy" { await door.pass() }
                let found = try Shell(path, readOnly: true)("SELECT act FROM intervention")
                acts.change { $0.append("\(name): \(found.joined())") }
                return .ended(name)
            }
        }
        try await discardsOne(store, door)
        try await store.flush()
        let run = RunKey(step: 2, ordinal: 0)
        #expect(try journal.reader.effectRun(run, in: "a")?.status == .discarded)

        vfs.fail(FAULT_WRITE, suffix: "-wal", count: -1, code: SQLITE_FULL)
        #expect(await journalError { try await store.retry(run) }?.code == .diskFull)
        #expect(store.engine.startedBodies == 1)
        vfs.clear()
        try await store.says("busy", "discarded")
        #expect(acts.value == ["busy: ", "discarded: retry"])
        try await journal.close()
        #expect(try sql("SELECT status, attempts FROM effect_run WHERE step = 2") == ["completed|1"])
    }

    /// The file still says that the effect was discarded.
    @Test func `keeps the entry of the effect from being pruned until it is recorded`() async throws {
        let vfs = FaultVFS()
        let door = Door()
        let journal = try openJournal(path, clock, vfs: vfs.name)
        let store = try await journal.openPlay(clock: clock) { name in
            .run(name, queue: Line()) {
                if name == "busy" { await door.pass() }
                return .ended(name)
            }
        }
        try await discardsOne(store, door)
        let last = try await store.dispatch(.add(0)).step
        try await store.flush()
        let engine = store.engine
        try await engine.stream.saveSnapshot(engine.program.encode(store.state, engine.location), at: last)
        try await store.settles()

        vfs.fail(FAULT_WRITE, suffix: "-wal", count: -1, code: SQLITE_FULL)
        #expect(await journalError { try await store.retry(RunKey(step: 2, ordinal: 0)) }?.code == .diskFull)
        let error = await journalError { try await journal.prune("a", before: last + 1) }
        #expect(error?.code == .busy)
        #expect(error?.message.contains("could not be written yet") == true)
        vfs.clear()
        try await store.says("busy", "discarded")
        try await store.settles()
        try await journal.prune("a", before: last + 1)
        #expect(try await journal.verify().isSound)
        try await journal.close()
    }
}
