import CFaultVFS
import CJournalSQLite
import JournalTesting
import Testing
import TortureKit

@testable import JournalStore

/// Actions that no body sends: the tick of a timer, the failure action of a run.
@Suite struct `Ticks and failure actions on a full disk`: AtDesk {
    struct Broken: Error {}

    let desk: Desk
    let vfs = FaultVFS()

    init() throws { desk = try Desk() }

    /// A store that has a tick or a failure action to commit while the disk is full.
    private func stuck(_ kind: String) async throws -> (Journal, Store<Play, Score>) {
        let door = Door()
        let journal = try openJournal(path, clock, vfs: vfs.name)
        let store = try await journal.openPlay(clock: clock) { name in
            if kind == "tick" { return .after(.seconds(60), .ended(name), id: name) }
            return .run(name, id: name) {
                await door.pass()
                throw Broken()
            }.onFailure(.ended(name))
        }
        try await store.dispatch(.start("x"))
        if kind == "tick" { await clock.sleepers(1) } else { await door.comers(1) }
        try await store.flush()
        vfs.fail(FAULT_WRITE, suffix: "-wal", count: -1, code: SQLITE_FULL)
        door.open()
        clock.move(by: .seconds(60))
        // The store retries every second.
        for _ in 1...2 {
            await clock.sleepers(1)
            clock.move(by: .seconds(1))
        }
        await clock.sleepers(1)
        #expect(store.state.log == [])
        return (journal, store)
    }

    @Test(arguments: ["tick", "failure"]) func `an action waits and is committed once`(_ kind: String) async throws {
        let (journal, store) = try await stuck(kind)
        vfs.clear()
        clock.move(by: .seconds(1))
        try await store.says("x")
        try await store.flush()
        #expect(try sql("SELECT status, delivered FROM effect_run") == [kind == "tick" ? "completed|1" : "failed|0"])
        #expect(try sql("SELECT count(*) FROM entry WHERE cause_step = 1") == ["1"])
        try await journal.close()
    }

    @Test(arguments: ["tick", "failure"]) func `an action of a cancelled run is dropped`(_ kind: String)
        async throws
    {
        let (journal, store) = try await stuck(kind)
        _ = await journalError { try await store.cancel(id: "x") }
        vfs.clear()
        clock.move(by: .seconds(1))
        try await store.settles()
        #expect(store.state.log == [])
        #expect(try sql("SELECT status, delivered FROM effect_run") == ["cancelled|0"])
        try await journal.close()
    }

    @Test(arguments: ["tick", "failure"])
    func `a close that cannot commit its cancels throws and leaves the store open, and they are committed later`(
        _ kind: String
    ) async throws {
        let (journal, store) = try await stuck(kind)
        #expect(await journalError { try await store.close(cancelling: { _ in true }) } != nil)
        vfs.clear()
        clock.move(by: .seconds(1))
        try await store.settles()
        #expect(store.state.log == [])
        #expect(try sql("SELECT status, delivered FROM effect_run") == ["cancelled|0"])
        #expect(try await store.dispatch(.add(1)).outcome == .reduced)
        try await journal.close()
    }

    @Test(arguments: ["tick", "failure"]) func `a close does not wait for the action, and the next opening commits it`(
        _ kind: String
    ) async throws {
        let (journal, store) = try await stuck(kind)
        let isClosed = Box(false)
        let closing = Task {
            // It does not matter here whether the snapshot could be saved.
            try? await store.close()
            isClosed.change { $0 = true }
        }
        while !isClosed.value {
            clock.move(by: .seconds(1))
            await Task.yield()
        }
        vfs.clear()
        clock.move(by: .seconds(1))
        await closing.value
        #expect(try sql("SELECT status, delivered FROM effect_run") == [kind == "tick" ? "delayed|0" : "running|0"])
        let again = try await journal.openPlay(clock: clock) { name in
            .run(name, id: name) { throw Broken() }.onFailure(.ended(name))
        }
        try await again.says("x")
        try await journal.close()
    }
}
