import CFaultVFS
import CJournalSQLite
import Foundation
import JournalStore
import Testing
import TortureKit

/// I/O errors while a journal is opened: what the next opening must know about them.
@Suite struct `An opening that fails` {
    /// What the opening that fails finds at its path.
    enum Start: CaseIterable {
        case nothing
        /// Three entries, all of them in the WAL, as a killed process leaves them.
        case entriesInTheWAL
        /// The same, and the journal had stopped at an I/O error.
        case stoppedJournal
    }

    private static let operations: [(fault_operation, Int32)] = [
        (FAULT_SYNC, Extended.inputOutputSync), (FAULT_WRITE, Extended.inputOutputWrite),
        (FAULT_DELETE, Extended.inputOutputDelete), (FAULT_READ, Extended.inputOutputRead),
    ]

    @Test(arguments: operations.indices, Start.allCases)
    func `an I/O error of an opening is remembered, and no entry acknowledged before or after it is lost`(
        _ operation: Int, _ start: Start
    ) async throws {
        let (operation, code) = Self.operations[operation]
        for manner in operation == FAULT_SYNC ? [FAULT_INSTEAD, FAULT_AFTER] : [FAULT_INSTEAD] {
            var nth: UInt64 = 1
            while try await FailingDisk(start).fail(operation, code, nth: nth, manner) { nth += 1 }
            if operation == FAULT_SYNC || operation == FAULT_WRITE {
                #expect(nth > 1, "the opening must sync and write")
            }
        }
    }

    @Test func `an opening on a full disk does not count as an I/O error`() async throws {
        for code in [SQLITE_FULL, Extended.inputOutputWrite] {
            let stage = try FailingDisk(.nothing)
            try await stage.prepare()
            stage.vfs.fail(FAULT_WRITE, suffix: "-wal", code: code, system: code == SQLITE_FULL ? ENOSPC : EDQUOT)
            let error = await journalError { try stage.open() }
            #expect(error?.code == .diskFull)
            #expect(error?.file == stage.path)
            // What is not open does not continue by itself.
            #expect(error?.advice == "Free some space, then try again.")
            stage.vfs.clear()
            _ = try stage.open()
            #expect(stage.notices.value.isEmpty)
        }
    }

    @Test func `a -shm that cannot grow on a full disk is a full disk`() async throws {
        let stage = try FailingDisk(.entriesInTheWAL)
        try await stage.prepare()
        stage.vfs.fail(FAULT_SHM_MAP, code: Extended.inputOutputSharedMemorySize, system: ENOSPC)
        #expect(await journalError { try stage.open() }?.code == .diskFull)
        stage.vfs.clear()
        let journal = try stage.open()
        #expect(stage.notices.value.isEmpty)
        #expect(try journal.reader.entries(in: "a").map(\.action) == ["1", "2", "3"])
    }
}

/// One journal on a disk that fails.
private final class FailingDisk {
    let start: `An opening that fails`.Start
    let folder: TemporaryFolder
    let path: String
    let vfs = FaultVFS()
    let notices = Box<[Notice]>([])

    init(_ start: `An opening that fails`.Start) throws {
        self.start = start
        folder = try TemporaryFolder()
        path = folder.path("a.db")
    }

    func open() throws -> Journal {
        try openJournal(path) {
            $0.vfs = vfs.name
            $0.report = { [notices] notice in notices.change { $0.append(notice) } }
        }
    }

    func prepare() async throws {
        guard start != .nothing else { return }
        let journal = try open()
        let stream = try await journal.openStream("a", machine: "m")
        for number in 1...3 { try await stream.append("\(number)") }
        vfs.reset()
        guard start == .stoppedJournal else { return }
        vfs.fail(FAULT_SYNC, suffix: "-wal", code: Extended.inputOutputSync)
        _ = await journalError { try await stream.append("undecided") }
        vfs.clear()
    }

    /// Lets the nth operation of an opening fail, opens the journal again, appends, and cuts the power.
    ///
    /// - Returns: whether the opening had that many operations.
    func fail(
        _ operation: fault_operation, _ code: Int32, nth: UInt64, _ manner: fault_manner
    ) async throws -> Bool {
        try await prepare()
        let before = vfs.count(operation)
        vfs.fail(operation, nth: nth, code: code, manner: manner)
        // An opening must not only seem to succeed: the first commit after it shows that.
        let wasOpened = Box(false)
        let error = await journalError {
            let journal = try open()
            wasOpened.change { $0 = true }
            _ = try await journal.openStream("a", machine: "m")
        }
        let happened = vfs.count(operation) >= before + nth
        vfs.clear()
        let what: Comment = "\(start), \(operation) \(nth), \(manner): \(error.map { "\($0)" } ?? "no error")"
        if let error { #expect([.inputOutput, .outcomeUnknown].contains(error.code), what) }

        let isThere = FileManager.default.fileExists(atPath: path)
        notices.change { $0 = [] }
        try await appendAndCutPower()
        // The file is looked at before the lock is taken, and nothing is written then.
        let wasLocked = error?.message.contains("looking at the file") == false
        // A reader that fails after the opening leaves nothing to rescue.
        let hasStopped = wasOpened.value ? error?.code == .outcomeUnknown : wasLocked
        if hasStopped, isThere { #expect(notices.value.map(\.kind) == [.copiedAfterFailure], what) }
        // The mark of the sidecar is not what saves the entries now.
        try? FileManager.default.removeItem(atPath: path + "-lock")
        #expect(vfs.loseUnsynced(seed: nth))
        let journal = try open()
        let actions = try journal.reader.entries(in: "a").map(\.action).filter { $0 != "undecided" }
        #expect(actions == (start == .nothing ? ["after"] : ["1", "2", "3", "after"]), what)
        #expect(try await journal.verify().isSound, what)
        return happened
    }

    private func appendAndCutPower() async throws {
        let journal = try open()
        let stream = try await journal.openStream("a", machine: "m")
        try await stream.append("after")
        vfs.cutPower(afterOperations: 0)
    }
}
