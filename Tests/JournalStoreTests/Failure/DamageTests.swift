import Foundation
import JournalTesting
import Testing
import TortureKit

@testable import JournalStore

/// Damaged bytes, in real files.
@Suite struct `Law 11, refuse and do not guess` {
    let folder: TemporaryFolder
    let path: String
    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("a.db")
    }

    private func make(_ entries: Int, close: Bool, durability: Durability = .full, boot: String? = nil) async throws {
        let journal = try openJournal(path) {
            $0.durability = durability
            $0.checkpointPages = .max
            if let boot { $0.identity = { Self.identity(boot) } }
        }
        let stream = try await journal.openStream("a", machine: "m")
        for number in 1...entries { try await stream.append("\(number)\(String(repeating: " ", count: 200))") }
        if close { try await journal.close() }
    }

    private static func identity(_ boot: String) -> ProcessIdentity {
        var identity = ProcessIdentity.current()
        identity.boot = boot
        return identity
    }

    @Test(arguments: [0.2, 0.5, 0.9])
    func `a flipped byte in the WAL is refused with the number of lost entries`(_ place: Double) async throws {
        try await make(200, close: false)
        let size = try #require(Platform.status(ofPath: path + "-wal")?.size)
        try damage(path + "-wal", at: Int(Double(size) * place)) { $0 ^= 0x10 }

        // SQLite itself finds no problem; only the sidecar detects the loss.
        #expect(try Shell(path, readOnly: true)("PRAGMA integrity_check") == ["ok"])
        let left = try JournalReader(path: path).stream("a").headStep
        #expect(left < 200)

        #expect(
            try JournalReader(path: path).verify().problems.contains {
                $0.message.contains("\(200 - left) acknowledged")
            })
        let error = await journalError { try Journal(path: path) }
        #expect(error?.code == .acknowledgedEntriesLost)
        #expect(error?.message.contains("\(200 - left) acknowledged entries are missing") == true)
        #expect(error?.file == path)
        // The refusal has changed nothing: the next opening refuses too.
        #expect(await journalError { try Journal(path: path) }?.code == .acknowledgedEntriesLost)
        let journal = try openJournal(path) { $0.lostEntries = .accept }
        let stream = try await journal.openStream("a", machine: "m")
        #expect(try await stream.append("on").step == left + 1)
        #expect(try await journal.verify().isSound)
    }

    @Test func `under NORMAL a lost tail is a notice after a reboot, and an error without one`() async throws {
        try await make(50, close: false, durability: .normal, boot: "boot-1")
        try FileManager.default.removeItem(atPath: path + "-wal")
        let error = await journalError {
            try openJournal(path) {
                $0.durability = .normal
                $0.identity = { Self.identity("boot-1") }
            }
        }
        #expect(error?.code == .acknowledgedEntriesLost)
        let notices = Box<[Notice]>([])
        _ = try openJournal(path) {
            $0.durability = .normal
            $0.identity = { Self.identity("boot-2") }
            $0.report = { notice in notices.change { $0.append(notice) } }
        }
        #expect(notices.value.map(\.kind) == [.entriesLost])
        #expect(notices.value.first?.error.message.contains("50 acknowledged entries are missing") == true)
    }

    @Test func `under FULL a lost tail is an error, even after a reboot`() async throws {
        try await make(50, close: false, durability: .full, boot: "boot-1")
        try FileManager.default.removeItem(atPath: path + "-wal")
        let error = await journalError {
            try openJournal(path) {
                $0.durability = .normal
                $0.identity = { Self.identity("boot-2") }
            }
        }
        #expect(error?.code == .acknowledgedEntriesLost)
    }

    @Test func `a damaged page is found, and the error names the file and the stream`() async throws {
        try await make(400, close: true)
        // Overwrites each page in turn: the damage must be reported, and nothing may trap.
        let size = Int(try #require(Platform.status(ofPath: path)?.size))
        let whole = try bytes(path)
        var found = 0
        for page in 1..<size / 4_096 {
            try whole.write(to: URL(fileURLWithPath: path))
            for offset in stride(from: 0, to: 4_096, by: 64) {
                try damage(path, at: page * 4_096 + offset) { $0 = ~$0 }
            }
            do throws(JournalError) {
                let reader = try JournalReader(path: path)
                if !(try reader.verify().isSound) { found += 1 }
                do throws(JournalError) {
                    _ = try reader.entries(in: "a", limit: 1_000)
                } catch {
                    #expect([.corrupt, .unknownStream].contains(error.code), "page \(page): \(error)")
                    #expect(error.file == path)
                    if error.code == .corrupt { #expect(error.stream == "a") }
                }
            } catch {
                found += 1
                #expect([.corrupt, .notAJournal, .schemaMismatch].contains(error.code), "page \(page): \(error)")
            }
        }
        // The damage is found in each page that is in use; a few pages are free.
        #expect(found >= size / 4_096 - 4)
    }

    @Test(arguments: [("time + 1500000000", 4), ("time - 3600000000", 4), ("time - 3600000000", 5)])
    func `a step is not found by a time that was changed`(_ time: String, _ step: Int) async throws {
        let clock = ManualClock()
        let journal = try openJournal(path, clock)
        let stream = try await journal.openStream("a", machine: "m")
        var times: [Timestamp] = []
        for number in 1...6 {
            times.append(clock.wallClock())
            try await stream.append("\(number)")
            clock.move(by: .seconds(60))
        }
        try await journal.close()
        let reader = try JournalReader(path: path)
        #expect(try times.map { try reader.lastStep(in: "a", atOrBefore: $0) } == Array(1...6))
        #expect(try reader.lastStep(in: "a", atOrBefore: Timestamp(microseconds: 0)) == 0)
        try Shell(path)("UPDATE entry SET time = \(time) WHERE step = \(step)")
        let error = await journalError { try reader.lastStep(in: "a", atOrBefore: times[3]) }
        #expect(error?.code == .corrupt)
        #expect(error?.step == step)
    }

    @Test func `a header with an unknown format is damage, and not a failure of the disk`() async throws {
        try await make(1, close: true)
        try damage(path, at: 47) { $0 = 9 }
        let errors = [
            await journalError { try Journal(path: path) }, await journalError { try JournalReader(path: path) },
        ]
        for error in errors {
            #expect(error?.code == .corrupt)
            #expect(error?.advice.contains("restore a backup") == true)
        }
    }

    @Test func `an entry after the last possible step is refused`() async throws {
        try await make(1, close: true)
        try Shell(path).change("UPDATE stream SET head_step = 1 << 53")
        let journal = try Journal(path: path)
        let stream = try await journal.openStream("a", machine: "m")
        let error = await journalError { try await stream.append("2") }
        #expect(error?.code == .notStorable)
        #expect(error?.stream == "a")
        #expect(try journal.reader.stream("a").headStep == 1 << 53)
        try await journal.close()
    }

    @Test func `a stream with the ID 0, which no list contains, is refused`() async throws {
        try await make(1, close: true)
        try Shell(path).change("UPDATE entry SET stream = 0; UPDATE stream SET id = 0")
        #expect(await journalError { try JournalReader(path: path).stream("a") }?.code == .corrupt)
    }

    @Test func `the verification reports what SQLite finds, whatever else is damaged`() async throws {
        try await make(400, close: true)
        let root = try #require(
            try Shell(path, readOnly: true)("SELECT rootpage FROM sqlite_schema WHERE name = 'entry_by_step'").first
                .flatMap { Int($0) })
        for offset in 0..<100 { try damage(path, at: (root - 1) * 4_096 + offset) { $0 = ~$0 } }
        let problems = try JournalReader(path: path).verify().problems
        #expect(problems.contains { $0.message.hasPrefix("SQLite: ") }, "\(problems)")
    }

    @Test(arguments: [100, 4_096, 5_000, 20_000])
    func `a truncated file is refused or found damaged, and never written`(_ length: Int) async throws {
        try await make(200, close: true)
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try handle.truncate(atOffset: UInt64(length))
        try handle.close()
        let before = try bytes(path)
        let error = await journalError { try Journal(path: path) }
        #expect([.corrupt, .notADatabase].contains(error?.code), "\(error?.description ?? "opened")")
        #expect(error?.file == path)
        #expect(try bytes(path) == before)
        let reading = await journalError {
            guard try JournalReader(path: path).verify().isSound else {
                throw JournalError(.corrupt, "found")
            }
        }
        #expect([.corrupt, .notADatabase].contains(reading?.code))
    }

    @Test func `a truncated WAL is refused because acknowledged entries are lost`() async throws {
        try await make(100, close: false)
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path + "-wal"))
        try handle.truncate(atOffset: 100_000)
        try handle.close()
        #expect(await journalError { try Journal(path: path) }?.code == .acknowledgedEntriesLost)
    }

    @Test(arguments: [0o644, 0o666] as [mode_t])
    func `a journal in a read-only folder is refused for writing, and the error names the folder`(
        _ mode: mode_t
    ) async throws {
        // Root can write anywhere, so the test uses another user.
        try await make(1, close: true)
        for suffix in ["", "-lock"] { #expect(chmod(path + suffix, mode) == 0) }
        // With them, their owner needs no other file.
        for suffix in ["-wal", "-shm"] { try FileManager.default.removeItem(atPath: path + suffix) }
        try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder.path)
        defer { try? FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path) }
        let child = try Child(Child.program("journal-torture"), ["open", path] + (isRoot ? ["nobody"] : []))
        defer { child.wait() }
        let line = try #require(child.line())
        #expect(line.contains("[cannot-open"))
        #expect(line.contains("\(path): The folder \(folder.path) cannot be written"), "\(line)")
        #expect(line.contains("Make the folder writable for this user"))
    }

    @Test func `a journal that this user may not write is refused, and nothing is created beside it`() async throws {
        try await make(1, close: true)
        try FileManager.default.removeItem(atPath: path + "-lock")
        let before = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        // Root can write any file, so the test uses another user.
        #expect(chmod(path, 0o444) == 0)
        #expect(chmod(folder.path, 0o777) == 0)
        let child = try Child(Child.program("journal-torture"), ["open", path] + (isRoot ? ["nobody"] : []))
        defer { child.wait() }
        let line = try #require(child.line())
        #expect(
            line.contains("\(path): The file may not be written (Permission denied). Check that this user"), "\(line)")
        #expect(line.contains("[cannot-open"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == before)
    }
}
