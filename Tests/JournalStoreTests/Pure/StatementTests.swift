import CJournalSQLite
import Testing
import TortureKit

@testable import JournalStore

@Suite struct `Pure, statements` {
    let connection: Connection

    init() throws {
        connection = try Connection(path: "", access: .memory)
        try connection.execute("CREATE TABLE item (number INTEGER PRIMARY KEY, value)")
    }

    private func echo<Value>(
        _ bind: (Statement) -> Void, _ read: (Row) throws(DatabaseError) -> Value?
    ) throws -> Value? {
        let statement = try connection.prepare("SELECT ?1, typeof(?1), length(CAST(?1 AS BLOB)), ?1 IS NULL")
        bind(statement)
        return try statement.first(read)
    }

    // MARK: Values

    @Test(arguments: [
        Named("empty", ""), Named("plain", "a"), Named("a NUL inside", "a\0b"), Named("a NUL at the end", "a\0"),
        Named("a NUL alone", "\0"), Named("Unicode", "größer 🛒 e\u{301}"), Named("quotes", "'; DROP TABLE item; --"),
        Named("a million letters", String(repeating: "0123456789", count: 100_000)),
        Named("a NUL after 70,000 letters", String(repeating: "x", count: 70_000) + "\0y"),
    ])
    func `text is read back byte for byte`(_ text: Named<String>) throws {
        let row = try #require(
            try echo {
                $0.bind(1, text.value)
            } _: {
                ($0.text(0), $0.text(1), $0.integer(2))
            })
        #expect(row.0.utf8.elementsEqual(text.value.utf8))
        #expect(row.1 == "text")
        #expect(row.2 == Int64(text.value.utf8.count))
    }

    @Test func `empty text is not NULL`() throws {
        #expect(
            try echo {
                $0.bind(1, "")
            } _: {
                $0.isNull(0)
            } == false)
        #expect(
            try echo {
                $0.bind(1, "")
            } _: {
                $0.optionalText(0)
            } == "")
        #expect(
            try echo {
                $0.bind(1, String("x".dropLast()))
            } _: {
                $0.text(1)
            } == "text")
    }

    @Test(arguments: [
        Named("empty", ""), Named("a slice that is empty", String("x".dropLast())), Named("plain", "a"),
        Named("a NUL inside", "a\0b"), Named("a million letters", String(repeating: "0123456789", count: 100_000)),
    ])
    func `text that is lent is stored byte for byte`(_ text: Named<String>) throws {
        try connection.prepare("INSERT INTO item (value) VALUES (?)").run(lending: text.value, to: 1)
        let stored = try connection.prepare("SELECT value, typeof(value) FROM item").first { ($0.text(0), $0.text(1)) }
        #expect(stored?.0.utf8.elementsEqual(text.value.utf8) == true)
        #expect(stored?.1 == "text")
    }

    @Test(arguments: [
        Named("empty", []), Named("one zero", [0]), Named("zeros inside", [1, 0, 2]),
        Named("16 bytes", [UInt8](repeating: 7, count: 16)),
        Named("a million bytes", [UInt8](repeating: 8, count: 1_000_000)),
    ])
    func `a blob is read back byte for byte`(_ bytes: Named<[UInt8]>) throws {
        let row = try #require(
            try echo {
                $0.bind(1, bytes.value)
            } _: {
                ($0.bytes(0), $0.text(1), $0.integer(2))
            })
        #expect(row.0.elementsEqual(bytes.value))
        #expect(row.1 == "blob")
        #expect(row.2 == Int64(bytes.value.count))
    }

    @Test func `an empty blob is not NULL`() throws {
        #expect(
            try echo {
                $0.bind(1, [UInt8]())
            } _: {
                $0.isNull(0)
            } == false)
    }

    @Test func `nil is bound as NULL`() throws {
        for bind: (Statement) -> Void in [
            { $0.bind(1, nil as Int64?) }, { $0.bind(1, nil as Int?) }, { $0.bind(1, nil as String?) },
        ] {
            #expect(try echo(bind) { $0.text(1) } == "null")
            #expect(try echo(bind) { $0.isNull(0) } == true)
            #expect(try echo(bind) { .some($0.optionalText(0)) } == .some(nil))
        }
    }

    @Test func `nil replaces a value that was bound before`() throws {
        #expect(
            try echo {
                $0.bind(1, "a")
                $0.bind(1, nil as String?)
            } _: {
                $0.isNull(0)
            } == true)
        #expect(
            try echo {
                $0.bind(1, 1)
                $0.bind(1, nil as Int?)
            } _: {
                $0.isNull(0)
            } == true)
    }

    @Test(arguments: [0, 1, -1, .max, .min] as [Int64]) func `an integer is read back exactly`(_ number: Int64) throws {
        #expect(
            try echo {
                $0.bind(1, number)
            } _: {
                $0.integer(0)
            } == number)
        #expect(
            try echo {
                $0.bind(1, Int(number))
            } _: {
                $0.integer(0)
            } == number)
        #expect(
            try echo {
                $0.bind(1, number)
            } _: {
                $0.text(1)
            } == "integer")
    }

    @Test func `a digest is stored as a blob of 16 bytes and read back unchanged`() throws {
        let digest = Digest(of: "entry")
        let row = try #require(
            try echo {
                $0.bind(1, digest)
            } _: { row throws(DatabaseError) in
                (try row.digest(0), row.text(1), row.integer(2))
            })
        #expect(row == (digest, "blob", 16))
        #expect(try connection.text("SELECT lower(hex(x'\(digest)'))") == digest.description)
    }

    @Test(arguments: [0, 15, 17]) func `a digest of another length is reported as corruption`(_ count: Int) throws {
        let error = #expect(throws: DatabaseError.self) {
            try echo {
                $0.bind(1, [UInt8](repeating: 1, count: count))
            } _: { row throws(DatabaseError) in
                try row.digest(0)
            }
        }
        #expect(error?.code == DatabaseError.damagedRowCode)
        #expect(error?.concernsOneItem == true)
    }

    // MARK: Rows

    @Test func `every row is read, in order`() throws {
        let select = try connection.prepare("SELECT value FROM json_each('[3, 1, 2]')")
        #expect(try select.all { $0.integer(0) } == [3, 1, 2])
        #expect(try select.first { $0.integer(0) } == 3)
        #expect(try select.all { $0.integer(0) } == [3, 1, 2])
    }

    @Test func `the first row of none is nil`() throws {
        #expect(try connection.integer("SELECT number FROM item") == nil)
        #expect(try connection.text("SELECT value FROM item") == nil)
    }

    // MARK: After use

    private func insert() throws -> Statement {
        try connection.prepare("INSERT INTO item (number, value) VALUES (?, ?)", persistent: true)
    }

    @Test func `a statement that failed can be used again`() throws {
        let insert = try insert()
        insert.bind(1, 1)
        insert.bind(2, "a")
        try insert.run()
        insert.bind(1, 1)
        insert.bind(2, "b")
        #expect(throws: DatabaseError.self) { try insert.run() }
        insert.bind(1, 2)
        insert.bind(2, "c")
        try insert.run()
        #expect(try connection.text("SELECT group_concat(number || value, ' ') FROM item") == "1a 2c")
    }

    @Test func `a statement's values are cleared after each use`() throws {
        let insert = try insert()
        insert.bind(1, 1)
        insert.bind(2, "a")
        try insert.run()
        try insert.run()
        #expect(try connection.integer("SELECT count(*) FROM item WHERE value IS NULL") == 1)
    }

    @Test func `a statement's values are cleared after a use that failed`() throws {
        let insert = try insert()
        insert.bind(1, 1)
        try insert.run()
        insert.bind(1, 1)
        insert.bind(2, "secret")
        #expect(throws: DatabaseError.self) { try insert.run() }
        try insert.run()
        #expect(try connection.integer("SELECT count(*) FROM item WHERE value IS NOT NULL") == 0)
    }

    @Test func `a statement that read only its first row holds no lock`() throws {
        try connection.execute("INSERT INTO item VALUES (1, 'a'), (2, 'b')")
        let select = try connection.prepare("SELECT number FROM item")
        #expect(try select.first { $0.integer(0) } == 1)
        try connection.execute("DROP TABLE item")
    }

    @Test func `a statement can be used again after its reader threw`() throws {
        try connection.execute("INSERT INTO item VALUES (1, 'a'), (2, 'b')")
        let select = try connection.prepare("SELECT number FROM item")
        let stop = DatabaseError(code: SQLITE_ABORT, message: "stop", during: "a test")
        #expect(throws: stop) { try select.forEach { _ throws(DatabaseError) in throw stop } }
        #expect(throws: stop) { try select.first { _ throws(DatabaseError) -> Int? in throw stop } }
        #expect(try select.all { $0.integer(0) } == [1, 2])
        try connection.execute("DROP TABLE item")
    }

    @Test func `a value for a parameter that does not exist fails only that use`() throws {
        let insert = try insert()
        insert.bind(3, "a")
        let error = #expect(throws: DatabaseError.self) { try insert.run() }
        #expect(error?.code == SQLITE_RANGE)
        #expect(error?.during == "binding")
        #expect(error?.concernsOneItem == true)
        #expect(try connection.integer("SELECT count(*) FROM item") == 0)
        insert.bind(1, 1)
        insert.bind(2, "a")
        try insert.run()
        #expect(try connection.text("SELECT value FROM item") == "a")
    }

    @Test func `a value over the size limit is named as the reason, also after another value was bound`() throws {
        let insert = try insert()
        // SQLite checks the length first; the bytes are not read.
        let byte = [UInt8](repeating: 0, count: 1)
        byte.withUnsafeBytes {
            insert.bind(2, lentText: UnsafeRawBufferPointer(start: $0.baseAddress, count: 1_100_000_000))
        }
        insert.bind(1, 1)
        let error = #expect(throws: DatabaseError.self) { try insert.run() }
        #expect(error?.code == SQLITE_TOOBIG)
        #expect(error?.message == "string or blob too big")
    }

    @Test func `a statement keeps its connection alive`() throws {
        var alone: Connection? = try Connection(path: "", access: .memory)
        let select = try #require(try alone?.prepare("SELECT 7"))
        alone = nil
        #expect(try select.first { $0.integer(0) } == 7)
    }
}
