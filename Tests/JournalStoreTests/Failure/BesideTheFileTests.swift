import Foundation
import Testing
import TortureKit

@testable import JournalStore

/// The -wal and the -lock beside the database: deleted, orphaned, replaced, damaged.
@Suite struct `The files beside the database` {
    let folder: TemporaryFolder
    let path: String
    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("a.db")
    }

    /// Twenty entries, all of them in the WAL, as a killed process leaves them.
    private func make() async throws {
        let journal = try Journal(path: path)
        let stream = try await journal.openStream("a", machine: "m")
        for number in 1...20 { try await stream.append("\(number)") }
    }

    @Test(arguments: ["missing", "empty", "missing, and the lock too"])
    func `a WAL without its database is left unchanged, and is read with it later`(_ database: String) async throws {
        try await make()
        let wal = try bytes(path + "-wal")
        let away = folder.path("away")
        try FileManager.default.moveItem(atPath: path, toPath: away)
        if database == "empty" { try Data().write(to: URL(fileURLWithPath: path)) }
        if database.hasSuffix("too") { try FileManager.default.removeItem(atPath: path + "-lock") }
        let error = await journalError { try Journal(path: path) }
        #expect(error?.code == .acknowledgedEntriesLost)
        #expect(error?.message.contains("its WAL is there") == true)
        let reading = await journalError { try JournalReader(path: path) }
        #expect(reading?.code == (database == "empty" ? .acknowledgedEntriesLost : .cannotOpen))
        #expect(try bytes(path + "-wal") == wal)
        try? FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: away, toPath: path)
        #expect(try Journal(path: path).reader.entries(in: "a").count == 20)
    }

    /// Moved away, its WAL would be lost with all that this process goes on to write.
    @Test(arguments: ["missing", "empty"])
    func `a WAL without its database that a writer has open is left to it`(_ database: String) async throws {
        let journal = try Journal(path: path)
        let stream = try await journal.openStream("a", machine: "m")
        try await stream.append("1")
        let away = folder.path("away")
        try FileManager.default.moveItem(atPath: path, toPath: away)
        if database == "empty" { try Data().write(to: URL(fileURLWithPath: path)) }
        let error = await journalError { try Journal(path: path) }
        #expect(error?.code == .inUse)
        #expect(error?.message.contains("process \(getpid()) on ") == true)
        #expect(error?.advice == "Move it back to this name. Its WAL has what is not in it yet.")
        try? FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: away, toPath: path)
        try await stream.append("2")
        try await journal.close()
        #expect(try JournalReader(path: path).entries(in: "a").count == 2)
    }

    @Test func `a reader that finds a rollback journal says that the app must open the file, and the app can`()
        async throws
    {
        try await make()
        try Data(repeating: 7, count: 5_000).write(to: URL(fileURLWithPath: path + "-journal"))
        let error = await journalError { try JournalReader(path: path).entries(in: "a") }
        #expect(error?.code == .cannotOpen)
        #expect(error?.message == "A process ended while it changed the file: its -journal must be applied first.")
        #expect(try Journal(path: path).reader.entries(in: "a").count == 20)
    }

    @Test func `a rollback journal that names another file is refused, and that file stays`() async throws {
        try await make()
        let victim = folder.path("victim.txt")
        try Data("precious".utf8).write(to: URL(fileURLWithPath: victim))
        let mark: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
        func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
        // No page to roll back, of a database as long as this one.
        let pages = try bytes(path).count / 4096
        var hot = mark + number(0) + number(0) + number(pages) + number(512) + number(4096)
        hot += [UInt8](repeating: 0, count: 512 - hot.count)
        // The page of the lock, where the name begins; the name, its length and the sum of its bytes.
        hot += number(0x4000_0000 / 4096 + 1) + Array(victim.utf8) + number(victim.utf8.count)
        hot += number(victim.utf8.reduce(0) { $0 + Int($1) }) + mark
        try Data(hot).write(to: URL(fileURLWithPath: path + "-journal"))
        for error in [
            await journalError { try Journal(path: path) }, await journalError { try JournalReader(path: path) },
        ] {
            #expect(error?.code == .corrupt)
            #expect(error?.message.contains("names another file, which SQLite would delete") == true)
        }
        #expect(FileManager.default.fileExists(atPath: victim))
        try FileManager.default.removeItem(atPath: path + "-journal")
        #expect(try Journal(path: path).reader.entries(in: "a").count == 20)
    }

    @Test func `a pipe in the place of the rollback journal is refused at once`() async throws {
        try await make()
        #expect(mkfifo(path + "-journal", 0o600) == 0)
        #expect(await journalError { try Journal(path: path) }?.code == .corrupt)
        #expect(await journalError { try JournalReader(path: path) }?.code == .corrupt)
    }

    @Test(arguments: [10_413_792_000, -10_413_792_000])
    func `a journal whose files are dated in another century is opened, read and copied`(_ seconds: Int) async throws {
        try await make()
        let time = timespec(tv_sec: seconds, tv_nsec: 0)
        for file in [path, path + "-lock"] { #expect(utimensat(AT_FDCWD, file, [time, time], 0) == 0) }
        let journal = try Journal(path: path)
        #expect(try journal.reader.entries(in: "a").count == 20)
        try await journal.close()
        for file in [path, path + "-wal", path + "-lock"] {
            #expect(utimensat(AT_FDCWD, file, [time, time], 0) == 0)
        }
        let reader = try JournalReader(path: path)
        #expect(try reader.entries(in: "a").count == 20)
        try await reader.backup(to: folder.path("copy.db"))
        #expect(try JournalReader(path: folder.path("copy.db")).entries(in: "a").count == 20)
    }

    @Test func `deleting the open WAL fences the writer before it acknowledges another entry`() async throws {
        let journal = try Journal(path: path)
        let stream = try await journal.openStream("a", machine: "m")
        try await stream.append("1")
        try FileManager.default.removeItem(atPath: path + "-wal")
        let error = await journalError { try await stream.append("2") }
        #expect(error?.code == .fenced)
        #expect(error?.message.contains("a.db-wal was deleted") == true)
        #expect(error?.stream == "a")
    }

    /// What was in it ends with the process, and can still be saved while it lives.
    @Test func `closing a journal whose WAL was deleted says so`() async throws {
        let journal = try Journal(path: path)
        let stream = try await journal.openStream("a", machine: "m")
        try await stream.append("1")
        try await stream.close()
        try FileManager.default.removeItem(atPath: path + "-wal")
        let error = await journalError { try await journal.close() }
        #expect(error?.code == .fenced)
        #expect(error?.message.contains("a.db-wal was deleted") == true)
    }

    @Test func `deleting the open -shm fences the writer, and nothing is lost`() async throws {
        let journal = try Journal(path: path)
        let stream = try await journal.openStream("a", machine: "m")
        try await stream.append("1")
        #expect(try journal.reader.entries(in: "a").count == 1)
        try FileManager.default.removeItem(atPath: path + "-shm")
        let error = await journalError { try await stream.append("2") }
        #expect(error?.code == .fenced)
        #expect(error?.message.contains("a.db-shm was deleted") == true)
        #expect(error?.advice.contains("also this one") == true)
        try? await journal.close()
        let again = try Journal(path: path)
        #expect(try again.reader.entries(in: "a").map(\.action) == ["1"])
        // The first journal has no connection any more through which SQLite would use the deleted file.
        #expect(try await again.openStream("a", machine: "m").append("2").step == 2)
        #expect(try await again.verify().isSound)
        try await again.close()
    }

    @Test func `a writer whose lock file was deleted stops at the next checkpoint`() async throws {
        let notices = Box<[Notice]>([])
        let journal = try openJournal(path) {
            $0.checkpointPages = 10
            $0.report = { notice in notices.change { $0.append(notice) } }
        }
        let stream = try await journal.openStream("a", machine: "m")
        try await stream.append("1")
        try FileManager.default.removeItem(atPath: path + "-lock")
        // Each append writes at least two pages.
        var error: JournalError?
        for number in 2...20 where error == nil { error = await journalError { try await stream.append("\(number)") } }
        #expect(error?.code == .fenced)
        #expect(error?.message.contains("a.db-lock was deleted or replaced") == true)
        #expect(notices.value.map(\.kind) == [.journalStopped])
        try? await journal.close()
        #expect(try await Journal(path: path).verify().isSound)
    }

    @Test func `renaming the folder fences the writer`() async throws {
        let folder = try TemporaryFolder()
        let (before, after) = (folder.path("before"), folder.path("after"))
        try FileManager.default.createDirectory(atPath: before, withIntermediateDirectories: false)
        let journal = try openJournal(before + "/a.db")
        let stream = try await journal.openStream("a", machine: "m")
        try await stream.append("1")
        try FileManager.default.moveItem(atPath: before, toPath: after)
        let error = await journalError { try await stream.append("2") }
        #expect(error?.code == .fenced)
        #expect(try JournalReader(path: after + "/a.db").entries(in: "a").map(\.action) == ["1"])
    }

    @Test(arguments: ["ten bytes", "other bytes", "a flipped mark", "a link", "a folder", "a pipe"])
    func `a damaged or foreign lock file is left unchanged, and the error names it`(_ kind: String) async throws {
        try await make()
        let lock = path + "-lock"
        let other = folder.path("other")
        try Data("mine".utf8).write(to: URL(fileURLWithPath: other))
        switch kind {
        case "ten bytes": try Data(bytes(lock).prefix(10)).write(to: URL(fileURLWithPath: lock))
        case "other bytes": try Data(repeating: 0xFF, count: 4_096).write(to: URL(fileURLWithPath: lock))
        case "a flipped mark": try damage(lock, at: 8) { $0 ^= 1 }
        default:
            try FileManager.default.removeItem(atPath: lock)
            if kind == "a link" { try FileManager.default.createSymbolicLink(atPath: lock, withDestinationPath: other) }
            if kind == "a folder" {
                try FileManager.default.createDirectory(atPath: lock, withIntermediateDirectories: false)
            }
            if kind == "a pipe" { #expect(mkfifo(lock, 0o644) == 0) }
        }
        let error = await journalError { try Journal(path: path) }
        #expect(error?.code == .cannotOpen)
        #expect(error?.message.contains("a.db-lock is damaged, or is not the lock file") == true)
        #expect(error?.advice.contains("Run `journal-replay verify` on the journal") == true)
        #expect(error?.advice.contains("rename it to \(lock)-old") == true)
        #expect(try bytes(other) == Data("mine".utf8))
        // Reading still works, and the verification reports that it cannot know.
        let reader = try JournalReader(path: path)
        #expect(try reader.entries(in: "a").count == 20)
        _ = try reader.statistics()
        #expect(try reader.verify().problems.contains { $0.message.contains("it is unknown") })
    }

    @Test(arguments: ["03", "10", "99"])
    func `a lock file of a newer version is left unchanged, and nobody is told to remove it`(
        _ number: String
    ) async throws {
        try await make()
        let lock = path + "-lock"
        var contents = try bytes(lock)
        contents.replaceSubrange(6..<8, with: number.utf8)
        try contents.write(to: URL(fileURLWithPath: lock))
        let error = await journalError { try Journal(path: path) }
        #expect(error?.code == .newerSchema)
        #expect(error?.message == "A newer version of the library wrote \(lock).")
        #expect(error?.advice == "Update this program; the file was not touched.")
        #expect(try bytes(lock) == contents)
        let reader = try JournalReader(path: path)
        #expect(try reader.entries(in: "a").count == 20)
        #expect(try reader.missingEntries()?.code == .newerSchema)
        #expect(
            try reader.verify().problems.map(\.message) == [
                "A newer version of the library wrote \(lock): it is unknown whether entries are missing. "
                    + "Update this program."
            ])
    }

    @Test(arguments: ["01", "0x", "  "]) func `another number in a lock file is damage`(_ number: String) async throws {
        try await make()
        let lock = path + "-lock"
        var contents = try bytes(lock)
        contents.replaceSubrange(6..<8, with: number.utf8)
        try contents.write(to: URL(fileURLWithPath: lock))
        #expect(await journalError { try Journal(path: path) }?.code == .cannotOpen)
    }

    @Test func `the advice for a damaged lock file leads to an open journal`() async throws {
        try await make()
        let lock = path + "-lock"
        try Data(bytes(lock).prefix(10)).write(to: URL(fileURLWithPath: lock))
        #expect(await journalError { try Journal(path: path) }?.code == .cannotOpen)
        #expect(try JournalReader(path: path).verify().problems.count == 1)
        try FileManager.default.moveItem(atPath: lock, toPath: lock + "-old")
        #expect(try Journal(path: path).reader.entries(in: "a").count == 20)
    }

    @Test func `what a process without standard streams prints is not written to the lock file`() async {
        // In its own process: it closes them.
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let path = folder.path("a.db")
            let streams = [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
            for stream in streams { close(stream) }
            let journal = try Journal(path: path)
            let stream = try await journal.openStream("a", machine: "m")
            try await stream.append("1")
            let text = [UInt8](repeating: UInt8(ascii: "x"), count: 5_000)
            for stream in streams { _ = write(stream, text, text.count) }
            #expect(try bytes(path + "-lock").count == 4_096)
            #expect(try journal.reader.missingEntries() == nil)
            try await journal.close()
            #expect(try Journal(path: path).reader.entries(in: "a").count == 1)
        }
    }

    @Test(arguments: [1, 10, 4_095])
    func `a lock file whose creation was interrupted is completed`(_ length: Int) async throws {
        try Data(count: length).write(to: URL(fileURLWithPath: path + "-lock"))
        try await make()
        #expect(try JournalReader(path: path).missingEntries() == nil)
        #expect(try bytes(path + "-lock").count == 4_096)
    }

    @Test func `a process that was killed during the first opening causes no notice at the next one`() async throws {
        // The files as they are when the opening asks for its identity; the last time is after it took the journal
        // over.
        let kept = folder.path("kept")
        let suffixes = ["", "-wal", "-shm", "-lock"]
        do {
            let (path, files) = (path, FileManager.default)
            _ = try openJournal(path) {
                $0.identity = {
                    try? files.removeItem(atPath: kept)
                    try? files.createDirectory(atPath: kept, withIntermediateDirectories: false)
                    for suffix in suffixes {
                        try? files.copyItem(atPath: path + suffix, toPath: kept + "/a.db" + suffix)
                    }
                    return .current()
                }
            }
        }
        for suffix in suffixes {
            try? FileManager.default.removeItem(atPath: path + suffix)
            try? FileManager.default.moveItem(atPath: kept + "/a.db" + suffix, toPath: path + suffix)
        }
        #expect(try Shell(path)("SELECT path FROM writer") == [path], "the journal was taken over")
        #expect(try bytes(path + "-lock").prefix(8) == Data(count: 8), "the sidecar has no holder")
        let notices = Box<[Notice]>([])
        _ = try openJournal(path) { $0.report = { notice in notices.change { $0.append(notice) } } }
        #expect(notices.value.isEmpty)
    }

    @Test func `a missing lock file results in a notice`() async throws {
        try await make()
        try FileManager.default.removeItem(atPath: path + "-lock")
        let notices = Box<[Notice]>([])
        _ = try openJournal(path) { $0.report = { notice in notices.change { $0.append(notice) } } }
        #expect(notices.value.map(\.kind) == [.nothingRemembered])
    }

    @Test func `a lock file that has lost what it remembered results in a notice, and verify says so`() async throws {
        try await make()
        for slot in [64, 128] { try damage(path + "-lock", at: slot) { $0 ^= 1 } }
        let report = try JournalReader(path: path).verify()
        #expect(report.problems.map(\.message).contains { $0.contains("has lost what it remembered") })
        let notices = Box<[Notice]>([])
        _ = try openJournal(path) { $0.report = { notice in notices.change { $0.append(notice) } } }
        #expect(notices.value.map(\.kind) == [.nothingRemembered])
        #expect(notices.value.first?.error.message.contains("has lost what it remembered") == true)
        // That opening has written it anew.
        #expect(try JournalReader(path: path).verify().isSound)
    }

    @Test func `entries that a lock file without its holder remembers are missed all the same`() async throws {
        try await make()
        for offset in 0..<8 { try damage(path + "-lock", at: offset) { $0 = 0 } }
        #expect(try JournalReader(path: path).missingEntries() == nil)
        try damage(path + "-wal", at: 60_000) { $0 ^= 1 }
        #expect(try JournalReader(path: path).missingEntries()?.code == .acknowledgedEntriesLost)
        #expect(await journalError { try Journal(path: path) }?.code == .acknowledgedEntriesLost)
    }

    @Test(arguments: [true, false])
    func `a journal that was copied to another path gives the notice, unless its lock file came with it`(
        _ withLock: Bool
    ) async throws {
        do {
            let journal = try Journal(path: path)
            try await journal.openStream("a", machine: "m").append("1")
            try await journal.close()
        }
        let copy = folder.path("b.db")
        for suffix in ["", "-lock"] where suffix.isEmpty || withLock {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
        }
        let notices = Box<[Notice]>([])
        _ = try openJournal(copy) { $0.report = { notice in notices.change { $0.append(notice) } } }
        let expected: [Notice.Kind] = withLock ? [] : [.nothingRemembered]
        #expect(notices.value.map(\.kind) == expected)
    }

    /// A closed journal that was last opened at another path, which leads to the same file: as if it were mounted
    /// there.
    private func openedAsWell(at other: String) async throws {
        do {
            let journal = try Journal(path: path)
            try await journal.openStream("a", machine: "m").append("1")
            try await journal.close()
        }
        try FileManager.default.createSymbolicLink(atPath: other, withDestinationPath: path)
        // This connection leaves its WAL in place.
        let database = JournalDatabase(try Connection(path: path, access: .write))
        let writer = try #require(try database.writer())
        try database.connection.transaction { () throws(DatabaseError) in
            try database.write(changed(writer) { $0.path = other })
        }
    }

    @Test func `a file that was written at another path is refused while its newest entries are in the WAL there`()
        async throws
    {
        let other = folder.path("b.db")
        try await openedAsWell(at: other)
        try Data("entries".utf8).write(to: URL(fileURLWithPath: other + "-wal"))
        let errors = [
            await journalError { try JournalReader(path: path) }, await journalError { try Journal(path: path) },
        ]
        for error in errors {
            #expect(error?.code == .severalNames)
            #expect(error?.file == path)
            #expect(error?.message.contains("its newest entries are in \(other)-wal") == true)
            #expect(error?.advice.contains("mount its folder") == true)
        }
        // Nothing is left there after a close.
        try Data().write(to: URL(fileURLWithPath: other + "-wal"))
        #expect(try JournalReader(path: path).entries(in: "a").count == 1)
    }

    @Test func `a file whose folder is mounted at a second path is read there with the same WAL`() async throws {
        let other = folder.path("b.db")
        try await openedAsWell(at: other)
        try FileManager.default.createSymbolicLink(atPath: other + "-wal", withDestinationPath: path + "-wal")
        #expect(try bytes(other + "-wal").count > 0)
        #expect(try JournalReader(path: path).entries(in: "a").count == 1)
    }

    @Test func `a reader detects missing acknowledged entries and refuses a backup of the rest`() async throws {
        try await make()
        #expect(try JournalReader(path: path).missingEntries() == nil)
        try damage(path + "-wal", at: 60_000) { $0 ^= 1 }
        let reader = try JournalReader(path: path)
        #expect(try reader.missingEntries()?.code == .acknowledgedEntriesLost)
        #expect(
            await journalError { try await reader.backup(to: folder.path("b.db")) }?.code == .acknowledgedEntriesLost)
    }

    @Test(arguments: ["-wal", "-shm", "-journal", "-lock"])
    func `a backup is refused if an old file beside its target would be read with it`(_ suffix: String) async throws {
        try await make()
        let target = folder.path("b.db")
        try Data("old".utf8).write(to: URL(fileURLWithPath: target + suffix))
        let reader = try JournalReader(path: path)
        let error = await journalError { try await reader.backup(to: target) }
        #expect(error?.code == .destinationExists)
        #expect(error?.file == target + suffix)
        #expect(await journalError { try await reader.backup(to: folder.path("c.db" + suffix)) }?.code == .badArgument)
    }
}
