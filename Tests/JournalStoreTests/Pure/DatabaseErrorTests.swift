import CJournalSQLite
import Foundation
import Testing
import TortureKit

@testable import JournalStore

@Suite struct `Pure, database errors` {
    /// The error that running the SQL throws.
    private func error(_ sql: String) throws -> DatabaseError {
        let connection = try Connection(path: "", access: .memory)
        try connection.execute(
            """
            CREATE TABLE one (number INTEGER PRIMARY KEY, word TEXT NOT NULL CHECK (word <> ''), other TEXT UNIQUE) STRICT;
            INSERT INTO one VALUES (1, 'a', 'x');
            """)
        return try #require(throws: DatabaseError.self) { try connection.execute(sql) }
    }

    // MARK: Errors of SQLite

    @Test(
        arguments: [
            (
                "INSERT INTO one VALUES (1, 'b', 'y')", Extended.constraintPrimaryKey,
                "UNIQUE constraint failed: one.number"
            ),
            ("INSERT INTO one VALUES (2, 'b', 'x')", Extended.constraintUnique, "UNIQUE constraint failed: one.other"),
            (
                "INSERT INTO one VALUES (2, NULL, 'y')", Extended.constraintNotNull,
                "NOT NULL constraint failed: one.word"
            ),
            ("INSERT INTO one VALUES (2, '', 'y')", Extended.constraintCheck, "CHECK constraint failed: word <> ''"),
            (
                "INSERT INTO one VALUES (2, x'00', 'y')", Extended.constraintType,
                "cannot store BLOB value in TEXT column one.word"
            ),
        ] as [(String, Int32, String)])
    func `a failed constraint has an extended code and a message that names it`(
        _ sql: String, _ code: Int32, _ message: String
    ) throws {
        let error = try error(sql)
        #expect(error == DatabaseError(code: code, message: message, during: sql))
        #expect(error.primary == SQLITE_CONSTRAINT)
        #expect(error.concernsOneItem)
    }

    @Test func `an error in the SQL quotes its first line`() throws {
        let error = try error("SELECT a\nFROM nowhere")
        #expect(error == DatabaseError(code: SQLITE_ERROR, message: "no such table: nowhere", during: "SELECT a"))
        #expect(!error.concernsOneItem)
    }

    @Test func `a statement's error contains its SQL and no bound value`() throws {
        let connection = try Connection(path: "", access: .memory)
        try connection.execute("CREATE TABLE one (word TEXT UNIQUE)")
        let insert = try connection.prepare("INSERT INTO one VALUES (?)")
        insert.bind(1, "secret")
        try insert.run()
        insert.bind(1, "secret")
        let error = try #require(throws: DatabaseError.self) { try insert.run() }
        #expect(error.during == "INSERT INTO one VALUES (?)")
        #expect(!"\(error)".contains("secret"))
    }

    // MARK: Matching

    @Test(
        arguments: [
            (SQLITE_CONSTRAINT, Extended.constraintUnique, true),
            (Extended.constraintUnique, Extended.constraintUnique, true),
            (Extended.constraintCheck, Extended.constraintUnique, false),
            (SQLITE_IOERR, Extended.constraintUnique, false),
            (SQLITE_IOERR, Extended.inputOutputSync, true), (Extended.inputOutputSync, Extended.inputOutputSync, true),
            (Extended.inputOutputRead, Extended.inputOutputSync, false), (SQLITE_FULL, SQLITE_FULL, true),
            (Extended.inputOutputSync, SQLITE_IOERR, false),
        ] as [(Int32, Int32, Bool)])
    func `a primary code matches all its extended codes, an extended code only itself`(
        _ pattern: Int32, _ code: Int32, _ matches: Bool
    ) {
        let error = DatabaseError(code: code, message: "", during: "")
        #expect((pattern ~= error) == matches)
        switch error {
        case pattern: #expect(matches)
        default: #expect(!matches)
        }
    }

    @Test(
        arguments: [
            (Extended.constraintUnique, "one item"), (SQLITE_TOOBIG, "one item"), (SQLITE_MISMATCH, "one item"),
            (SQLITE_RANGE, "one item"), (Extended.inputOutputSync, "I/O"), (SQLITE_IOERR, "I/O"), (SQLITE_FULL, "full"),
            (SQLITE_BUSY, "busy"), (Extended.busySnapshot, "busy"), (Extended.lockedSharedCache, "busy"),
            (SQLITE_CORRUPT, "torn"), (Extended.corruptIndex, "torn"), (SQLITE_NOTADB, ""), (SQLITE_CANTOPEN, ""),
            (SQLITE_NOMEM, ""), (SQLITE_ERROR, ""), (SQLITE_READONLY, ""), (DatabaseError.newerSchemaCode, ""),
        ] as [(Int32, String)])
    func `a code is of one kind or of none`(_ code: Int32, _ kind: String) {
        let error = DatabaseError(code: code, message: "", during: "")
        let kinds = [
            ("one item", error.concernsOneItem), ("I/O", error.isInputOutput), ("full", error.isFull),
            ("busy", error.isBusy), ("torn", error.isTornFile),
        ]
        #expect(kinds.filter(\.1).map(\.0) == (kind.isEmpty ? [] : [kind]))
    }

