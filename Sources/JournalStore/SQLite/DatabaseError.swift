internal import CSQLite

/// An error of SQLite. It stays internal: the journal turns it into a ``JournalError`` with file, stream and step.
struct DatabaseError: Error, Hashable, Sendable {
    /// The extended result code (https://www.sqlite.org/rescode.html).
    var code: Int32
    var message: String
    /// The operation that failed, in words. It never contains values.
    var during: String

    /// The primary code: the low eight bits of an extended one.
    var primary: Int32 { code & 0xFF }

    /// Lets a primary code match all its extended codes: `case SQLITE_IOERR`.
    static func ~= (pattern: Int32, error: DatabaseError) -> Bool {
        error.code == pattern || error.primary == pattern
    }
}

extension DatabaseError {
    /// Whether one item of a batch cannot be stored: it fails alone, and the rest of its transaction goes on.
    var concernsOneItem: Bool {
        code == DatabaseError.damagedRowCode
            || [SQLITE_CONSTRAINT, SQLITE_TOOBIG, SQLITE_MISMATCH, SQLITE_RANGE].contains(primary)
    }

    /// Not one of SQLite's codes: they are positive.
    static let damagedRowCode: Int32 = -2

    /// The error of a row whose values do not fit its table or its digest.
    static func damagedRow(_ what: String) -> DatabaseError {
        DatabaseError(code: damagedRowCode, message: what, during: "reading a row")
    }

    /// Not one of SQLite's codes: they are positive.
    static let newerSchemaCode: Int32 = -1

    static func newerSchema(found: Int, known: Int) -> DatabaseError {
        DatabaseError(
            code: newerSchemaCode, message: "its schema has version \(found), this library knows \(known)",
            during: "reading")
    }

    /// Ends a read transaction whose body has thrown an error of another type.
    static let interrupted = DatabaseError(code: SQLITE_INTERRUPT, message: "it was interrupted", during: "reading")

    var isInputOutput: Bool { primary == SQLITE_IOERR }
    var isFull: Bool { primary == SQLITE_FULL }
    var isBusy: Bool { primary == SQLITE_BUSY || primary == SQLITE_LOCKED }
    /// Whether pages do not fit together: damage, or a file that was read without its WAL or rollback journal.
    var isTornFile: Bool { primary == SQLITE_CORRUPT }
}
