internal import CJournalSQLite

/// A prepared statement; its owner is the connection's owner. Reset after each use, so that between two uses it holds
/// no lock on a page and keeps no transaction open.
final class Statement {
    private let handle: OpaquePointer
    /// Keeps the connection alive as long as the statement.
    private let connection: Connection

    init(handle: OpaquePointer, connection: Connection) {
        self.handle = handle
        self.connection = connection
    }

    deinit {
        sqlite3_finalize(handle)
        digests?.deallocate()
    }

    /// The digests that are bound to its parameters, one place for each: SQLite allocates memory for a blob that it copies.
    private var digests: UnsafeMutablePointer<(UInt64, UInt64)>?

    // A bind fails for a wrong index or a value over the size limit. The failure is stored and thrown when the
    // statement runs, so that a list of binds reads as a list of values.
    private var bindFailure: Int32 = SQLITE_OK
    // What it has done since it was reset: see ``WorkLimit``.
    private var calls: Int32 = 0
    private var rows = 0

    private func note(_ code: Int32) {
        if code != SQLITE_OK { bindFailure = code }
    }

    func bind(_ index: Int32, _ value: Int64?) {
        note(value.map { sqlite3_bind_int64(handle, index, $0) } ?? sqlite3_bind_null(handle, index))
    }

    func bind(_ index: Int32, _ value: Int?) {
        bind(index, value.map(Int64.init))
    }

    /// Binds text with its length in bytes, so that a NUL inside survives. https://www.sqlite.org/c3ref/bind_blob.html
    func bind(_ index: Int32, _ value: String?) {
        guard var value else { return note(sqlite3_bind_null(handle, index)) }
        value.withUTF8 { bind(index, copiedText: UnsafeRawBufferPointer($0)) }
    }

    /// Binds text without copying: it must stay in place until the statement has run. A null address would bind NULL.
    func bind(_ index: Int32, lentText bytes: UnsafeRawBufferPointer) {
        let characters = bytes.assumingMemoryBound(to: CChar.self).baseAddress
        note(csqlite_bind_lent_text(handle, index, characters, UInt64(bytes.count)))
    }

    /// Binds a blob without copying, on the same conditions.
    func bind(_ index: Int32, lent bytes: UnsafeRawBufferPointer) {
        note(csqlite_bind_lent_blob(handle, index, bytes.baseAddress, UInt64(bytes.count)))
    }

    /// Binds UTF-8 bytes as text.
    func bind(_ index: Int32, text: [UInt8]) {
        text.withUnsafeBytes { bind(index, copiedText: $0) }
    }

    @inline(__always)
    private func bind(_ index: Int32, copiedText bytes: UnsafeRawBufferPointer) {
        // The address of an empty text can be null, which would bind NULL.
        withUnsafePointer(to: CChar(0)) { empty in
            let characters = bytes.assumingMemoryBound(to: CChar.self).baseAddress ?? empty
            note(csqlite_bind_text(handle, index, characters, UInt64(bytes.count)))
        }
    }

    func bind(_ index: Int32, _ value: Digest?) {
        guard let value else { return note(sqlite3_bind_null(handle, index)) }
        let count = Int(sqlite3_bind_parameter_count(handle))
        guard index >= 1, index <= count else { return note(SQLITE_RANGE) }
        let places = digests ?? .allocate(capacity: count)
        digests = places
        let place = places + Int(index) - 1
        place.initialize(to: value.words)
        note(csqlite_bind_lent_blob(handle, index, place, UInt64(Digest.length)))
    }

    func bind(_ index: Int32, _ value: [UInt8]) {
        value.withUnsafeBytes { bind(index, $0) }
    }

    private func bind(_ index: Int32, _ bytes: UnsafeRawBufferPointer) {
        // An empty blob is not NULL, but binding a null address would make it NULL.
        guard let address = bytes.baseAddress, !bytes.isEmpty else {
            return note(sqlite3_bind_zeroblob(handle, index, 0))
        }
        note(csqlite_bind_blob(handle, index, address, UInt64(bytes.count)))
    }

    /// Runs the statement to its end.
    func run() throws(DatabaseError) {
        try forEach { _ in }
    }

    /// Binds a text without copying, and runs the statement to its end.
    func run(lending text: String, to index: Int32) throws(DatabaseError) {
        var text = text
        let failure: DatabaseError? = text.withUTF8 { bytes in
            // An empty text may have no address.
            if bytes.isEmpty { bind(index, "") } else { bind(index, lentText: UnsafeRawBufferPointer(bytes)) }
            do throws(DatabaseError) { try run() } catch { return error }
            return nil
        }
        if let failure { throw failure }
    }

