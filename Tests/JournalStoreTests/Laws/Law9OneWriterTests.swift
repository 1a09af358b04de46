import Foundation
import JournalStore
import Testing
import TortureKit

@Suite struct `Law 9, one writer and many readers` {
    let folder: TemporaryFolder
    let path: String
    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("a.db")
    }

    /// Starts a process that holds the journal, and waits until it does.
    private func holder(_ arguments: String...) throws -> (child: Child, forked: Int32) {
        let child = try Child(Child.program("journal-torture"), ["hold", path] + arguments)
        let parts = try #require(child.line()).split(separator: " ")
        #expect(parts.first == "open")
        return (child, try #require(Int32(parts[2])))
    }

    @Test func `a second opening in the same process throws an error that names the process`() async throws {
        let journal = try Journal(path: path)
        let error = await journalError { try Journal(path: path) }
        #expect(error?.code == .inUse)
        #expect(error?.message.contains("This process (\(getpid()))") == true)
        try await journal.close()
        _ = try Journal(path: path)
    }

    @Test func `a second process gets an error that names the holder, and opens at once after kill -9`() async throws {
        let (child, _) = try holder()
        let error = await journalError { try Journal(path: path) }
        #expect(error?.code == .inUse)
        #expect(error?.file == path)
        #expect(error?.message.contains("Process \(child.identifier) on \(Platform.hostName())") == true)
        #expect(error?.message.contains(", since 20") == true)
        child.kill()
        child.wait()
        let journal = try Journal(path: path)
        let stream = try await journal.openStream("a", machine: "m")
        #expect(try await stream.append("1").step == 1)
    }

    @Test func `a lock that another program holds is not said to be that of a writer that has ended`() async throws {
        let (child, _) = try holder()
        child.kill()
        child.wait()
        let lock = path + "-lock"
        let descriptor = Foundation.open(lock, O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        #expect(flock(descriptor, LOCK_SH | LOCK_NB) == 0)
        let error = await journalError { try Journal(path: path) }
        #expect(error?.code == .inUse)
        #expect(error?.message == "Another process writes this journal, or has locked \(lock).")
    }

    @Test func `a forked child that outlives the holder does not keep the lock`() async throws {
        let (child, forked) = try holder("fork")
        child.kill()
        child.wait()
        // The child's child still runs.
        #expect(kill(forked, 0) == 0)
        _ = try Journal(path: path)
        child.closeInput()
    }

    @Test func `the lock is free after the last reference is gone`() async throws {
        do {
            let journal = try Journal(path: path)
            let stream = try await journal.openStream("a", machine: "m")
            try await stream.append("1")
        }
        let journal = try Journal(path: path)
        #expect(try journal.reader.entries(in: "a").count == 1)
    }

    @Test func `a closed journal can be opened at once while the process spawns others`() async throws {
        // Each process that is spawned holds a copy of the lock's descriptor until it runs its program.
        // It blocks its thread, which must not be one of the few that all tasks share.
        let isDone = Box(false)
        async let spawning: Void = onThread {
            while !isDone.value { try Child("/usr/bin/true", []).wait() }
        }
        defer { isDone.change { $0 = true } }
        for _ in 0..<30 { try await Journal(path: path).close() }
        isDone.change { $0 = true }
        try await spawning
    }

    @Test func `a symbolic link to the file is the same journal`() async throws {
        let link = folder.path("link.db")
        let journal = try Journal(path: path)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        let error = await journalError { try Journal(path: link) }
        #expect(error?.code == .inUse)
        #expect(error?.file == path)
        withExtendedLifetime(journal) {}
    }

    @Test func `a file with two hard links is refused`() async throws {
        try await Journal(path: path).close()
        try FileManager.default.linkItem(atPath: path, toPath: folder.path("b.db"))
        for name in [path, folder.path("b.db")] {
            #expect(await journalError { try Journal(path: name) }?.code == .severalNames)
        }
    }

    @Test func `a second hard link to an open journal fences the writer`() async throws {
        let journal = try Journal(path: path)
        let stream = try await journal.openStream("a", machine: "m")
        try await stream.append("1")
        try FileManager.default.linkItem(atPath: path, toPath: folder.path("b.db"))
        let error = await journalError { try await stream.append("2") }
        #expect(error?.code == .fenced)
        #expect(error?.advice.hasPrefix("Remove all names but one, then open it again.") == true)
        #expect(await journalError { try Journal(path: folder.path("b.db")) }?.code == .severalNames)
    }

    @Test func `a deleted lock file lets a second writer in, and the first is fenced at its next write`() async throws {
        let first = try Journal(path: path)
        let stream = try await first.openStream("a", machine: "m")
        try await stream.append("1")
        try FileManager.default.removeItem(atPath: path + "-lock")

        let second = try Journal(path: path)
        let same = try await second.openStream("a", machine: "m")
        #expect(try await same.append("2").step == 2)

        let error = await journalError { try await stream.append("never") }
        #expect(error?.code == .fenced)
        #expect(error?.message.contains("Another writer") == true)
        // It stays fenced, and the second writer continues.
        #expect(await journalError { try await stream.append("never") }?.code == .fenced)
        #expect(await journalError { try await first.close() }?.code == .fenced)
        #expect(try await same.append("3").step == 3)
        #expect(try second.reader.entries(in: "a").map(\.action) == ["1", "2", "3"])
        #expect(try await second.verify().isSound)
    }

    @Test func `a renamed file is refused under its new name while its writer is open`() async throws {
        let first = try Journal(path: path)
        let stream = try await first.openStream("a", machine: "m")
        try await stream.append("1")
        let renamed = folder.path("b.db")
        try FileManager.default.moveItem(atPath: path, toPath: renamed)

        let error = await journalError { try Journal(path: renamed) }
        #expect(error?.code == .inUse)
        #expect(error?.message.contains("renamed from \(path), and process") == true)
        #expect(error?.advice.hasPrefix("Rename it back.") == true)
        #expect(await journalError { try await stream.append("never") }?.code == .fenced)
    }

    @Test func `a file whose earlier name cannot be looked up is opened`() async throws {
        let journal = try Journal(path: path)
        try await journal.openStream("a", machine: "m").append("1")
        try await journal.close()
        let renamed = folder.path("b.db")
        for part in ["", "-wal", "-lock"] where FileManager.default.fileExists(atPath: path + part) {
            try FileManager.default.moveItem(atPath: path + part, toPath: renamed + part)
        }
        // As in a folder of another user.
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path)
        let again = try Journal(path: renamed)
        #expect(try again.reader.entries(in: "a").map(\.action) == ["1"])
        try await again.close()
    }

    @Test func `a file renamed without its WAL is refused, and opens when the WAL is moved too`() async throws {
        let renamed = folder.path("b.db")
        do {
            let journal = try Journal(path: path)
            let stream = try await journal.openStream("a", machine: "m")
            try await stream.append("1")
        }
        try FileManager.default.moveItem(atPath: path, toPath: renamed)
        #expect(try JournalReader(path: renamed).verify().problems.first?.message.contains(path + "-wal") == true)
        let error = await journalError { try Journal(path: renamed) }
        #expect(error?.code == .acknowledgedEntriesLost)
        #expect(error?.message.contains(path + "-wal") == true)
        for suffix in ["-wal", "-lock"] {
            // The refused opening made a lock file of its own.
            try? FileManager.default.removeItem(atPath: renamed + suffix)
            try FileManager.default.moveItem(atPath: path + suffix, toPath: renamed + suffix)
        }
        #expect(try Journal(path: renamed).reader.entries(in: "a").count == 1)
    }

    @Test func `a file that was copied away without its WAL, and deleted, is refused as a renamed one is`() async throws
    {
        do {
            let journal = try Journal(path: path)
            try await journal.openStream("a", machine: "m").append("1")
        }
        // As `mv` does to another volume: the copy is another file for the system.
        try FileManager.default.copyItem(atPath: path, toPath: folder.path("b.db"))
        try FileManager.default.removeItem(atPath: path)
        #expect(await journalError { try Journal(path: folder.path("b.db")) }?.code == .acknowledgedEntriesLost)
    }

    @Test func `a backup is no renamed journal, even if only the database of its original was lost`() async throws {
        let backup = folder.path("b.db")
        do {
            let journal = try Journal(path: path)
            let stream = try await journal.openStream("a", machine: "m")
            try await stream.append("1")
            try await journal.backup(to: backup)
            try await stream.append("2")
        }
        try FileManager.default.removeItem(atPath: path)
        let wal = try bytes(path + "-wal")
        #expect(!wal.isEmpty)
        #expect(try JournalReader(path: backup).verify().problems == [])
        #expect(try Journal(path: backup).reader.entries(in: "a").map(\.action) == ["1"])
        #expect(try bytes(path + "-wal") == wal)
    }

    @Test func `a replaced file fences the writer`() async throws {
        let journal = try Journal(path: path)
        let stream = try await journal.openStream("a", machine: "m")
        try await stream.append("1")
        try await journal.backup(to: folder.path("b.db"))
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: folder.path("b.db"), toPath: path)
        #expect(await journalError { try await stream.append("2") }?.code == .fenced)
    }

    @Test func `readers are never refused and see committed entries only`() async throws {
        let journal = try Journal(path: path)
        let stream = try await journal.openStream("a", machine: "m")
        let readers = try (0..<4).map { _ in try JournalReader(path: path) }
        for number in 1...50 {
            try await stream.append("\(number)")
            for reader in readers {
                #expect(try reader.entries(in: "a", limit: 100).map(\.action) == (1...number).map { "\($0)" })
            }
        }
    }

    @Test func `an append throws while another program writes, and works afterwards`() async throws {
        let journal = try openJournal(path) { $0.busyTimeout = .milliseconds(20) }
        let stream = try await journal.openStream("a", machine: "m")
        let shell = try Shell(path)
        try shell("BEGIN IMMEDIATE")
        let error = await journalError { try await stream.append("1") }
        #expect(error?.code == .busy)
        try shell("ROLLBACK")
        #expect(try await stream.append("2").step == 1)
    }
}
