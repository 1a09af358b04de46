import Foundation
import JournalStore
import Testing
import TortureKit

/// What is at the path before it is opened, and the error of the opening.
struct BadPath: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var code: JournalError.Code
    /// Words the message must have.
    var says: String
    var make: @Sendable (TemporaryFolder) throws -> String

    static let all = [
        BadPath(testDescription: "a text file", code: .notADatabase, says: "not an SQLite database") { folder in
            try Data(String(repeating: "no database\n", count: 500).utf8).write(
                to: URL(fileURLWithPath: folder.path("a.db")))
            return folder.path("a.db")
        },
        BadPath(testDescription: "another application's database", code: .notAJournal, says: "(application_id 77)") {
            let path = $0.path("a.db")
            try Shell(path)("PRAGMA application_id = 77; CREATE TABLE t (x); INSERT INTO t VALUES (1)")
            return path
        },
        BadPath(testDescription: "a database without an ID", code: .notAJournal, says: "but not a journal") {
            let path = $0.path("a.db")
            try Shell(path)("CREATE TABLE t (x)")
            return path
        },
        BadPath(testDescription: "a newer schema", code: .newerSchema, says: "version 99") {
            let path = $0.path("a.db")
            _ = try Journal(path: path)
            try Shell(path)("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA user_version = 99")
            return path
        },
        BadPath(testDescription: "an edited migration", code: .schemaMismatch, says: "0001_journal") {
            let path = $0.path("a.db")
            _ = try Journal(path: path)
            try Shell(path).change("UPDATE migration SET digest = zeroblob(16)")
            return path
        },
        BadPath(testDescription: "a missing migration", code: .schemaMismatch, says: "does not record") {
            let path = $0.path("a.db")
            _ = try Journal(path: path)
            try Shell(path)("DELETE FROM migration")
            return path
        },
        BadPath(testDescription: "a folder", code: .cannotOpen, says: "folder") { $0.path },
        BadPath(testDescription: "a folder that is missing", code: .cannotOpen, says: "No such file") {
            $0.path("none/a.db")
        },
        BadPath(testDescription: "a device", code: .cannotOpen, says: "not a regular file") { _ in "/dev/null" },
        BadPath(testDescription: "the name SQLite gives memory", code: .badArgument, says: "not a file path") { _ in
            ":memory:"
        },
        BadPath(testDescription: "an empty path", code: .badArgument, says: "not a file path") { _ in "" },
    ]
}

@Suite struct `Opening a journal` {
    let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    @Test func `a path that is too long is named as the reason, also that of a copy`() async throws {
        let long = folder.path(String(repeating: "x", count: 248))
        let error = await journalError { try Journal(path: long) }
        #expect(error?.code == .cannotOpen)
        #expect(error?.file == long)
        #expect(error?.message.hasPrefix("The path is too long: ") == true)
        #expect(error?.advice.hasSuffix("with a name of at most 239.") == true)
        let journal = try Journal(path: folder.path("a.db"))
        let copy = folder.path(String(repeating: "y", count: 231))
        let refused = await journalError { try await journal.backup(to: copy) }
        #expect(refused?.code == .cannotOpen)
        #expect(refused?.file == copy)
        #expect(refused?.advice.hasSuffix("with a name of at most 230.") == true)
        try await journal.backup(to: folder.path(String(repeating: "y", count: 230)))
    }

    @Test(arguments: BadPath.all) func `an opening refuses a file that is not a journal and leaves it unchanged`(
        _ bad: BadPath
    ) async throws {
        let path = try bad.make(folder)
        let before = try? bytes(path)
        let error = await journalError { try Journal(path: path) }
        #expect(error?.code == bad.code)
        #expect(error?.description.contains(bad.says) == true, "\(error?.description ?? "no error")")
        #expect(error?.advice.isEmpty == false)
        #expect((try? bytes(path)) == before)

        let reading = await journalError { try JournalReader(path: path) }
        #expect(reading?.code == bad.code)
        #expect((try? bytes(path)) == before)
    }

