import CFaultVFS
import Foundation
import JournalTesting
import Testing
import TortureKit

@testable import JournalStore

private enum Beat: String, Codable, Sendable { case start, tick }

/// A machine that a timer drives; nobody waits for its steps.
private let pulse = Machine<Beat, Int, Void>("pulse", initialState: 0) { beat, count, _ in
    if beat == .start { return .every(.seconds(1), .tick) }
    count += 1
    return .none
}

/// What an app learns that only waits, when its journal stops.
@Suite struct `A stopped journal` {
    let folder: TemporaryFolder
    let path: String
    let vfs = FaultVFS()
    let clock = ManualClock()
    let notices = Box<[Notice]>([])

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("a.db")
    }

    private func open(_ path: String? = nil) async throws -> (Journal, Store<Beat, Int>) {
        let journal = try openJournal(path ?? self.path) { [notices] in
            $0.vfs = vfs.name
            $0.follow(clock)
            $0.report = { notice in notices.change { $0.append(notice) } }
        }
        let store = try await journal.open(pulse, stream: "a", clock: clock)
        try await store.dispatch(.start)
        await clock.advance(by: .seconds(1))
        #expect(store.state == 1)
        #expect(store.failure == nil)
        return (journal, store)
    }

    /// Lets the timer fire in a journal that has to stop.
    private func fire(_ store: Store<Beat, Int>) async {
        clock.move(by: .seconds(1))
        for await _ in store.states {}
        await store.join()
    }

    @Test func `a trigger that another program adds stops the journal before it runs`() async throws {
        let journal = try openJournal(path) { [notices] in
            $0.report = { notice in notices.change { $0.append(notice) } }
        }
        let stream = try await journal.openStream("a", machine: "m")
        try await stream.append("1")
        try Shell(path)("CREATE TRIGGER t AFTER INSERT ON entry BEGIN DELETE FROM entry WHERE step = 1; END")
        let error = await journalError { try await stream.append("2") }
        #expect(error?.code == .fenced)
        #expect(error?.message.contains("the trigger t is not part of the schema") == true)
        #expect(notices.value.map(\.kind) == [.journalStopped])
        #expect(try JournalReader(path: path).entries(in: "a").map(\.action) == ["1"])
    }

    @Test func `a table that another program adds does not stop the journal`() async throws {
        let journal = try Journal(path: path)
        let stream = try await journal.openStream("a", machine: "m")
        try await stream.append("1")
        try Shell(path)("CREATE TABLE mine (x); INSERT INTO mine VALUES (1)")
        try await stream.append("2")
        try Shell(path)("INSERT INTO mine VALUES (2)")
        #expect(try await stream.append("3").step == 3)
        try await journal.close()
    }

    @Test func `a timer that finds the file moved away tells the app at once`() async throws {
        let (journal, store) = try await open()
        try FileManager.default.moveItem(atPath: path, toPath: folder.path("b.db"))
        await fire(store)
        #expect(notices.value.map(\.kind) == [.journalStopped])
        #expect(notices.value.first?.error.file == path)
        #expect(notices.value.first?.error.message == "The file was moved or replaced while it was open.")
        #expect(store.failure?.code == .fenced)
        #expect(store.failure?.stream == "a")
        #expect(store.state == 1)
        try? await journal.close()
        #expect(store.failure?.code == .fenced)
        #expect(notices.value.count == 1)
    }

    @Test func `a timer that finds the folder out of reach stops the journal, and fires after the next opening`()
        async throws
    {
        let (inside, away) = (folder.path("inside"), folder.path("away"))
        try FileManager.default.createDirectory(atPath: inside, withIntermediateDirectories: false)
        let (journal, store) = try await open(inside + "/a.db")
        try await store.flush()
        try FileManager.default.moveItem(atPath: inside, toPath: away)
        // Nobody can go through a link to itself, not even root.
        try FileManager.default.createSymbolicLink(atPath: inside, withDestinationPath: inside)
        await fire(store)
        #expect(notices.value.map(\.kind) == [.journalStopped])
        #expect(
            notices.value.first?.error.message.hasPrefix("The path of the file cannot be looked up any more") == true)
        #expect(store.failure?.code == .fenced)
        #expect(store.state == 1)
        try? await journal.close()
        #expect(unlink(inside) == 0)
        try FileManager.default.moveItem(atPath: away, toPath: inside)
        let next = try openJournal(inside + "/a.db") {
            $0.vfs = vfs.name
            $0.follow(clock)
        }
        let again = try await next.open(pulse, stream: "a", clock: clock)
        for await count in again.states where count == 2 { break }
        try await next.close()
    }

    @Test func `a timer that finds the disk failing tells the app at once`() async throws {
        let (journal, store) = try await open()
        try await store.flush()
        vfs.fail(FAULT_SYNC, suffix: "-wal", code: Extended.inputOutputSync)
        await fire(store)
        #expect(notices.value.map(\.kind) == [.journalStopped])
        #expect(notices.value.first?.error.message.contains("The disk failed during the commit") == true)
        #expect(store.failure?.code == .outcomeUnknown)
        try? await journal.close()
    }

    /// SQLITE_NOMEM, and SQLITE_IOERR_WRITE because the system has too little memory.
    @Test(arguments: [(7, 0), (10 | 3 << 8, ENOMEM)] as [(Int32, Int32)])
    func `a store ends with a notice if there is too little memory, and its journal goes on`(
        code: Int32, system: Int32
    ) async throws {
        let (journal, store) = try await open()
        try await store.flush()
        vfs.fail(FAULT_WRITE, suffix: "-wal", code: code, system: system)
        // SQLite can have written everything before it needs memory.
        let error = await journalError { try await store.dispatch(.tick) }
        #expect(error?.message.contains("too little memory during the commit") == true)
        #expect(notices.value.map(\.kind) == [.storeStopped])
        #expect(store.failure?.code == .outcomeUnknown)
        let again = try await journal.open(pulse, stream: "a", clock: clock)
        try await again.dispatch(.tick)
        #expect(again.state == 2)
        try await journal.close()
    }

    @Test func `a store that was closed has not failed`() async throws {
        let (journal, store) = try await open()
        try await journal.close()
        for await _ in store.states {}
        #expect(await journalError { try await store.dispatch(.tick) }?.code == .closed)
        #expect(store.failure == nil)
        #expect(notices.value == [])
    }

    @Test func `a store ends with a notice if another writer appends to its stream, and its journal goes on`()
        async throws
    {
        let (journal, store) = try await open()
        try await store.flush()
        let foreign = NewEntry(stream: store.engine.stream.id, action: #""tick""#)
        _ = try await journal.commit(Batch(entries: [foreign]))
        #expect(await journalError { try await store.dispatch(.tick) }?.code == .fenced)
        #expect(notices.value.map(\.kind) == [.storeStopped])
        #expect(store.failure?.code == .fenced)
        let other = try await journal.open(pulse, stream: "b", clock: clock)
        try await other.dispatch(.tick)
        #expect(other.state == 1)
        try await journal.close()
    }
}