    /// SQLITE_IOERR, SQLITE_IOERR_SHMMAP and, last, SQLITE_IOERR_FSYNC.
    @Test(arguments: [(SQLITE_IOERR, true), (SQLITE_IOERR | 21 << 8, true), (Extended.inputOutputSync, false)])
    func `too little memory is not taken for a broken disk, unless a sync finds it`(_ code: Int32, isMemory: Bool) {
        let error = DatabaseError(code: code, message: "what it said", during: "", system: ENOMEM)
        #expect(error.isOutOfMemory == isMemory && error.isInputOutput == !isMemory)
        let told = JournalError(error, file: nil, while: "writing")
        #expect(told.message.contains("too little memory") == isMemory)
        #expect(told.leavesJournalOpen == isMemory)
    }

    @Test(
        arguments: [
            ("malformed database schema (mine) - unsafe use of json_extract()", "mine"),
            ("malformed database schema (a ) - b) - unsafe use of f()", "a ) - b"),
            ("malformed database schema (entry) - invalid rootpage", nil), ("database disk image is malformed", nil),
        ] as [(String, String?)])
    func `what calls a function that may not run is named by the error of the schema`(
        _ message: String, _ name: String?
    ) {
        let cause = DatabaseError(code: SQLITE_CORRUPT, message: message, during: "")
        #expect(cause.untrustedItem == name)
        let error = JournalError(cause, file: "/j.db", while: "reading the schema")
        #expect(error.code == (name == nil ? .corrupt : .schemaMismatch))
        #expect(error.advice.contains("restore a backup") == (name == nil))
    }

    @Test func `damage is perhaps that of a backup beside an older WAL`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.db")
        func advice(_ code: Int32) -> String {
            JournalError(DatabaseError(code: code, message: "", during: ""), file: path, while: "reading").advice
        }
        #expect(!advice(SQLITE_CORRUPT).contains("-wal"))
        try Data("frames".utf8).write(to: URL(fileURLWithPath: path + "-wal"))
        #expect(advice(SQLITE_CORRUPT).contains("If a backup was put here, \(path)-wal"))
        #expect(!advice(SQLITE_NOTADB).contains("-wal"))
    }

    @Test(arguments: [Extended.constraintPrimaryKey, Extended.constraintUnique])
    func `a row that takes the place of another one is no fault of its value`(_ code: Int32) {
        func advice(_ code: Int32) -> String {
            JournalError(DatabaseError(code: code, message: "", during: ""), file: "/j.db", while: "writing").advice
        }
        #expect(advice(code).contains("Something else has written a row in its place"))
        #expect(advice(Extended.constraintCheck) == "Nothing was written. Make the value smaller, or correct it.")
    }

    @Test func `an unknown function in an index is no fault of the disk`() {
        let cause = DatabaseError(code: SQLITE_ERROR, message: "unknown function: sha3()", during: "")
        let error = JournalError(cause, file: "/j.db", while: "copying")
        #expect(error.code == .schemaMismatch)
        #expect(error.advice.contains("tables and indexes of your own may not call functions"))
    }

    // MARK: As a journal error

    @Test(
        arguments: [
            ([SQLITE_NOTADB], .notADatabase, "This is not an SQLite database (what it said)."),
            ([Extended.corruptIndex], .corrupt, "The database is damaged, found while pruning (what it said)."),
            ([SQLITE_FULL], .diskFull, "The disk is full, found while pruning. Nothing was written."),
            ([Extended.inputOutputSync], .inputOutput, "The disk failed while pruning (what it said)."),
            (
                [DatabaseError.shortRead], .inputOutput,
                "A file of the journal is shorter than its other files say, found while pruning."
            ),
            (
                [Extended.busyRecovery, SQLITE_LOCKED], .busy,
                "Another connection held the database for too long while pruning."
            ),
            (
                [Extended.cannotOpenFolder, SQLITE_PERM, SQLITE_AUTH], .cannotOpen,
                "The file, its -wal or its -shm is missing or cannot be accessed (what it said)."
            ),
            ([Extended.readOnlyFolder], .cannotOpen, "The file may not be written (what it said)."),
            (
                [DatabaseError.readOnlyRollback], .cannotOpen,
                "A process ended while it changed the file: its -journal must be applied first."
            ),
            (
                [Extended.constraintUnique, SQLITE_TOOBIG, SQLITE_MISMATCH, SQLITE_RANGE], .notStorable,
                "This cannot be stored: what it said (while pruning)."
            ),
            ([SQLITE_NOMEM], .inputOutput, "There is too little memory, found while pruning (what it said)."),
            (
                [DatabaseError.newerSchemaCode], .newerSchema,
                "A newer version of the library wrote this journal: what it said."
            ),
        ] as [([Int32], JournalError.Code, String)])
    func `a journal error has its own code and keeps the location and SQLite's code`(
        _ underlying: [Int32], _ code: JournalError.Code, _ message: String
    ) {
        for underlying in underlying { check(underlying, code, message) }
    }

    private func check(_ underlying: Int32, _ code: JournalError.Code, _ message: String) {
        let cause = DatabaseError(code: underlying, message: "what it said", during: "INSERT")
        let error = JournalError(cause, file: "/j.db", stream: "s", step: 3, while: "pruning")
        #expect(error.code == code)
        #expect(error.underlying == underlying)
        #expect([error.file, error.stream] == ["/j.db", "s"])
        #expect(error.step == 3)
        #expect(error.message == message)
        #expect(error.advice.hasSuffix("."))
    }
}
