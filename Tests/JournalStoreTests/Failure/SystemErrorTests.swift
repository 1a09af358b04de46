import CFaultVFS
import CJournalSQLite
import Foundation
import Testing
import TortureKit

@testable import JournalStore

/// Failures of the operating system, and what the errors say about them.
@Suite struct `Errors of the system` {
    let folder: TemporaryFolder
    let path: String
    let vfs = FaultVFS()
    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("a.db")
    }

    private func open() async throws -> (Journal, JournalStream) {
        let journal = try openJournal(path) { $0.vfs = vfs.name }
        return (journal, try await journal.openStream("a", machine: "m"))
    }

    private func fill() async throws {
        let (journal, stream) = try await open()
        for number in 1...100 { try await stream.append("\(number) \(String(repeating: "x", count: 5_000))") }
        try await journal.close()
        vfs.reset()
    }

    // MARK: Reading

    /// SQLITE_IOERR_READ and SQLITE_IOERR_CORRUPTFS: SQLite turns the second, a read that failed with EIO, into "the
    /// database disk image is malformed".
    @Test(arguments: [Extended.inputOutputRead, Extended.inputOutputCorrupt])
    func `a read that fails is an I/O error for a verification, and no damage`(_ code: Int32) async throws {
        try await fill()
        var nth: UInt64 = 1
        var failures = 0
        while true {
            let before = vfs.count(FAULT_READ)
            vfs.fail(FAULT_READ, suffix: ".db", nth: nth, code: code)
            do {
                let report = try JournalReader(path: path, vfs: vfs.name).verify()
                #expect(report.isSound, "\(nth): \(report.problems)")
            } catch {
                failures += 1
                #expect(error.code == .inputOutput, "\(nth): \(error)")
                #expect(error.message.contains("Input/output error"), "\(nth): \(error)")
            }
            let reads = vfs.count(FAULT_READ) - before
            vfs.clear()
            guard reads >= nth else { break }
            nth += nth < 60 ? 1 : 17
        }
        #expect(failures > 20)
    }

    @Test func `a read that fails in the WAL is an I/O error`() async throws {
        let (_, stream) = try await open()
        for number in 1...20 { try await stream.append("\(number) \(String(repeating: "x", count: 5_000))") }
        for nth in 1...10 {
            vfs.fail(FAULT_READ, suffix: "-wal", nth: UInt64(nth), code: Extended.inputOutputCorrupt)
            let error = await journalError {
                try JournalReader(path: path, vfs: vfs.name).entries(in: "a", limit: 100)
            }
            #expect(error == nil || error?.code == .inputOutput, "\(nth): \(error.map { "\($0)" } ?? "")")
            if nth == 1 { #expect(error != nil) }
            vfs.clear()
        }
    }

    @Test(
        arguments: [
            ("*** in database main ***", nil), ("On tree page 5 cell 3: Rowid 7 out of order", nil),
            ("Page 9 is never used", nil), ("row 3 missing from index i", nil),
            ("On tree page 5 cell 3: unable to get the page. error code=10", SQLITE_IOERR),
            ("Tree 5 page 7: unable to get the page. error code=266", Extended.inputOutputRead),
            ("Tree 5 page 7: unable to get the page. error code=14", SQLITE_CANTOPEN),
            ("Tree 5 page 7: unable to get the page. error code=11", nil),
            ("Page 7: btreeInitPage() returns error code 11", nil),
            ("Page 7: btreeInitPage() returns error code 7", SQLITE_NOMEM), ("Freelist: failed to get page 7", nil),
        ] as [(String, Int32?)])
    func `a line of the integrity check is a finding, or the error of a read`(_ line: String, _ code: Int32?) {
        #expect(IntegrityLine.error(line, lastSystemError: 0)?.code == code)
    }

    @Test func `a page that the integrity check could not get is a finding only if no read failed`() {
        let line = "Freelist: failed to get page 7"
        #expect(IntegrityLine.error(line, lastSystemError: EIO)?.isInputOutput == true)
        #expect(IntegrityLine.error(line, lastSystemError: EAGAIN) == nil)
    }

    // MARK: Files

    @Test func `with too many open files each call says so, and none finds damage`() async {
        // In its own process: the limit is that of the process.
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let path = folder.path("a.db")
            let notices = Box<[Notice]>([])
            func open() throws -> Journal {
                try openJournal(path) { $0.report = { notice in notices.change { $0.append(notice) } } }
            }
            do {
                let stream = try await open().openStream("a", machine: "m")
                for number in 1...20 { try await stream.append("\(number)") }
            }
            limitOpenFiles(to: 128)
            var failures = 0
            for free in 0...10 {
                var taken: [Int32] = []
                while case let descriptor = Foundation.open("/dev/null", O_RDONLY), descriptor >= 0 {
                    taken.append(descriptor)
                }
                for descriptor in taken.suffix(free) { close(descriptor) }
                taken.removeLast(min(free, taken.count))
                func check(_ what: String, _ body: () async throws -> Void) async {
                    guard let error = await journalError(body) else { return }
                    failures += 1
                    #expect(error.code == .tooManyFiles, "\(what) with \(free) free: \(error)")
                    #expect(error.message.lowercased().contains("too many open files"), "\(what): \(error)")
                    #expect(error.advice.contains("limit"), "\(what): \(error)")
                }
                await check("reading") { _ = try JournalReader(path: path).entries(in: "a") }
                await check("verifying") {
                    let isSound = try JournalReader(path: path).verify().isSound
                    #expect(isSound, "with \(free) free")
                }
                await check("backing up") {
                    try await JournalReader(path: path).backup(to: folder.path("b\(free).db"))
                }
                await check("exporting") { try JournalReader(path: path).export(to: folder.path("e\(free)")) }
                await check("opening") { _ = try open() }
                await check("creating") { _ = try Journal(path: folder.path("c\(free).db")) }
                for descriptor in taken { close(descriptor) }
            }
            #expect(failures > 5)
            let journal = try open()
            #expect(try journal.reader.entries(in: "a").count == 20)
            // A socket for operators needs descriptors of its own.
            #expect(notices.value.allSatisfy { $0.kind == .operatorsUnavailable })
        }
    }

    @Test func `an operator who connects while too many files are open does not keep the processor busy`() async {
        await #expect(processExitsWith: .success) {
            // The path of a socket has at most about a hundred bytes.
            let folder = try TemporaryFolder(in: "/tmp")
            let path = folder.path("a.db")
            let journal = try Journal(path: path)
            func connect() throws -> Int32 {
                try #require(LocalSocket.connect(to: path + "-socket", timeout: .seconds(600)))
            }
            // The system makes descriptors of its own at the first connection.
            let first = try connect()
            _ = LocalSocket.send(Array("GET / HTTP/1.1\r\n\r\n".utf8), to: first)
            while let part = LocalSocket.receive(first, upTo: 65_536), !part.isEmpty {}
            limitOpenFiles(to: 128)
            var taken: [Int32] = []
            while case let descriptor = Foundation.open("/dev/null", O_RDONLY), descriptor >= 0 {
                taken.append(descriptor)
            }
            // For the client: the app has none for the connection.
            close(taken.removeLast())
            let second = try connect()
            let before = clock()
            Platform.pause(milliseconds: 900)
            #expect(clock() - before < 100_000, "in microseconds")
            for descriptor in taken + [first, second] { close(descriptor) }
            try await journal.close()
        }
    }

    @Test func `of a name that the system cannot look up nothing is known, and its file is not called moved`() {
        let names = FileNames(path, FileIdentity(device: 0, inode: 0))
        #expect(names.look() == .moved, "it is missing")
        // Nothing can be below a file, and no name is as long as this one.
        let long = folder.path(String(repeating: "x", count: 300))
        #expect(FileNames(long, FileIdentity(device: 0, inode: 0)).look() == .unknown(ENAMETOOLONG))
    }

    // MARK: A full disk

    @Test func `a commit whose -shm cannot grow has an unknown outcome, because the WAL has it`() async throws {
        let journal = try openJournal(path) {
            $0.vfs = vfs.name
            $0.checkpointPages = .max
        }
        let stream = try await journal.openStream("a", machine: "m")
        vfs.fail(FAULT_SHM_MAP, count: -1, code: Extended.inputOutputSharedMemorySize, system: ENOSPC)
        // One part of the -shm lists 4,062 frames.
        var error: JournalError?
        for _ in 0..<4_062 where error == nil {
            error = await journalError { try await stream.append(String(repeating: "x", count: 10_000)) }
        }
        #expect(error?.code == .outcomeUnknown)
        #expect(error?.message.contains("No space left on device") == true)
    }

    @Test func `a quota that is used up is a full disk, and the journal continues when there is room`() async throws {
        let (_, stream) = try await open()
        vfs.fail(FAULT_WRITE, suffix: "-wal", code: Extended.inputOutputWrite, system: EDQUOT)
        #expect(await journalError { try await stream.append("never") }?.code == .diskFull)
        vfs.clear()
        #expect(try await stream.append("1").step == 1)
    }

    @Test func `a sync that finds the disk full stops the journal, because it lost what it should write`() async throws
    {
        let (_, stream) = try await open()
        vfs.fail(FAULT_SYNC, suffix: "-wal", code: Extended.inputOutputSync, system: ENOSPC)
        let error = await journalError { try await stream.append("undecided") }
        #expect(error?.code == .outcomeUnknown)
        #expect(error?.message.contains("No space left on device") == true)
    }

    @Test(.enabled(if: canMount, "mounting a small file system requires root, and CAP_SYS_ADMIN in a container"))
    func `an opening without room for the lock or the tables says that the disk is full`() async throws {
        let small = folder.path("small")
        try FileManager.default.createDirectory(atPath: small, withIntermediateDirectories: false)
        func shell(_ command: String) throws -> Int32 { try Child("/bin/sh", ["-c", command]).wait() }
        for room in [0, 4, 8, 40, 80] {
            #expect(try shell("mount -t tmpfs -o size=256k tmpfs '\(small)'") == 0)
            defer { _ = try? shell("umount '\(small)'") }
            _ = try shell("dd if=/dev/zero of='\(small)/filler' bs=1k count=\(256 - room) 2>/dev/null")
            let error = await journalError { try Journal(path: small + "/a.db") }
            #expect(error?.code == .diskFull, "\(room): \(error.map { "\($0)" } ?? "no error")")
            try FileManager.default.removeItem(atPath: small + "/filler")
            let notices = Box<[Notice]>([])
            _ = try openJournal(small + "/a.db") { $0.report = { notice in notices.change { $0.append(notice) } } }
            #expect(notices.value.isEmpty, "\(room)")
        }
    }

    // MARK: Numbers

    @Test(
        arguments: [
            (ENOSPC, .diskFull), (EDQUOT, .diskFull), (EIO, .inputOutput), (EACCES, .cannotOpen), (EROFS, .cannotOpen),
            (EMFILE, .tooManyFiles), (ENFILE, .tooManyFiles), (ENOENT, .cannotOpen), (ENODEV, .inputOutput),
        ] as [(Int32, JournalError.Code)])
    func `an error number of the system is never taken for a code of SQLite`(
        _ number: Int32, _ code: JournalError.Code
    ) {
        let cause = DatabaseError.system(number, during: "syncing")
        #expect(cause.system == number)
        let error = JournalError(cause, file: path, while: "copying")
        #expect(error.code == code)
        if code != .diskFull { #expect(error.message.contains(Platform.message(forError: number))) }
    }

    @Test func `a sidecar that cannot be read is not taken for a free one`() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let path = folder.path("a.db")
            #expect(try JournalHolder(of: path) == nil)
            let journal = try Journal(path: path)
            #expect(try JournalHolder(of: path) != nil)
            limitOpenFiles(to: 0)
            let error = #expect(throws: JournalError.self) { try JournalHolder(of: path) }
            #expect(error?.code == .tooManyFiles)
            #expect(error?.message.contains("a.db-lock") == true)
            limitOpenFiles(to: 128)
            try await journal.close()
        }
    }

    @Test(
        arguments: [
            (EIO, Extended.inputOutputSync), (ENOSPC, SQLITE_FULL), (EMFILE, SQLITE_CANTOPEN),
        ] as [(Int32, Int32)])
    func `a file that could not be synced could not be written`(_ number: Int32, _ code: Int32) {
        let error = DatabaseError.failedSync(number, during: "syncing")
        #expect(error.code == code)
        #expect(error.system == number)
        #expect(DatabaseError.failedWrites.contains(code) == (number == EIO))
    }
}

/// Limits how many files this process can have open.
private func limitOpenFiles(to count: rlim_t) {
    #if canImport(Glibc)
        let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
        let files = RLIMIT_NOFILE
    #endif
    var limit = rlimit()
    getrlimit(files, &limit)
    limit.rlim_cur = count
    setrlimit(files, &limit)
}
