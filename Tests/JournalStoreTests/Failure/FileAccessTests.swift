import CFaultVFS
import Foundation
import Testing
import TortureKit

@testable import JournalStore

/// Who may use the files that the library creates.
@Suite struct `Modes and owners of files` {
    let folder: TemporaryFolder
    let path: String
    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("a.db")
    }

    private func access(_ path: String) throws -> FileAccess {
        try #require(Platform.fileAccess(ofPath: path), "\(path) is missing")
    }

    /// Gives the journal's files a mode, and another owner if this user may do that.
    private func restrict(_ mode: mode_t) throws -> FileAccess {
        for suffix in ["", "-wal", "-shm", "-lock"] where FileManager.default.fileExists(atPath: path + suffix) {
            if isRoot, chown(path + suffix, 12_345, 23_456) != 0 {
                let code = errno
                // A container can forbid it, or have no such user.
                #expect([EPERM, EINVAL].contains(code))
            }
            #expect(chmod(path + suffix, mode) == 0)
        }
        return try access(path)
    }

    @Test func `a new journal and its lock have the mode that SQLite gives a new database`() throws {
        let journal = try Journal(path: path)
        try Shell(folder.path("plain.db"))("CREATE TABLE t (x)")
        let usual = try access(folder.path("plain.db"))
        for suffix in ["", "-wal", "-shm", "-lock"] { #expect(try access(path + suffix) == usual) }
        withExtendedLifetime(journal) {}
    }

    @Test(arguments: [0o600, 0o640, 0o664] as [mode_t])
    func `a rescue keeps the mode and the owner, also those of the -wal and the -shm`(_ mode: mode_t) async throws {
        let vfs = FaultVFS()
        var expected: FileAccess?
        do {
            let journal = try openJournal(path) { $0.vfs = vfs.name }
            let stream = try await journal.openStream("a", machine: "m")
            try await stream.append("1")
            expected = try restrict(mode)
            vfs.fail(FAULT_SYNC, suffix: "-wal", code: Extended.inputOutputSync)
            #expect(await journalError { try await stream.append("2") }?.code == .outcomeUnknown)
        }
        let journal = try Journal(path: path)
        for suffix in ["", "-wal", "-shm", "-lock", "-damaged", "-damaged-wal"] {
            #expect(try access(path + suffix) == expected, "\(suffix)")
        }
        withExtendedLifetime(journal) {}
    }

    @Test func `a missing lock is created with the mode and the owner of the journal`() throws {
        _ = try Journal(path: path)
        let expected = try restrict(0o600)
        try FileManager.default.removeItem(atPath: path + "-lock")
        _ = try Journal(path: path)
        #expect(try access(path + "-lock") == expected)
    }

    @Test func `backups, forks, exports and imports have the mode and the owner of what they are made from`()
        async throws
    {
        let journal = try Journal(path: path)
        let stream = try await journal.openStream("a", machine: "m")
        try await stream.append("1")
        let expected = try restrict(0o600)
        let copies = ["backup", "detached", "fork", "export", "import"].map { folder.path($0) }
        try await journal.backup(to: copies[0])
        try await journal.backup(to: copies[1], detached: true)
        try await journal.reader.fork("a", at: 1, to: copies[2])
        try journal.reader.export(to: copies[3])
        try await Journal.importing(copies[3], to: copies[4])
        for copy in copies { #expect(try access(copy) == expected, "\(copy)") }
    }

    @Test func `a copy of a journal that nobody may write can be written by its owner`() async throws {
        do {
            let journal = try Journal(path: path)
            try await journal.openStream("a", machine: "m").append("1")
            try await journal.close()
        }
        _ = try restrict(0o444)
        try await JournalReader(path: path).backup(to: folder.path("b.db"))
        #expect(try access(folder.path("b.db")).mode == 0o644)
    }

    @Test func `a group that the model does not have gets the rights of all others`() throws {
        var model = try access(folder.path)
        // The system ignores this number, so the file keeps the group of its creator.
        model.group = .max
        for (mode, expected) in [(0o644, 0o644), (0o660, 0o600), (0o664, 0o644), (0o640, 0o600)] as [(UInt32, UInt32)] {
            model.mode = mode
            let file = folder.path("\(mode)")
            Platform.closeFile(try #require(Platform.create(file, like: model)))
            #expect(try access(file).mode == expected)
        }
    }

    @Test func `a file is created for this user only, and with the mode whatever the umask is`() throws {
        var model = try access(folder.path)
        for mode in [0o600, 0o666, 0o777, 0o000] as [UInt32] {
            model.mode = mode
            let file = folder.path("\(mode)")
            Platform.closeFile(try #require(Platform.create(file, like: model)))
            #expect(try access(file).mode == mode | 0o600)
            #expect(Platform.create(file, like: model) == nil, "it exists")
        }
    }
}
