import CFaultVFS
import CJournalSQLite
import Foundation
import Testing
import TortureKit

@testable import JournalStore

/// Disk failures, simulated by a VFS below SQLite.
@Suite struct `A failing disk` {
    let folder: TemporaryFolder
    let path: String
    let vfs = FaultVFS()
    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("a.db")
    }

    private func open(_ change: (inout Journal.Options) -> Void = { _ in }) async throws -> (Journal, JournalStream) {
        let journal = try openJournal(path) {
            $0.vfs = vfs.name
            change(&$0)
        }
        return (journal, try await journal.openStream("a", machine: "m"))
    }

    // MARK: Full

    @Test func `an append to a full disk writes nothing, and the journal continues when there is room`() async throws {
        let (journal, stream) = try await open()
        try await stream.append("1")
        vfs.fail(FAULT_WRITE, suffix: "-wal", count: -1, code: SQLITE_FULL)
        for _ in 0..<3 {
            let error = await journalError { try await stream.append("never") }
            #expect(error?.code == .diskFull)
            #expect(error?.file == path)
            #expect(error?.description.contains("Nothing was written") == true)
        }
        #expect(await journalError { try await stream.saveSnapshot("{}", at: 1) }?.code == .diskFull)
        #expect(try journal.reader.entries(in: "a").count == 1)
        vfs.clear()
        #expect(try await stream.append("2").step == 2)
        #expect(try await journal.verify().isSound)
        try await journal.close()
        _ = try Journal(path: path)
    }

    @Test func `a snapshot for which the disk has no room is not reported besides the full disk`() async throws {
        let notices = Box<[Notice.Kind]>([])
        let (journal, stream) = try await open { options in
            options.snapshots = SnapshotPolicy(everySteps: 1)
            options.report = { notice in notices.change { $0.append(notice.kind) } }
        }
        try await stream.append("1")
        vfs.fail(FAULT_WRITE, suffix: "-wal", count: -1, code: SQLITE_FULL)
        stream.offerSnapshot(at: 1) { "{}" }
        await stream.finishSnapshot()
        #expect(try journal.reader.snapshotSteps(in: "a").isEmpty)
        #expect(notices.value.filter { $0 != .nothingRemembered } == [.diskFull])
        vfs.clear()
        try await journal.close()
    }

    @Test func `a full disk is reported once, and again when it is full the next time`() async throws {
        let notices = Box<[Notice.Kind]>([])
        let (journal, stream) = try await open { options in
            options.report = { notice in notices.change { $0.append(notice.kind) } }
        }
        for time in 1...2 {
            vfs.fail(FAULT_WRITE, suffix: "-wal", count: -1, code: SQLITE_FULL)
            for _ in 0..<3 { #expect(await journalError { try await stream.append("never") }?.code == .diskFull) }
            #expect(notices.value == Array(repeating: .diskFull, count: time))
            vfs.clear()
            try await stream.append("\(time)")
        }
        try await journal.close()
    }

    @Test func `a full disk while closing is no error, because what was acknowledged is in the WAL`() async throws {
        let notices = Box<[Notice.Kind]>([])
        let (journal, stream) = try await open { options in
            options.report = { notice in notices.change { $0.append(notice.kind) } }
        }
        try await stream.append(contentsOf: ["1", "2"])
        vfs.fail(FAULT_WRITE, suffix: ".db", count: -1, code: SQLITE_FULL)
        try await journal.close()
        vfs.clear()
        #expect(notices.value == [.diskFull])
        let (again, _) = try await open()
        #expect(try again.reader.entries(in: "a").map(\.action) == ["1", "2"])
        try await again.close()
    }

    @Test func `an I/O error while closing says that what was acknowledged is kept`() async throws {
        let (journal, stream) = try await open()
        try await stream.append("1")
        vfs.fail(FAULT_WRITE, suffix: ".db", count: -1, code: SQLITE_IOERR)
        let error = await journalError { try await journal.close() }
        vfs.clear()
        #expect(error?.code == .inputOutput)
        #expect(error?.message.contains("what was acknowledged before is in the file or its WAL.") == true)
        #expect(error?.message.contains("nothing of this was written") == false)
        let (again, _) = try await open()
        #expect(try again.reader.entries(in: "a").map(\.action) == ["1"])
        try await again.close()
    }

    @Test func `an append needs no temporary file, however many pages it changes`() async throws {
        // One such page is more than SQLite keeps in memory by default, to undo a statement.
        try Connection(path: path, access: .write).execute("PRAGMA page_size = 65536; VACUUM")
        let (journal, stream) = try await open()
        try await stream.append("1")
        vfs.fail(FAULT_OPEN, count: -1, code: SQLITE_CANTOPEN)
        #expect(try await stream.append(contentsOf: (2...20).map { "\($0)" }).last?.step == 20)
        vfs.clear()
        #expect(try await journal.verify().isSound)
        try await journal.close()
    }

    @Test(.enabled(if: canMount, "mounting a small file system requires root, and CAP_SYS_ADMIN in a container"))
    func `a full file system loses no entry, and the journal continues when there is room`() async throws {
        let small = folder.path("small")
        try FileManager.default.createDirectory(atPath: small, withIntermediateDirectories: false)
        #expect(try shell("mount -t tmpfs -o size=512k tmpfs '\(small)'") == 0)
        defer { _ = try? shell("umount '\(small)'") }
        do {
            let journal = try Journal(path: small + "/a.db")
            let stream = try await journal.openStream("a", machine: "m")
            var committed = 0
            var error: JournalError?
            while error == nil {
                error = await journalError { try await stream.append(String(repeating: "x", count: 5_000)) }
                if error == nil { committed += 1 }
            }
            #expect(error?.code == .diskFull)
            #expect(committed > 3)
            #expect(try journal.reader.entries(in: "a", limit: 1_000).count == committed)
            #expect(try await journal.verify().isSound)
            // Makes room.
            #expect(try shell("mount -o remount,size=8m '\(small)'") == 0)
            #expect(try await stream.append("more").step == committed + 1)
            #expect(try await journal.verify().isSound)
            // A backup without room leaves no file.
            try shell("dd if=/dev/zero of='\(small)/filler' bs=4k 2>/dev/null")
            #expect(await journalError { try await journal.backup(to: small + "/b.db") }?.code == .diskFull)
            #expect(!FileManager.default.fileExists(atPath: small + "/b.db"))
            #expect(!FileManager.default.fileExists(atPath: small + "/b.db-partial"))
            // An import without room names the file that there is no room for.
            try journal.reader.export(to: folder.path("a.jsonl"))
            let full = await journalError {
                try await Journal.importing(folder.path("a.jsonl"), to: small + "/c.db")
            }
            #expect(full?.code == .diskFull)
            #expect(full?.file == small + "/c.db")
        }
    }

    @Test(arguments: [(false, "-partial"), (true, "-draft")])
    func `a backup for which there is no room names the file that it was to make`(
        _ detached: Bool, _ suffix: String
    ) async throws {
        let (journal, stream) = try await open()
        try await stream.append("1")
        vfs.fail(FAULT_WRITE, suffix: suffix, count: -1, code: SQLITE_FULL)
        let target = folder.path("b.db")
        let error = await journalError { try await journal.backup(to: target, detached: detached) }
        #expect(error?.code == .diskFull)
        #expect(error?.file == target)
        #expect(error?.message.contains(target + ".") == true)
        #expect(error?.advice == "Free some space, then try again.")
        #expect(try !FileManager.default.contentsOfDirectory(atPath: folder.path).contains { $0.hasPrefix("b.db") })
    }

    @Test(arguments: [(false, "-partial"), (true, "-draft")])
    func `a backup that fails removes the rollback journal that SQLite could not delete`(
        _ detached: Bool, _ suffix: String
    ) async throws {
        let (journal, stream) = try await open()
        try await stream.append("1")
        vfs.fail(FAULT_WRITE, suffix: suffix, count: -1, code: SQLITE_FULL)
        // SQLITE_IOERR_DELETE
        vfs.fail(FAULT_DELETE, suffix: suffix + "-journal", count: -1, code: Extended.inputOutputDelete)
        let error = await journalError { try await journal.backup(to: folder.path("b.db"), detached: detached) }
        #expect(error?.code == .diskFull)
        #expect(vfs.count(FAULT_DELETE, suffix: suffix + "-journal") > 0)
        #expect(try !FileManager.default.contentsOfDirectory(atPath: folder.path).contains { $0.hasPrefix("b.db") })
    }

    @Test func `a copy that cannot be synced is an error of the file that it was to make`() async throws {
        let file = try NewFile(folder.path("b.db"))
        let error = await journalError {
            try Backup(original: path, file: file).run { partial throws(JournalError) in
                let failure = DatabaseError.failedSync(EIO, during: "syncing \(partial)")
                throw JournalError(failure, file: path, while: "copying to \(partial)")
            }
        }
        #expect(error?.code == .inputOutput)
        #expect(error?.file == file.target)
        #expect(error?.message.contains("while copying to \(file.target) (") == true)
        #expect(error?.advice == "Check the disk, the limits of this user and the system's log, then try again.")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    // MARK: I/O errors

    @Test func `a failed sync of a commit has an unknown outcome and stops the journal`() async throws {
        let (journal, stream) = try await open()
        try await stream.append("1")
        vfs.fail(FAULT_SYNC, suffix: "-wal", code: Extended.inputOutputSync)
        let error = await journalError { try await stream.append("undecided") }
        #expect(error?.code == .outcomeUnknown)
        #expect(error?.underlying == 1_034)
        #expect(error?.message.contains("it is unknown whether this was written") == true)
        // The fault is gone, but nothing is tried: a failed sync is never repeated.
        let syncs = vfs.count(FAULT_SYNC)
        for _ in 0..<3 {
            let later = await journalError { try await stream.append("never") }
            #expect(later?.code == .outcomeUnknown)
            #expect(later?.message.contains("this was not tried") == true)
        }
        #expect(await journalError { try await journal.openStream("b", machine: "m") }?.code == .outcomeUnknown)
        #expect(await journalError { try await journal.close() }?.code == .outcomeUnknown)
        #expect(vfs.count(FAULT_SYNC) == syncs)
    }

    @Test func `batches that wait behind a failed commit fail with the same error`() async throws {
        let (journal, stream) = try await open { $0.execution = .ownThread }
        try await stream.append("1")
        vfs.fail(FAULT_SYNC, suffix: "-wal", code: Extended.inputOutputSync)
        let codes = await withTaskGroup(of: JournalError.Code?.self) { group in
            for _ in 0..<20 {
                group.addTask { await journalError { try await stream.append("undecided") }?.code }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes == Array(repeating: .outcomeUnknown, count: 20))
        withExtendedLifetime(journal) {}
    }

    @Test func `a stopped journal is copied to a new file before it is written again`() async throws {
        do {
            let (_, stream) = try await open()
            for number in 1...5 { try await stream.append("\(number)") }
            vfs.fail(FAULT_SYNC, suffix: "-wal", code: Extended.inputOutputSync)
            _ = await journalError { try await stream.append("undecided") }
        }
        let before = try #require(Platform.status(ofPath: path)?.identity)
        let notices = Box<[Notice]>([])
        let journal = try openJournal(path) { $0.report = { notice in notices.change { $0.append(notice) } } }
        #expect(notices.value.map(\.kind) == [.copiedAfterFailure])
        #expect(Platform.status(ofPath: path)?.identity != before)
        #expect(Platform.status(ofPath: path + "-damaged")?.identity == before)
        let actions = try journal.reader.entries(in: "a").map(\.action)
        #expect(actions.prefix(5) == ["1", "2", "3", "4", "5"])
        #expect([[], ["undecided"]].contains(Array(actions.dropFirst(5))))
        let stream = try await journal.openStream("a", machine: "m")
        #expect(try await stream.append("6").step == actions.count + 1)
        #expect(try await journal.verify().isSound)
        // The next opening copies nothing.
        try await journal.close()
        notices.change { $0 = [] }
        _ = try openJournal(path) { $0.report = { notice in notices.change { $0.append(notice) } } }
        #expect(notices.value.isEmpty)
    }

    @Test func `every damaged file is kept, and the notice names the newest`() async throws {
        let notices = Box<[Notice]>([])
        for round in 1...3 {
            do {
                let (_, stream) = try await open { $0.report = { notice in notices.change { $0.append(notice) } } }
                try await stream.append("\(round)")
                vfs.fail(FAULT_SYNC, suffix: "-wal", code: Extended.inputOutputSync)
                _ = await journalError { try await stream.append("undecided") }
            }
            vfs.clear()
        }
        let journal = try openJournal(path) { $0.report = { notice in notices.change { $0.append(notice) } } }
        let damaged = [path + "-damaged", path + "-damaged-2", path + "-damaged-3"]
        let copied = notices.value.filter { $0.kind == .copiedAfterFailure }
        for (notice, name) in zip(copied, damaged) { #expect(notice.error.advice.contains("\(name);")) }
        #expect(copied.count == 3)
        #expect(notices.value.filter { $0.kind == .journalStopped }.count == 3)
        for (round, name) in zip(1..., damaged) {
            // Each is the journal as it was when it stopped.
            let counts = try Shell(name, readOnly: false)("SELECT count(*) FROM entry WHERE action <> 'undecided'")
            #expect(counts == ["\(round)"])
        }
        #expect(try await journal.verify().isSound)
    }

    @Test(arguments: ["before the copy", "copy half-made", "copy ready", "WAL moved", "all moved", "in place"])
    func `a rescue that was interrupted by a crash continues at the next opening`(_ moment: String) async throws {
        do {
            let (_, stream) = try await open()
            for number in 1...5 { try await stream.append("\(number)") }
            vfs.fail(FAULT_SYNC, suffix: "-wal", code: Extended.inputOutputSync)
            _ = await journalError { try await stream.append("undecided") }
        }
        let copy = path + "-salvage"
        let files = FileManager.default
        func markCopyReady() throws { try Sidecar(besides: path).mark = .copyReady }
        switch moment {
        case "copy half-made":
            try Data("half".utf8).write(to: URL(fileURLWithPath: copy))
        case "copy ready", "WAL moved", "all moved", "in place":
            try JournalReader(path: path).copy(to: copy)
            try markCopyReady()
            if moment != "copy ready" { try files.moveItem(atPath: path + "-wal", toPath: path + "-damaged-wal") }
            if moment == "all moved" || moment == "in place" {
                try? files.removeItem(atPath: path + "-shm")
                try files.moveItem(atPath: path, toPath: path + "-damaged")
            }
            if moment == "in place" { try files.moveItem(atPath: copy, toPath: path) }
        default: break
        }
        let journal = try Journal(path: path)
        let actions = try journal.reader.entries(in: "a").map(\.action)
        #expect(actions.prefix(5) == ["1", "2", "3", "4", "5"])
        #expect(try await journal.verify().isSound)
        #expect(!files.fileExists(atPath: copy))
        #expect(files.fileExists(atPath: path + "-damaged"))
    }

    /// Five entries and a journal that has stopped.
    private func stop() async throws {
        let (_, stream) = try await open()
        for number in 1...5 { try await stream.append("\(number)") }
        vfs.fail(FAULT_SYNC, suffix: "-wal", code: Extended.inputOutputSync)
        _ = await journalError { try await stream.append("undecided") }
        vfs.clear()
    }

    @Test(arguments: [false, true])
    func `a rescue makes the copy again if only its mark has survived`(_ isSecond: Bool) async throws {
        try await stop()
        let older = Data("an earlier rescue".utf8)
        if isSecond { try older.write(to: URL(fileURLWithPath: path + "-damaged")) }
        let before = try #require(Platform.status(ofPath: path)?.identity)
        // A process that another test spawns has a copy of the lock for a moment.
        while (try? Sidecar(besides: path).mark = .copyReady) == nil { await Task.yield() }
        let journal = try Journal(path: path)
        #expect(Platform.status(ofPath: path)?.identity != before)
        #expect(Platform.status(ofPath: path + (isSecond ? "-damaged-2" : "-damaged"))?.identity == before)
        if isSecond { #expect(try bytes(path + "-damaged") == older) }
        #expect(try journal.reader.entries(in: "a").map(\.action).prefix(5) == ["1", "2", "3", "4", "5"])
        #expect(try await journal.verify().isSound)
    }

    @Test(arguments: [0, 100])
    func `a rescue that goes on keeps the WAL that was moved before`(_ size: Int) async throws {
        try await stop()
        try JournalReader(path: path).copy(to: path + "-salvage")
        // A process that another test spawns has a copy of the lock for a moment.
        while (try? Sidecar(besides: path).mark = .copyReady) == nil { await Task.yield() }
        try FileManager.default.moveItem(atPath: path + "-wal", toPath: path + "-damaged-wal")
        let wal = try bytes(path + "-damaged-wal")
        #expect(!wal.isEmpty)
        // Made by a reader, or by another program.
        let another = Data(count: size)
        try another.write(to: URL(fileURLWithPath: path + "-wal"))
        let journal = try Journal(path: path)
        #expect(try bytes(path + "-damaged-wal") == wal)
        if size > 0 { #expect(try bytes(path + "-damaged-2-wal") == another) }
        #expect(try journal.reader.entries(in: "a").map(\.action).prefix(5) == ["1", "2", "3", "4", "5"])
        #expect(try await journal.verify().isSound)
    }

    @Test func `a failed write in a transaction writes nothing and stops the journal`() async throws {
        let (journal, stream) = try await open()
        try await stream.append("1")
        vfs.fail(FAULT_WRITE, suffix: "-wal", code: Extended.inputOutputWrite)
        let error = await journalError { try await stream.append("undecided") }
        #expect(error?.code == .outcomeUnknown)
        #expect(await journalError { try await stream.append("never") }?.code == .outcomeUnknown)
        #expect(try journal.reader.entries(in: "a").map(\.action) == ["1"])
    }

    @Test(arguments: [FAULT_SYNC, FAULT_WRITE])
    func `a checkpoint that fails stops the journal, and nothing is lost`(_ operation: fault_operation) async throws {
        do {
            let (journal, stream) = try await open { $0.checkpointPages = 30 }
            vfs.fail(operation, suffix: ".db", count: -1, code: SQLITE_IOERR)
            var committed = 0
            var error: JournalError?
            while error == nil, committed < 1_000 {
                error = await journalError { try await stream.append("\(committed + 1)") }
                if error == nil { committed += 1 }
            }
            #expect(error?.code == .outcomeUnknown)
            #expect(try journal.reader.entries(in: "a", limit: 1_000).count == committed)
            vfs.clear()
        }
        let journal = try Journal(path: path)
        #expect(try await journal.verify().isSound)
        #expect(try journal.reader.entries(in: "a", limit: 1_000).map(\.action).first == "1")
    }

    @Test func `an opening that fails releases the lock, and the next one works`() async throws {
        for operation in [FAULT_OPEN, FAULT_WRITE, FAULT_SYNC] {
            var failures = 0
            for nth in 1...12 {
                let folder = try TemporaryFolder()
                let path = folder.path("a.db")
                let vfs = FaultVFS()
                vfs.fail(operation, nth: UInt64(nth), code: operation == FAULT_OPEN ? SQLITE_CANTOPEN : SQLITE_IOERR)
                let error = await journalError { try openJournal(path) { $0.vfs = vfs.name } }
                vfs.clear()
                if let error {
                    failures += 1
                    #expect([.inputOutput, .cannotOpen].contains(error.code), "\(error)")
                }
                let journal = try openJournal(path) { $0.vfs = vfs.name }
                let stream = try await journal.openStream("a", machine: "m")
                #expect(try await stream.append("1").step == 1)
                #expect(try await journal.verify().isSound)
            }
            #expect(failures > 0, "no opening failed at \(operation)")
        }
    }

    @Test func `a failed read throws an error instead of ending the entries`() async throws {
        let (journal, stream) = try await open()
        for number in 1...200 { try await stream.append("\(number) \(String(repeating: "x", count: 1_000))") }
        try await journal.close()
        vfs.fail(FAULT_READ, suffix: ".db", nth: 30, code: SQLITE_IOERR)
        let reader = try JournalReader(path: path, vfs: vfs.name)
        let error = await journalError {
            for step in stride(from: 1, to: 200, by: 10) { _ = try reader.entries(in: "a", from: step, limit: 10) }
        }
        #expect(error?.code == .inputOutput)
        #expect(try reader.entries(in: "a", limit: 1_000).count == 200)
    }

    @Test func `a failed read of a stream's row stops the journal, as any other I/O error of the writer`() async throws
    {
        let journal = try openJournal(path) { $0.durability = .normal }
        for number in 1...2_000 { _ = try await journal.openStream("stream-\(number)", machine: "m") }
        try await journal.close()
        let notices = Box<[Notice.Kind]>([])
        let again = try openJournal(path) { [vfs] options in
            options.vfs = vfs.name
            options.report = { notice in notices.change { $0.append(notice.kind) } }
        }
        let stream = try await again.openStream("stream-1", machine: "m")
        vfs.fail(FAULT_READ, suffix: ".db", count: -1, code: SQLITE_IOERR)
        #expect(await journalError { try await again.openStream("stream-1000", machine: "m") }?.code == .inputOutput)
        vfs.clear()
        #expect(await journalError { try await stream.append("never") }?.code == .outcomeUnknown)
        #expect(notices.value == [.journalStopped])
        try? await again.close()
    }

    /// What the disk says for a moment is not what the snapshot is: another state would follow from passing over it.
    @Test func `a failed read of a snapshot is not taken for a snapshot that cannot be used`() async throws {
        let (journal, stream) = try await open()
        try await stream.append(contentsOf: (1...10).map { "\($0)" })
        try await stream.saveSnapshot(String(repeating: "x", count: 100_000), at: 10)
        try await journal.close()
        let info = try JournalReader(path: path).stream("a")
        var codes: Set<JournalError.Code?> = []
        for nth in 1...60 {
            vfs.clear()
            let reader = try JournalReader(path: path, vfs: vfs.name)
            vfs.fail(FAULT_READ, suffix: ".db", nth: UInt64(nth), code: SQLITE_IOERR)
            do throws(JournalError) {
                let start = try reader.startingPoint(of: info, atOrBefore: 10) { $0.state }
                #expect(start.step == 10 && start.skipped.isEmpty)
            } catch {
                codes.insert(error.code)
            }
        }
        #expect(codes == [.inputOutput])
    }

    @discardableResult
    private func shell(_ command: String) throws -> Int32 {
        try Child("/bin/sh", ["-c", command]).wait()
    }
}
