import CFaultVFS
import CJournalSQLite
import JournalStore
import Testing
import TortureKit

/// The journal's part of the first law: an action is committed if `append` returns, and absent if it throws.
@Suite struct `Law 1, append before reduce` {
    let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    @Test func `an appended action is committed when append returns`() async throws {
        let path = folder.path("a.db")
        let journal = try Journal(path: path)
        let stream = try await journal.openStream("cart-42", machine: "cart")
        let appended = try await stream.append(#"{"pay":{}}"#)
        // Another connection sees only what is committed.
        #expect(try Shell(path, readOnly: true)("SELECT step, action FROM journal") == [#"1|{"pay":{}}"#])
        #expect(appended.placed == Placed(step: 1, position: 1, isRepeat: false))
    }

    @Test func `an append that fails leaves no entry, and the next one gets its step`() async throws {
        let vfs = FaultVFS()
        let journal = try openJournal(folder.path("a.db")) { $0.vfs = vfs.name }
        let stream = try await journal.openStream("cart-42", machine: "cart")
        try await stream.append("1")
        vfs.fail(FAULT_WRITE, suffix: "-wal", code: SQLITE_FULL)
        let error = await journalError { try await stream.append("2") }
        #expect(error?.code == .diskFull)
        #expect(try await stream.append("3").step == 2)
        #expect(try journal.reader.entries(in: "cart-42").map(\.action) == ["1", "3"])
    }
}
