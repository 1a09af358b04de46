import JournalStore
import Testing
import TortureKit

/// Files whose schema was changed to harm whoever opens them.
@Suite struct `Hostile schemas` {
    let folder: TemporaryFolder
    let path: String
    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("a.db")
    }

    struct Plant: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var sql: String
        /// Whether readers refuse the file too, and do not only report it.
        var concernsReaders: Bool

        private static let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"

        static let all = [
            Plant(
                testDescription: "a trigger",
                sql: "CREATE TRIGGER t AFTER INSERT ON entry BEGIN DELETE FROM effect_run; END", concernsReaders: false),
            Plant(
                testDescription: "a view", sql: "CREATE VIEW v AS \(endless) SELECT * FROM n", concernsReaders: false),
            Plant(
                testDescription: "a trigger with almost the name of a table of ANALYZE",
                sql: "CREATE TRIGGER sqliteXstat1 AFTER INSERT ON entry BEGIN DELETE FROM effect_run; END",
                concernsReaders: false),
            Plant(
                testDescription: "a view with almost the name of a table of ANALYZE",
                sql: "CREATE VIEW \"sqlite-stat1\" AS \(endless) SELECT * FROM n", concernsReaders: false),
            Plant(
                testDescription: "another text of a view", sql: "DROP VIEW journal; CREATE VIEW journal AS SELECT 1",
                concernsReaders: false),
            Plant(
                testDescription: "an endless view in place of a table",
                sql: "ALTER TABLE writer RENAME TO w; CREATE VIEW writer AS \(endless) SELECT i AS id FROM n",
                concernsReaders: true),
            Plant(
                testDescription: "an endless view in place of the list of migrations",
                sql: """
                    ALTER TABLE migration RENAME TO m;
                    CREATE VIEW migration AS \(endless) SELECT 1 AS number, x'' AS digest FROM n
                    """, concernsReaders: true),
            Plant(
                testDescription: "a column that is computed",
                sql: "ALTER TABLE entry ADD COLUMN more TEXT AS (hex(zeroblob(1000000)))", concernsReaders: true),
            Plant(
                testDescription: "an index of others that is unique", sql: "CREATE UNIQUE INDEX mine ON entry (digest)",
                concernsReaders: false),
            Plant(
                testDescription: "an index of others with an expression",
                sql: "CREATE INDEX mine ON entry (step + 1)", concernsReaders: false),
            Plant(
                testDescription: "an index of others with a condition",
                sql: "CREATE INDEX mine ON entry (step) WHERE step > 1", concernsReaders: false),
            Plant(
                testDescription: "a trigger whose row says so in another case",
                sql: """
                    CREATE TRIGGER t BEFORE INSERT ON entry BEGIN SELECT RAISE(IGNORE); END;
                    PRAGMA writable_schema = ON; UPDATE sqlite_schema SET type = 'Trigger' WHERE name = 't'
                    """, concernsReaders: false),
            Plant(
                testDescription: "a unique index whose row names the table in another case",
                sql: """
                    CREATE UNIQUE INDEX mine ON entry (digest);
                    PRAGMA writable_schema = ON; UPDATE sqlite_schema SET tbl_name = 'ENTRY' WHERE name = 'mine'
                    """, concernsReaders: false),
            Plant(
                testDescription: "a view whose row says so in another case",
                sql: """
                    CREATE VIEW v AS SELECT 1;
                    PRAGMA writable_schema = ON; UPDATE sqlite_schema SET type = 'VIEW' WHERE name = 'v'
                    """, concernsReaders: false),
            Plant(
                testDescription: "a table that hides a function of SQLite",
                sql: "CREATE TABLE Pragma_Table_Info (name)",
                concernsReaders: true),
            Plant(
                testDescription: "a table that hides a function of JSON", sql: "CREATE TABLE json_each (value)",
                concernsReaders: true),
            Plant(
                testDescription: "a virtual table that hides a unique index",
                sql: """
                    CREATE UNIQUE INDEX mine ON entry (stream, action);
                    CREATE VIRTUAL TABLE pragma_index_list USING fts5 (seq, name, "unique", origin, partial)
                    """, concernsReaders: true),
            Plant(testDescription: "a missing index", sql: "DROP INDEX entry_by_step", concernsReaders: true),
            Plant(
                testDescription: "the name of a table as a BLOB, after one damaged bit",
                sql: """
                    PRAGMA writable_schema = ON;
                    UPDATE sqlite_schema SET name = CAST(name AS BLOB) WHERE name = 'effect_run'
                    """, concernsReaders: true),
        ]
    }

    @Test(arguments: Plant.all) func `an opening refuses what could run with its statements`(_ plant: Plant)
        async throws
    {
        let journal = try Journal(path: path)
        try await journal.openStream("a", machine: "m").append("1")
        try await journal.close()
        try Shell(path)(plant.sql)
        let before = try bytes(path)
        let error = await journalError { try Journal(path: path) }
        #expect(error?.code == .schemaMismatch)
        #expect(error?.file == path)
        #expect(error?.message.hasPrefix("The schema is not that of a journal: the ") == true)
        #expect(try bytes(path) == before)
        if plant.concernsReaders {
            #expect(await journalError { try JournalReader(path: path) }?.code == .schemaMismatch)
        } else {
            let reader = try JournalReader(path: path)
            #expect(try !reader.verify().isSound)
            #expect(try reader.entries(in: "a").count == 1)
        }
    }

    @Test(arguments: [0, -1])
    func `a journal that has tables and no version is refused by readers and writers`(_ version: Int) async throws {
        let journal = try Journal(path: path)
        try await journal.openStream("a", machine: "m").append("1")
        try await journal.close()
        try Shell(path)("PRAGMA user_version = \(version)")
        let before = try bytes(path)
        let errors = [
            await journalError { try Journal(path: path) }, await journalError { try JournalReader(path: path) },
        ]
        for error in errors {
            #expect(error?.code == .schemaMismatch)
            #expect(error?.message.contains("its user_version is \(version)") == true)
            #expect(error?.advice.contains("restore a backup") == true)
            #expect(error?.file == path)
        }
        #expect(try bytes(path) == before)
    }

    @Test(arguments: ["UNIQUE INDEX \"mine\" ON entry (digest)", "INDEX mine ON entry (json_extract(action, '$.x'))"])
    func `an index of others that could refuse a row is named, with the statement that removes it`(
        _ index: String
    ) async throws {
        let journal = try Journal(path: path)
        try await journal.openStream("a", machine: "m").append("1")
        try await journal.close()
        try Shell(path)("CREATE \(index)")
        let error = await journalError { try Journal(path: path) }
        #expect(error?.code == .schemaMismatch)
        #expect(error?.description.contains("`DROP INDEX \"mine\"`") == true, "\(error?.description ?? "opened")")
        #expect(error?.advice.contains("restore a backup") == false)
        // Depending on SQLite's version a reader cannot read the schema either, and gets the same advice.
        var problems: [String] = []
        do throws(JournalError) {
            problems = try JournalReader(path: path).verify().problems.map(\.message)
        } catch {
            problems = [error.description]
        }
        #expect(problems.contains { $0.contains("`DROP INDEX \"mine\"`") }, "\(problems)")
        try Shell(path)("DROP INDEX mine")
        #expect(try await Journal(path: path).verify().isSound)
    }

    @Test func `an index of plain columns that is not unique is allowed`() async throws {
        let journal = try Journal(path: path)
        try await journal.openStream("a", machine: "m").append("1")
        try await journal.close()
        try Shell(path)("CREATE INDEX mine ON entry (time, action COLLATE NOCASE DESC)")
        let again = try Journal(path: path)
        try await again.openStream("a", machine: "m").append("2")
        #expect(try await again.verify().isSound)
    }

    @Test func `tables and indexes of others are let be`() async throws {
        let journal = try Journal(path: path)
        try await journal.openStream("a", machine: "m").append("1")
        try await journal.close()
        try Shell(path)("CREATE TABLE mine (x); CREATE INDEX mine_by_x ON mine (x); ANALYZE")
        let again = try Journal(path: path)
        try await again.openStream("a", machine: "m").append("2")
        try await again.close()
        #expect(try JournalReader(path: path).entries(in: "a").count == 2)
    }

    @Test(arguments: ["CHECK (json_valid(a))", "AS (json_extract('{}', '$.x'))"])
    func `a table of others that calls functions is named, with the statement that removes it`(
        _ column: String
    ) async throws {
        let journal = try Journal(path: path)
        try await journal.openStream("a", machine: "m").append("1")
        try await journal.close()
        try Shell(path)("CREATE TABLE mine (b, a \(column))")
        let error = await journalError { try Journal(path: path) }
        #expect(error?.code == .schemaMismatch)
        #expect(error?.advice.contains("`DROP TABLE \"mine\"` if it is a table") == true)
        let copy = folder.path("copy.db")
        let failed = await journalError { try await JournalReader(path: path).backup(to: copy) }
        #expect(failed?.code == .schemaMismatch)
        #expect(failed?.file == path)
        try Shell(path)("DROP TABLE mine")
        #expect(try await Journal(path: path).verify().isSound)
    }

    @Test func `an opening forgets what ANALYZE recorded about a young journal, but not about tables of others`()
        async throws
    {
        let journal = try Journal(path: path)
        try await journal.openStream("a", machine: "m").append("1")
        try await journal.close()
        try Shell(path)("CREATE TABLE mine (x); INSERT INTO mine VALUES (1); ANALYZE")
        #expect(try Shell(path)("SELECT DISTINCT tbl FROM sqlite_stat1 WHERE tbl = 'entry'") == ["entry"])
        try await Journal(path: path).close()
        #expect(try Shell(path)("SELECT tbl FROM sqlite_stat1") == ["mine"])
    }

    @Test func `a journal opens although a page of the statistics of ANALYZE is damaged`() async throws {
        let journal = try Journal(path: path)
        try await journal.openStream("a", machine: "m").append("1")
        try await journal.close()
        try Shell(path)("ANALYZE; PRAGMA wal_checkpoint(TRUNCATE)")
        let rows = try Shell(path)("SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_stat1'")
        let page = try #require(rows.first.flatMap { Int($0) })
        try damage(path, at: (page - 1) * 4_096) { $0 = 0xFF }
        let again = try Journal(path: path)
        #expect(try again.reader.entries(in: "a").count == 1)
        try await again.close()
    }

    @Test(arguments: ["UTF-16le", "UTF-16be"])
    func `an empty file of another encoding does not become a journal`(_ encoding: String) async throws {
        try Shell(path)("PRAGMA encoding = '\(encoding)'; CREATE TABLE t (a); DROP TABLE t")
        let before = try bytes(path)
        let error = await journalError { try Journal(path: path) }
        #expect(error?.code == .schemaMismatch)
        #expect(error?.message.contains(encoding) == true)
        #expect(error?.file == path)
        #expect(try bytes(path) == before)
    }
}