    @Test(arguments: ["-wal", "-shm", "-journal", "-lock", "-socket", "-damaged", "-salvage", "-partial", "-draft"])
    func `a name that a journal gives to a file beside it is refused for writing`(_ end: String) async throws {
        let path = folder.path("a.db\(end)")
        // Alone it is a name like any other.
        let other = try TemporaryFolder()
        try await Journal(path: other.path("a.db\(end)")).close()
        try Data().write(to: URL(fileURLWithPath: folder.path("a.db")))
        for exists in [false, true] {
            if exists { try Data().write(to: URL(fileURLWithPath: path)) }
            let error = await journalError { try Journal(path: path) }
            #expect(error?.code == .badArgument)
            #expect(error?.message == "Names that end with '\(end)' are reserved for the files beside a journal.")
            let copy = await journalError { try await Journal.inMemory().backup(to: path) }
            #expect(copy?.message == error?.message)
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(files.sorted() == ["a.db", "a.db\(end)"])
        #expect(try bytes(path).isEmpty)
    }

    @Test(arguments: ["-shm", "-journal"])
    func `no journal is made beside one that has the name of its -shm or its -journal`(_ end: String) async throws {
        let path = folder.path("a.db")
        let other = try Journal(path: path + end)
        try await other.openStream("a", machine: "m").append("1")
        try await other.close()
        let error = await journalError { try Journal(path: path) }
        #expect(error?.code == .badArgument)
        #expect(error?.message == "\(path)\(end) is a database, and a journal with this name would overwrite it.")
        #expect(!FileManager.default.fileExists(atPath: path))
        let again = try Journal(path: path + end)
        #expect(try again.reader.entries(in: "a").map(\.action) == ["1"])
        try await again.close()
    }

    @Test func `a reserved name is recognized also if its hyphen joins the character before it`() async throws {
        let path = folder.path("a\u{600}")
        try await Journal(path: path).close()
        let copy = await journalError { try await Journal.inMemory().backup(to: path + "-journal") }
        #expect(copy?.message == "Names that end with '-journal' are reserved for the files beside a journal.")
        let reading = await journalError { try JournalReader(path: path + "-lock") }
        #expect(reading?.message == "This is a file beside a journal: its name ends with '-lock'.")
    }

    @Test func `a foreign file gets no lock, no WAL and no -shm beside it`() async throws {
        let path = folder.path("a.db")
        try Shell(path)("CREATE TABLE t (x)")
        _ = await journalError { try Journal(path: path) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a.db"])
    }

    @Test(arguments: ["file", "folder"])
    func `a path that leads to a name that is not UTF-8 is refused, and nothing is made under another name`(
        _ kind: String
    ) async throws {
        let odd = Array(folder.path("caf").utf8CString.dropLast()) + [CChar(truncatingIfNeeded: 0xE9), 0]
        // Some file systems have no such folder.
        guard kind == "file" || mkdir(odd, 0o755) == 0 else { return }
        #expect(symlink(odd, folder.path("link")) == 0)
        let path = folder.path(kind == "file" ? "link" : "link/a.db")
        for error in [
            await journalError { try Journal(path: path) }, await journalError { try JournalReader(path: path) },
        ] {
            #expect(error?.code == .cannotOpen)
            #expect(error?.message == "The path leads to a name that is not UTF-8.")
            #expect(error?.file == path)
        }
        if kind == "folder" { #expect(rmdir(odd) == 0) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["link"])
    }

    @Test func `a missing file is created for writing, never for reading`() async throws {
        let path = folder.path("a.db")
        #expect(await journalError { try JournalReader(path: path) }?.code == .cannotOpen)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        _ = try Journal(path: path)
        _ = try JournalReader(path: path)
    }

    @Test func `an empty file becomes a journal`() async throws {
        let path = folder.path("a.db")
        try Data().write(to: URL(fileURLWithPath: path))
        #expect(await journalError { try JournalReader(path: path) }?.code == .notAJournal)
        let journal = try Journal(path: path)
        #expect(try await journal.verify().isSound)
    }

    @Test func `the file has the application ID, the schema version and the migrations`() throws {
        let path = folder.path("a.db")
        _ = try Journal(path: path)
        let shell = try Shell(path, readOnly: true)
        #expect(try shell("PRAGMA application_id") == ["\(0x4A53_746F)"])
        #expect(try shell("PRAGMA user_version") == ["1"])
        #expect(try shell("PRAGMA journal_mode") == ["wal"])
        #expect(try shell("SELECT number, name FROM migration") == ["1|0001_journal"])
        #expect(try shell("SELECT number, library FROM openings") == ["1|\(LibraryVersion.text)"])
    }

    @Test func `a file name can contain characters that have a meaning in a URI`() async throws {
        for name in ["a b.db", "a?b.db", "a#b.db", "a%41.db", "ü.db"] {
            let journal = try Journal(path: folder.path(name))
            let stream = try await journal.openStream("a", machine: "m")
            try await stream.append("1")
            #expect(try JournalReader(path: folder.path(name)).entries(in: "a").count == 1)
        }
        #expect(FileManager.default.fileExists(atPath: folder.path("a?b.db")))
    }

    @Test func `an open stream cannot be opened again until it is closed`() async throws {
        let journal = try Journal.inMemory()
        let stream = try await journal.openStream("a", machine: "m")
        #expect(await journalError { try await journal.openStream("a", machine: "m") }?.code == .streamOpen)
        try await stream.close()
        #expect(await journalError { try await stream.append("1") }?.code == .closed)
        let again = try await journal.openStream("a", machine: "m")
        #expect(try await again.append("1").step == 1)
    }

    @Test func `a stream that was released can be opened again`() async throws {
        let journal = try Journal.inMemory()
        for _ in 0..<3 { try await journal.openStream("a", machine: "m").append("1") }
        #expect(try journal.reader.stream("a").headStep == 3)
    }

    @Test func `a stream belongs to one machine forever`() async throws {
        let journal = try Journal.inMemory()
        try await journal.openStream("a", machine: "cart").close()
        let error = await journalError { try await journal.openStream("a", machine: "order") }
        #expect(error?.code == .otherMachine)
        #expect(error?.message == "The stream belongs to the machine 'cart', not to 'order'.")
    }

    @Test(arguments: [("", "m"), ("a", "")])
    func `empty names are refused`(stream: String, machine: String) async throws {
        let journal = try Journal.inMemory()
        #expect(await journalError { try await journal.openStream(stream, machine: machine) }?.code == .badArgument)
        #expect(try journal.reader.streams().isEmpty)
    }

    @Test func `after close every call throws, and the lock is free`() async throws {
        let path = folder.path("a.db")
        let journal = try Journal(path: path)
        let stream = try await journal.openStream("a", machine: "m")
        try await stream.append("1")
        try await journal.close()
        #expect(await journalError { try await stream.append("2") }?.code == .closed)
        #expect(await journalError { try await journal.openStream("b", machine: "m") }?.code == .closed)
        #expect(await journalError { try await stream.close() }?.code == .closed)
        try await journal.close()
        // Everything is in the file itself.
        #expect((try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int) == 0)
        #expect(FileManager.default.fileExists(atPath: path + "-shm"))
        _ = try Journal(path: path)
    }

    @Test func `close commits every append that it does not refuse`() async throws {
        let path = folder.path("a.db")
        let journal = try openJournal(path) { $0.execution = .ownThread }
        let stream = try await journal.openStream("a", machine: "m")
        let handedIn = (1...50).map { number in Task { try await stream.append("\(number)") } }
        var committed = 0
        try await journal.close()
        for task in handedIn {
            do {
                _ = try await task.value
                committed += 1
            } catch let error as JournalError {
                #expect(error.code == .closed)
            }
        }
        #expect(try JournalReader(path: path).stream("a").headStep == committed)
    }
}
