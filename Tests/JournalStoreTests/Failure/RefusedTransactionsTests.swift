import JournalTesting
import Testing
import TortureKit

@testable import JournalStore

/// Another program changes the file, so that transactions fail whatever they write.
@Suite struct `Transactions that a changed file refuses`: AtDesk {
    let desk: Desk

    init() throws { desk = try Desk() }

    /// A store with an effect whose body waits at the door.
    private func store(
        _ door: Door, _ notices: Box<[Notice.Kind]>
    ) async throws -> (Journal, Store<Play, Score>) {
        let journal = try openJournal(path) { [clock] options in
            options.wallClock = clock.wallClock
            options.report = { notice in notices.change { $0.append(notice.kind) } }
        }
        let store = try await journal.openPlay(clock: clock) { name in
            .run(name) { context in
                await door.pass()
                if name == "step" { try await context.step("charge") {} }
                return .ended(name)
            }
        }
        return (journal, store)
    }

    @Test(arguments: ["send", "step"]) func `an effect whose action they refuse waits, and has not failed`(
        _ name: String
    ) async throws {
        let (door, notices) = (Door(), Box<[Notice.Kind]>([]))
        let (journal, store) = try await store(door, notices)
        try await store.dispatch(.start(name))
        await door.comers(1)
        try await store.flush()
        try Shell(path)("UPDATE stream SET created = created + 1")
        door.open()
        // It is tried again each second.
        for _ in 1...2 {
            await clock.sleepers(1)
            clock.move(by: .seconds(1))
        }
        await clock.sleepers(1)
        #expect(await journalError { try await store.dispatch(.add(1)) }?.code == .corrupt)
        #expect(try sql("SELECT status FROM effect_run") == ["running"])
        #expect(notices.value.contains(.recordIncomplete))
        try Shell(path)("UPDATE stream SET created = created - 1")
        clock.move(by: .seconds(1))
        try await store.says(name)
        try await journal.close()
        #expect(try sql("SELECT status FROM effect_run") == ["completed"])
        #expect(notices.value.filter { $0 == .recordIncomplete }.count == 1)
    }

    /// The schema cannot be read then, so it cannot be compared either.
    @Test(arguments: [
        "CREATE INDEX mine ON entry (json_extract(action, '$.x'))", "CREATE TABLE mine (a TEXT CHECK (json_valid(a)))",
    ])
    func `something that calls functions, added to an open journal, stops it`(_ statement: String) async throws {
        let (door, notices) = (Door(), Box<[Notice.Kind]>([]))
        let (journal, store) = try await store(door, notices)
        try await store.dispatch(.start("send"))
        await door.comers(1)
        try await store.flush()
        try Shell(path)(statement)
        let error = await journalError { try await store.dispatch(.add(1)) }
        #expect(error?.code == .fenced)
        #expect(error?.message.contains("mine") == true)
        door.open()
        #expect(notices.value == [.journalStopped])
        try? await journal.close()
        #expect(try sql("SELECT status FROM effect_run") == ["running"])
    }
}
