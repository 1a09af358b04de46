import Foundation
import Testing
import TortureKit

@testable import JournalStore

/// A writer has its WAL and its -shm open: what it writes to deleted ones is lost when it ends.
@Suite struct `A WAL or -shm that is replaced while a journal is open` {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("a.db")
    }

    /// SQLite makes a missing one anew also for a connection that only reads.
    @Test(arguments: ["-wal", "-shm"], ["deleted", "read by another process", "an empty file"])
    func `stops the journal before its next transaction`(part: String, way: String) async throws {
        let journal = try openJournal(path)
        let stream = try await journal.openStream("a", machine: "m")
        for number in 1...5 { try await stream.append("\(number)") }
        try FileManager.default.removeItem(atPath: path + part)
        switch way {
        case "read by another process": _ = try? Shell(path, readOnly: true)("SELECT count(*) FROM entry")
        case "an empty file": try Data().write(to: URL(fileURLWithPath: path + part))
        default: break
        }
        let error = await journalError { try await stream.append("6") }
        #expect(error?.code == .fenced, "\(String(describing: error))")
        #expect(error?.message.contains("\(part) was deleted while it was open") == true)
    }

    /// A checkpoint would copy the hole that the next frames leave over good pages.
    @Test(arguments: [0, 2], ["append", "close"])
    func `a truncated WAL stops the journal before it reaches the database`(part: Int, then: String) async throws {
        let journal = try openJournal(path)
        let stream = try await journal.openStream("a", machine: "m")
        for number in 1...5 { try await stream.append("\(number)") }
        try Shell(path)("PRAGMA wal_checkpoint(PASSIVE)")
        for number in 6...9 { try await stream.append("\(number)") }
        let wal = try #require(FileHandle(forWritingAtPath: path + "-wal"))
        try wal.truncate(atOffset: part == 0 ? 0 : wal.seekToEnd() / 2)
        let error = await journalError {
            if then == "append" { try await stream.append("10") } else { try await journal.close() }
        }
        #expect(error?.code == .fenced)
        #expect(error?.message.contains("-wal was truncated while it was open") == true)
        // The database file has what was copied into it before.
        let copy = folder.path("copy.db")
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        #expect(try Shell(copy)("SELECT count(*) FROM entry") == ["5"])
        #expect(try Shell(copy)("PRAGMA integrity_check") == ["ok"])
    }

    @Test func `a WAL that another program has copied and truncated is no loss`() async throws {
        let journal = try openJournal(path)
        let stream = try await journal.openStream("a", machine: "m")
        for number in 1...5 { try await stream.append("\(number)") }
        try Shell(path)("PRAGMA wal_checkpoint(TRUNCATE)")
        #expect(Platform.status(ofPath: path + "-wal")?.size == 0)
        try await stream.append("6")
        try Shell(path)("PRAGMA wal_checkpoint(TRUNCATE)")
        try await journal.close()
        #expect(try JournalReader(path: path).verify().entries == 6)
    }

    @Test(arguments: ["-wal", "-shm"])
    func `a pipe in its place is refused at once`(part: String) async throws {
        try await Journal(path: path).close()
        try? FileManager.default.removeItem(atPath: path + part)
        #expect(mkfifo(path + part, 0o600) == 0)
        for error in [
            await journalError { try Journal(path: path) }, await journalError { try JournalReader(path: path) },
        ] {
            #expect(error?.code == .corrupt)
            #expect(error?.message == "\(path + part) is not a regular file.")
        }
    }

    @Test(arguments: ["-wal", "-shm", "-lock"])
    func `a hard link in its place is refused, and what it leads to is not changed`(part: String) async throws {
        try await Journal(path: path).close()
        try? FileManager.default.removeItem(atPath: path + part)
        let diary = folder.path("diary.txt")
        try Data("dear diary".utf8).write(to: URL(fileURLWithPath: diary))
        try FileManager.default.linkItem(atPath: diary, toPath: path + part)
        for error in [
            await journalError { try Journal(path: path) }, await journalError { try JournalReader(path: path) },
        ] {
            #expect(error?.code == .severalNames)
            #expect(error?.message == "\(path + part) has 2 names (hard links).")
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: diary)) == Data("dear diary".utf8))
    }

    @Test(arguments: ["-wal", "-shm"])
    func `a symbolic link in its place is refused by writers and readers alike`(part: String) async throws {
        try await Journal(path: path).close()
        try? FileManager.default.removeItem(atPath: path + part)
        try FileManager.default.createSymbolicLink(atPath: path + part, withDestinationPath: folder.path("nowhere"))
        for error in [
            await journalError { try Journal(path: path) }, await journalError { try JournalReader(path: path) },
        ] {
            #expect(error?.code == .corrupt)
            #expect(error?.message == "\(path + part) is not a regular file.")
        }
    }

    @Test func `a symbolic link in place of a rollback journal is refused, and its target stays`() async throws {
        try await Journal(path: path).close()
        let target = folder.path("target")
        try Data("mine".utf8).write(to: URL(fileURLWithPath: target))
        try FileManager.default.createSymbolicLink(atPath: path + "-journal", withDestinationPath: target)
        for error in [
            await journalError { try Journal(path: path) }, await journalError { try JournalReader(path: path) },
        ] {
            #expect(error?.code == .corrupt)
            #expect(error?.message == "\(path)-journal is not a regular file.")
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == Data("mine".utf8))
    }

    @Test func `a copy whose name leaves no room for a -lock can be verified`() async throws {
        let journal = try Journal(path: path)
        try await journal.openStream("a", machine: "m").append("1")
        try await journal.close()
        let copy = folder.path(String(repeating: "n", count: 255))
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        #expect(try JournalReader(path: copy).verify().isSound)
    }

    @Test func `a path that is too long for a rescue is refused before a file is made`() async throws {
        let name = String(repeating: "n", count: 240)
        #expect(await journalError { try Journal(path: folder.path(name)) }?.code == .cannotOpen)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("")).isEmpty)
    }

    /// After an I/O error a copy replaces the file. If the process ends meanwhile, the next opening goes on.
    @Test(arguments: [false, true])
    func `a reader of a file that is just being replaced by a copy tells how that goes on`(isMissing: Bool) async throws
    {
        do {
            let journal = try openJournal(path)
            try await journal.openStream("a", machine: "m").append("1")
            try await journal.close()
        }
        // A process that another test spawns has a copy of the lock for a moment.
        while (try? Sidecar(besides: path).mark = .copyReady) == nil { await Task.yield() }
        if isMissing { try FileManager.default.moveItem(atPath: path, toPath: path + "-damaged") }
        let error = await journalError { try JournalReader(path: path).missingEntries().map { throw $0 } }
        #expect(error?.code == .inputOutput && error?.file == path)
        #expect(error?.message.contains("a verified copy is put in the place of this file") == true)
        #expect(error?.advice.hasPrefix("Nothing is lost. Leave all files beside it as they are") == true)
    }

    /// Pages that are not there any more would be read as damage, and those that are acknowledged lost with the file.
    @Test(arguments: ["cut off", "overwritten", "rewritten"])
    func `a database file that gets shorter while it is open stops the journal`(_ way: String) async throws {
        let journal = try openJournal(path) { $0.checkpointPages = 10 }
        let stream = try await journal.openStream("a", machine: "m")
        try await stream.append(contentsOf: (1...200).map { "\($0)" })
        try await stream.append("201")
        let old = try bytes(path)
        try await stream.append(contentsOf: (1...2_000).map { "\($0)" })
        try await stream.append("2_202")
        #expect(try bytes(path).count > old.count)
        switch way {
        case "cut off": try #require(FileHandle(forWritingAtPath: path)).truncate(atOffset: UInt64(old.count))
        case "overwritten":
            let file = try #require(FileHandle(forWritingAtPath: path))
            try file.truncate(atOffset: 0)
            try file.write(contentsOf: old)
        default:
            try Shell(path)("DELETE FROM entry WHERE step > 100")
            try Shell(path)("VACUUM")
            try Shell(path)("PRAGMA wal_checkpoint(TRUNCATE)")
        }
        let error = await journalError { try await stream.append("2_203") }
        #expect(error?.code == .fenced, "\(String(describing: error))")
        #expect(await journalError { try await journal.close() }?.code == .fenced)
    }
}
