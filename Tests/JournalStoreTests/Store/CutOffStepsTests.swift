import CFaultVFS
import CJournalSQLite
import JournalTesting
import Testing
import TortureKit

@testable import JournalStore

@Suite struct `Remembered steps that are interrupted`: AtDesk {
    let desk: Desk
    /// The steps that were performed.
    let done = Box<[String]>([])

    init() throws { desk = try Desk() }

    @Test func `a cancelled run starts no step and does not remember the one it is in`() async throws {
        let journal = try openJournal(path, clock)
        let door = Door()
        let errors = Box<[String]>([])
        let said = Signal()
        let store = try await journal.openPlay(clock: clock) { [done] name in
            .run(name, id: name) { context in
                for step in ["under way", "new"] {
                    do {
                        try await context.step(step) {
                            done.change { $0.append(step) }
                            await door.pass()
                        }
                    } catch { errors.change { $0.append("\(type(of: error))") } }
                }
                said.send()
                return .ended(name)
            }
        }
        try await store.dispatch(.start("x"))
        await door.comers(1)
        try await store.cancel(id: "x")
        door.open()
        await said.wait()
        #expect(errors.value == ["CancellationError", "CancellationError"])
        #expect(done.value == ["under way"])
        try await store.settles()
        #expect(try sql("SELECT count(*) FROM effect_step") == ["0"])
        #expect(store.state.log == [])
        try await journal.close()
    }

    @Test func `a step throws if its store was closed`() async throws {
        let journal = try openJournal(path, clock)
        let door = Door()
        let codes = Box<[JournalError.Code?]>([])
        let said = Signal()
        let store = try await journal.openPlay(clock: clock) { name in
            .run(name) { context in
                let error = await journalError { try await context.step("a") { await door.pass() } }
                codes.change { $0.append(error?.code) }
                said.send()
                return nil
            }
        }
        try await store.dispatch(.start("x"))
        await door.comers(1)
        try await store.close()
        door.open()
        await said.wait()
        #expect(codes.value == [.closed])
        try await journal.close()
    }

    // MARK: A full disk

    @Test func `a step waits while the disk is full, and then goes on`() async throws {
        let vfs = FaultVFS()
        let door = Door()
        let journal = try openJournal(path, clock, vfs: vfs.name)
        let store = try await journal.openPlay(clock: clock) { [done] name in
            .run(name, id: name) { context in
                let result = try await context.step("a") {
                    done.change { $0.append("a") }
                    await door.pass()
                    return 1
                }
                return .ended("\(name) \(result)")
            }
        }
        try await store.dispatch(.start("x"))
        await door.comers(1)
        try await store.flush()
        vfs.fail(FAULT_WRITE, suffix: "-wal", count: -1, code: SQLITE_FULL)
        door.open()
        for _ in 1...2 {
            await clock.sleepers(1)
            clock.move(by: .seconds(1))
        }
        await clock.sleepers(1)
        #expect(store.state.log == [])
        vfs.clear()
        clock.move(by: .seconds(1))
        try await store.says("x 1")
        #expect(done.value == ["a"])
        #expect(try sql("SELECT name, result FROM effect_step") == ["a|1"])
        try await journal.close()
    }

    @Test(arguments: ["cancel", "close"]) func `a step that waits for disk space throws on a cancel or a close`(
        _ end: String
    ) async throws {
        let vfs = FaultVFS()
        let door = Door()
        let said = Box<[String]>([])
        let told = Signal()
        let journal = try openJournal(path, clock, vfs: vfs.name)
        let store = try await journal.openPlay(clock: clock) { name in
            .run(name, id: name) { context in
                do { try await context.step("a") { await door.pass() } } catch {
                    said.change { $0.append("\(type(of: error))") }
                }
                told.send()
                return .ended(name)
            }
        }
        try await store.dispatch(.start("x"))
        await door.comers(1)
        try await store.flush()
        vfs.fail(FAULT_WRITE, suffix: "-wal", count: -1, code: SQLITE_FULL)
        door.open()
        await clock.sleepers(1)
        if end == "cancel" {
            _ = await journalError { try await store.cancel(id: "x") }
            vfs.clear()
            clock.move(by: .seconds(1))
            await told.wait()
            #expect(said.value == ["CancellationError"])
            try await store.settles()
            #expect(try sql("SELECT status FROM effect_run") == ["cancelled"])
        } else {
            let closing = Task { try? await store.close() }
            await told.wait()
            vfs.clear()
            await closing.value
            #expect(said.value == ["JournalError"])
        }
        #expect(store.state.log == [])
        try? await journal.close()
    }
}
