import Foundation
import Testing

@testable import JournalStore

@Suite struct `Pure, the migrator` {
    static let first = Migration(number: 1, name: "0001_first", sql: "CREATE TABLE migration ()")
    static let second = Migration(number: 2, name: "0002_second", sql: "CREATE TABLE more (a)")
    static let migrator = Migrator(migrations: [first, second])
    static let ours = Migrator.applicationID
    static let edited = Digest(of: "another text")

    // MARK: The plan

    /// The schema state of a file, and the plan for it.
    struct Case: CustomTestStringConvertible {
        var testDescription: String
        var found: Migrator.SchemaState
        var plan: Result<[Migration], Migrator.Refusal>

        init(
            _ what: String, id: Int64 = ours, version: Int, isEmpty: Bool = false, applied: [Int: Digest] = [:],
            _ plan: Result<[Migration], Migrator.Refusal>
        ) {
            testDescription = what
            found = Migrator.SchemaState(applicationID: id, version: version, isEmpty: isEmpty, applied: applied)
            self.plan = plan
        }
    }

    static let cases: [Case] = [
        Case("a new file gets all migrations", id: 0, version: 0, isEmpty: true, .success([first, second])),
        Case("a journal without a table gets all of them", version: 0, isEmpty: true, .success([first, second])),
        Case(
            "a current journal gets none", version: 2, applied: [1: first.digest, 2: second.digest], .success([])),
        Case("an older journal gets the new ones", version: 1, applied: [1: first.digest], .success([second])),
        Case("another application's file", id: 1, version: 2, .failure(.foreign(applicationID: 1))),
        Case(
            "another application's empty file", id: 1, version: 0, isEmpty: true,
            .failure(.foreign(applicationID: 1))),
        Case("a database without an application ID", id: 0, version: 0, .failure(.foreign(applicationID: 0))),
        Case(
            "a database without an application ID, with records", id: 0, version: 2,
            applied: [1: first.digest, 2: second.digest], .failure(.foreign(applicationID: 0))),
        Case("another application's newer file", id: 1, version: 3, .failure(.foreign(applicationID: 1))),
        Case(
            "a newer journal", version: 3, applied: [1: first.digest, 2: second.digest, 3: edited],
            .failure(.newer(found: 3, known: 2))),
        Case("a journal with tables and the version 0", version: 0, .failure(.noVersion(found: 0))),
        Case("a journal with tables and a negative version", version: -1, .failure(.noVersion(found: -1))),
        Case("a newer journal without records", version: 3, .failure(.newer(found: 3, known: 2))),
        Case(
            "a journal made with an edited migration", version: 2, applied: [1: first.digest, 2: edited],
            .failure(.edited(name: "0002_second"))),
        Case(
            "an older journal made with an edited migration gets none", version: 1, applied: [1: edited],
            .failure(.edited(name: "0001_first"))),
        Case("a journal without records", version: 2, .failure(.missing(name: "0001_first"))),
        Case(
            "a journal that does not record the newest", version: 2, applied: [1: first.digest],
            .failure(.missing(name: "0002_second"))),
        Case(
            "a journal that does not record the oldest", version: 2, applied: [2: second.digest],
            .failure(.missing(name: "0001_first"))),
    ]

    @Test(arguments: cases) func `the plan follows from the schema state of the file`(_ test: Case) {
        let plan = Result { () throws(Migrator.Refusal) in try Self.migrator.plan(for: test.found, writing: true) }
        #expect(plan == test.plan)
    }

    @Test func `the application ID reads JSto`() {
        let letters = (0..<4).map { UInt8(truncatingIfNeeded: Migrator.applicationID >> (24 - $0 * 8)) }
        #expect(String(decoding: letters, as: UTF8.self) == "JSto")
    }

    // MARK: Applying migrations

    private func found(_ connection: Connection) throws -> Migrator.SchemaState {
        try Migrator().find(in: connection)
    }

    @Test func `a migration writes its record, its number and the application ID`() throws {
        let connection = try Connection(path: "", access: .memory)
        #expect(try found(connection) == Migrator.SchemaState(applicationID: 0, version: 0, isEmpty: true))
        let migrator = Migrator()
        try migrator.apply(migrator.migrations, to: connection, at: Timestamp(microseconds: 17))
        let after = try found(connection)
        #expect(
            after
                == Migrator.SchemaState(
                    applicationID: Migrator.applicationID, version: Migration.all.count, isEmpty: false,
                    applied: Dictionary(uniqueKeysWithValues: Migration.all.map { ($0.number, $0.digest) })))
        #expect(try migrator.plan(for: after, writing: true) == [])
        #expect(try connection.integer("SELECT DISTINCT applied FROM migration") == 17)
        #expect(try connection.text("SELECT name FROM migration WHERE number = 1") == "0001_journal")
    }

    @Test func `a migration that fails is rolled back`() throws {
        let connection = try Connection(path: "", access: .memory)
        try Migrator().apply(Migration.all, to: connection, at: Timestamp(microseconds: 0))
        let before = try found(connection)
        let sql = "CREATE TABLE half (a); INSERT INTO nowhere VALUES (1)"
        let broken = Migration(number: 99, name: "0099_broken", sql: sql)
        #expect(throws: DatabaseError.self) {
            try Migrator().apply([broken], to: connection, at: Timestamp(microseconds: 0))
        }
        #expect(try found(connection) == before)
        #expect(try connection.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'half'") == 0)
        #expect(!connection.isInTransaction)
    }

    // MARK: The files

    private static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("migrations")

    @Test(arguments: Migration.all.indices)
    func `an embedded migration is its file, byte for byte`(_ index: Int) throws {
        let migration = Migration.all[index]
        let file = try Data(contentsOf: Self.folder.appendingPathComponent(migration.name + ".sql"))
        #expect(Array(migration.sql.utf8) == Array(file))
        #expect(migration.digest == file.withUnsafeBytes { Digest(of: $0) })
        // Git could check it out with other line ends, and then the digest would be another one.
        #expect(!migration.sql.utf8.contains(UInt8(ascii: "\r")))
    }

    @Test func `every file of the folder is a migration, in the order of the names`() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
            .filter { $0.hasSuffix(".sql") }.sorted()
        #expect(Migration.all.map { $0.name + ".sql" } == files)
    }

    @Test func `migrations are numbered from 1, and their names begin with the number`() {
        #expect(Migration.all.map(\.number) == Array(1...Migration.all.count))
        for migration in Migration.all {
            #expect(migration.name.prefix { $0 != "_" } == String(String(10_000 + migration.number).dropFirst()))
        }
    }
}
