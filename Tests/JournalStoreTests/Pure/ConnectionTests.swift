import CJournalSQLite
import Foundation
import Testing
import TortureKit

@testable import JournalStore

@Suite struct `Pure, connections` {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    // MARK: Names

    @Test(arguments: [
        "plain.db", "a b.db", "a?b.db", "a?mode=memory.db", "a#b.db", "a%20b.db", "a%.db", "a%00b.db", "?", "#", "%",
        "a&vfs=unix-none.db", "größer 🛒.db", "a\\b.db", "a:b.db", "file:a.db", "-a.db", "'a'.db", "a\tb.db",
    ])
    func `a connection opens exactly the file that was named, whatever characters the name has`(_ name: String) throws {
        let path = folder.path(name)
        do {
            let connection = try Connection(path: path, access: .write)
            try connection.execute("CREATE TABLE one (number)")
            try connection.execute("INSERT INTO one VALUES (7)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [name])
        for access in [Connection.Access.read, .readAsGuest, .inspect, .write] {
            #expect(try Connection(path: path, access: access).integer("SELECT number FROM one") == 7)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [name])
    }

    @Test func `the version of the schema is 0 before the first migration, and read anew each time`() throws {
        let connection = try Connection(path: folder.path("a.db"), access: .write)
        let kept = try connection.prepare("PRAGMA user_version")
        for version in [0, 1, 99] {
            try connection.execute("PRAGMA user_version = \(version)")
            #expect(try connection.userVersion() == version)
            #expect(try connection.userVersion(kept) == version)
        }
    }

    // MARK: Access

    @Test(arguments: [Connection.Access.read, .readAsGuest, .inspect])
    func `a reading connection does not create a missing file`(_ access: Connection.Access) throws {
        let error = #expect(throws: DatabaseError.self) {
            try Connection(path: folder.path("missing"), access: access)
        }
        #expect(error?.primary == SQLITE_CANTOPEN)
        #expect(error?.during == "opening")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test(arguments: [Connection.Access.read, .readAsGuest, .inspect])
    func `a reading connection cannot write`(_ access: Connection.Access) throws {
        do { try Connection(path: folder.path("j.db"), access: .write).execute("CREATE TABLE one (number)") }
        let connection = try Connection(path: folder.path("j.db"), access: access)
        let error = #expect(throws: DatabaseError.self) { try connection.execute("INSERT INTO one VALUES (1)") }
        #expect(error?.primary == SQLITE_READONLY)
    }

    #if os(Linux)
        @Test func `readers and the writer do not lock each other in a program that shares SQLite's caches`() throws {
            // SQLite can be built without the function, and on macOS it is deprecated.
            guard let address = dlsym(nil, "sqlite3_enable_shared_cache") else { return }
            let shareCaches = unsafeBitCast(address, to: (@convention(c) (Int32) -> Int32).self)
            let path = folder.path("j.db")
            try Connection(path: path, access: .write).execute("PRAGMA journal_mode = WAL; CREATE TABLE one (number)")
            _ = shareCaches(1)
            defer { _ = shareCaches(0) }
            let writer = try Connection(path: path, access: .write)
            let reader = try Connection(path: path, access: .read)
            try writer.execute("BEGIN IMMEDIATE; INSERT INTO one VALUES (7)")
            #expect(try reader.integer("SELECT count(*) FROM one") == 0)
            try writer.execute("COMMIT")
        }
    #endif

    @Test func `a connection is configured against damaged and hostile files`() throws {
        let connection = try Connection(path: folder.path("j.db"), access: .write)
        #expect(try connection.integer("PRAGMA trusted_schema") == 0)
        #expect(try connection.integer("PRAGMA cell_size_check") == 1)
        #expect(try connection.integer("PRAGMA mmap_size") == 0)
        #expect(try connection.integer("PRAGMA wal_autocheckpoint") == 0)
        // Defensive: SQL cannot overwrite the schema.
        try connection.execute("PRAGMA writable_schema = ON")
        #expect(throws: DatabaseError.self) { try connection.execute("DELETE FROM sqlite_schema") }
    }

    @Test func `the WAL is checkpointed only on request`() throws {
        let path = folder.path("j.db")
        do {
            let connection = try Connection(path: path, access: .write)
            #expect(try connection.text("PRAGMA journal_mode = WAL") == "wal")
            #expect(connection.pagesInWAL == 0)
            try connection.execute("CREATE TABLE one (number)")
            #expect(connection.pagesInWAL == 2)
            #expect(try connection.checkpoint(.passive))
            #expect(connection.pagesInWAL == 0)
            try connection.execute("INSERT INTO one VALUES (1)")
            #expect(connection.pagesInWAL > 0)
        }
        // Closed without a checkpoint: the WAL stays, and only it contains the row.
        let inspected = try Connection(path: path, access: .inspect)
        #expect(try inspected.integer("SELECT count(*) FROM one") == 0)
        let connection = try Connection(path: path, access: .write)
        #expect(try connection.integer("SELECT count(*) FROM one") == 1)
        #expect(try connection.checkpoint(.truncate))
        #expect(try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int == 0)
    }

    // The system of the tests may ignore the difference between a sync and a full sync.
    @Test(arguments: [(.full, 2, 1), (.normal, 1, 0)] as [(Durability, Int64, Int64)])
    func `with full durability each commit asks for a full sync, and otherwise only a checkpoint does`(
        _ durability: Durability, _ synchronous: Int64, _ fullSync: Int64
    ) throws {
        let database = try JournalDatabase.openForWriting(folder.path("j.db"), vfs: nil, busyTimeout: .seconds(1))
        try database.prepareForWriting(
            Migration.all, durability: durability, at: Timestamp(microseconds: 0), inMemory: false)
        #expect(try database.connection.integer("PRAGMA synchronous") == synchronous)
        #expect(try database.connection.integer("PRAGMA fullfsync") == fullSync)
        #expect(try database.connection.integer("PRAGMA checkpoint_fullfsync") == 1)
    }

    // MARK: Transactions

    @Test func `a transaction that throws is rolled back`() throws {
        let connection = try Connection(path: "", access: .memory)
        try connection.execute("CREATE TABLE one (number INTEGER PRIMARY KEY)")
        let changed = try connection.transaction { () throws(DatabaseError) in
            try connection.execute("INSERT INTO one VALUES (1), (2)")
            #expect(connection.isInTransaction)
            return connection.rowsChanged
        }
        #expect(changed == 2)
        #expect(throws: DatabaseError.self) {
            try connection.transaction { () throws(DatabaseError) in
                try connection.execute("INSERT INTO one VALUES (3)")
                try connection.execute("INSERT INTO one VALUES (1)")
            }
        }
        #expect(!connection.isInTransaction)
        #expect(try connection.integer("SELECT max(number) FROM one") == 2)
    }

    @Test func `a transaction that SQLite itself rolled back throws the original error`() throws {
        let connection = try Connection(path: "", access: .memory)
        try connection.execute("CREATE TABLE one (number INTEGER PRIMARY KEY ON CONFLICT ROLLBACK)")
        let error = #expect(throws: DatabaseError.self) {
            try connection.transaction { () throws(DatabaseError) in
                try connection.execute("INSERT INTO one VALUES (1)")
                try connection.execute("INSERT INTO one VALUES (1)")
            }
        }
        #expect(error?.code == Extended.constraintPrimaryKey)
        #expect(!connection.isInTransaction)
    }

    @Test func `a second writer gets a busy error`() throws {
        let path = folder.path("j.db")
        let first = try Connection(path: path, access: .write)
        let second = try Connection(path: path, access: .write)
        second.setBusyTimeout(milliseconds: 0)
        try first.execute("BEGIN IMMEDIATE")
        let error = #expect(throws: DatabaseError.self) { try second.transaction { () throws(DatabaseError) in } }
        #expect(error?.isBusy == true)
        #expect(error?.during == "BEGIN IMMEDIATE")
    }

    // MARK: Closing

    #if os(Linux)
        // In its own process, where no other test makes SQLite allocate memory.
        @Test func `a connection leaves no descriptor or handle open, whether its opening fails or not`() async {
            await #expect(processExitsWith: .success) {
                let folder = try TemporaryFolder()
                try Data(repeating: 0x78, count: 1000).write(to: URL(fileURLWithPath: folder.path("text")))
                let attempts: [(path: String, access: Connection.Access, vfs: String?, works: Bool)] = [
                    (folder.path("missing"), .read, nil, false), (folder.path("missing"), .inspect, nil, false),
                    (folder.path("missing/j.db"), .write, nil, false), (folder.path, .write, nil, false),
                    (folder.path, .read, nil, false), (folder.path("text"), .read, nil, false),
                    (folder.path("text"), .write, nil, false),
                    (folder.path("j.db"), .write, "no such file system", false),
                    (folder.path("j.db"), .write, nil, true), (folder.path("j.db"), .read, nil, true),
                    ("", .memory, nil, true),
                ]
                for each in attempts {
                    // Opens once beforehand: SQLite keeps some memory after the first use.
                    #expect(opens(each.path, each.access, each.vfs) == each.works, "\(each)")
                    let memory = sqlite3_memory_used()
                    for _ in 0..<50 { _ = opens(each.path, each.access, each.vfs) }
                    #expect(try descriptors(in: folder) == [], "\(each)")
                    #expect(sqlite3_memory_used() == memory, "\(each)")
                }
            }
        }
    #endif
}

#if os(Linux)
    /// The files in a folder that this process has open.
    private func descriptors(in folder: TemporaryFolder) throws -> [String] {
        let all = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        let files = all.compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0)
        }
        return files.filter { $0.hasPrefix(folder.path) }
    }

    /// Opens, reads and closes; returns false if one of them fails.
    private func opens(_ path: String, _ access: Connection.Access, _ vfs: String?) -> Bool {
        do {
            let connection = try Connection(path: path, access: access, vfs: vfs)
            _ = try connection.integer("SELECT count(*) FROM sqlite_schema")
            return true
        } catch {
            return false
        }
    }
#endif