    /// Reads the first row; nil if there is none.
    func first<Value>(_ read: (Row) throws(DatabaseError) -> Value?) throws(DatabaseError) -> Value? {
        let value: Value?
        do throws(DatabaseError) {
            value = try next() ? try read(Row(handle: handle)) : nil
        } catch {
            reset()
            throw error
        }
        try finish()
        return value
    }

    /// Reads every row.
    func all<Value>(_ read: (Row) throws(DatabaseError) -> Value) throws(DatabaseError) -> [Value] {
        var values: [Value] = []
        try forEach { row throws(DatabaseError) in values.append(try read(row)) }
        return values
    }

    func forEach(_ body: (Row) throws(DatabaseError) -> Void) throws(DatabaseError) {
        defer { reset() }
        while try next() { try body(Row(handle: handle)) }
    }

    /// Calls the body for each row until it returns true.
    func forEachUntil(_ body: (Row) throws(DatabaseError) -> Bool) throws(DatabaseError) {
        defer { reset() }
        while try next() { if try body(Row(handle: handle)) { return } }
    }

    /// Calls the body for each row. The body can throw errors of any type.
    func forEachPlain(_ body: (Row) throws -> Void) throws {
        defer { reset() }
        while try next() { try body(Row(handle: handle)) }
    }

    /// Clears the bindings too: otherwise a large state would stay in memory until the next use.
    @discardableResult
    private func reset() -> Int32 {
        let code = sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
        (calls, rows) = (0, 0)
        return code
    }

    /// Resets a statement that has not run to its end. If it has written outside a transaction, as
    /// `PRAGMA journal_mode` does, this commits, and the commit can fail. https://www.sqlite.org/c3ref/reset.html
    private func finish() throws(DatabaseError) {
        Platform.clearLastError()
        let code = reset()
        guard code == SQLITE_OK else { throw error(code) }
    }

    private func error(_ code: Int32) -> DatabaseError {
        connection.error(code, during: sqlite3_sql(handle).map { String(cString: $0) } ?? "a statement")
    }

    private func next() throws(DatabaseError) -> Bool {
        guard bindFailure == SQLITE_OK else {
            defer { bindFailure = SQLITE_OK }
            throw connection.error(bindFailure, during: "binding")
        }
        Platform.clearLastError()
        // Another statement may have run since the last row.
        let work = connection.work
        work.pointee.calls = calls
        let code = sqlite3_step(handle)
        calls = work.pointee.calls
        switch code {
        case SQLITE_ROW:
            rows += 1
            guard rows % WorkLimit.rowsBetweenChecks != 0 || work.pointee.hasRoom(forRows: rows) else { throw .endless }
            return true
        case SQLITE_DONE: return false
        default: throw error(code)
        }
    }
}

/// The current row of a statement. Valid only inside the closure that receives it.
struct Row {
    fileprivate let handle: OpaquePointer

    func isNull(_ column: Int32) -> Bool {
        sqlite3_column_type(handle, column) == SQLITE_NULL
    }

    func integer(_ column: Int32) -> Int64 {
        sqlite3_column_int64(handle, column)
    }

    func text(_ column: Int32) -> String {
        withText(column) { String(decoding: $0, as: UTF8.self) }
    }

    /// The UTF-8 of a text, valid inside the closure. Its length in bytes is used, so that a NUL inside survives. The
    /// text is read before its length: in the other order a conversion in between would make the length wrong.
    /// https://www.sqlite.org/c3ref/column_blob.html
    func withText<Result>(_ column: Int32, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let text = sqlite3_column_text(handle, column)
        return body(UnsafeRawBufferPointer(start: text, count: Int(sqlite3_column_bytes(handle, column))))
    }

    func optionalText(_ column: Int32) -> String? {
        isNull(column) ? nil : text(column)
    }

    func bytes(_ column: Int32) -> [UInt8] {
        withBytes(column) { Array($0) }
    }

    func digest(_ column: Int32) throws(DatabaseError) -> Digest {
        guard let digest = withBytes(column, { Digest(stored: $0) }) else {
            throw .damagedRow("a digest of the wrong length")
        }
        return digest
    }

    /// The bytes of a blob or a text as they are stored, valid inside the closure.
    func withBytes<Result>(_ column: Int32, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let address = sqlite3_column_blob(handle, column)
        return body(UnsafeRawBufferPointer(start: address, count: Int(sqlite3_column_bytes(handle, column))))
    }
}
