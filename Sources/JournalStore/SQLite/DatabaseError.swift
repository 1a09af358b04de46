internal import CSQLite

/// What SQLite said. Stays below this folder: the journal turns it into a ``JournalError`` that names file, stream and step.
struct DatabaseError: Error, Hashable, Sendable {
    /// The extended result code (https://www.sqlite.org/rescode.html).
    var code: Int32
    var message: String
    /// What was being done, in words. Never the values.
    var during: String

    /// The primary code: the low eight bits of an extended one.
    var primary: Int32 { code & 0xFF }

    /// Lets a primary code match all its extended codes: `case SQLITE_IOERR`.
    static func ~= (pattern: Int32, error: DatabaseError) -> Bool {
        error.code == pattern || error.primary == pattern
    }
}

extension DatabaseError {
    /// One item of a batch cannot be stored: it fails alone, the rest of its transaction goes on.
    var concernsOneItem: Bool {
        [SQLITE_CONSTRAINT, SQLITE_TOOBIG, SQLITE_MISMATCH, SQLITE_RANGE].contains(primary)
    }

    /// A row that does not have the shape its table promises.
    static func damagedRow(_ what: String) -> DatabaseError {
        DatabaseError(code: SQLITE_CORRUPT, message: what, during: "reading a row")
    }

    /// Not one of SQLite's codes: they are positive.
    static let newerSchemaCode: Int32 = -1

    static func newerSchema(found: Int, known: Int) -> DatabaseError {
        DatabaseError(
            code: newerSchemaCode, message: "its schema has version \(found), this library knows \(known)",
            during: "reading")
    }

    /// Whoever was given the rows wants no more.
    static let interrupted = DatabaseError(code: SQLITE_INTERRUPT, message: "it was given up", during: "reading")

    var isInputOutput: Bool { primary == SQLITE_IOERR }
    var isFull: Bool { primary == SQLITE_FULL }
    var isBusy: Bool { primary == SQLITE_BUSY || primary == SQLITE_LOCKED }
    /// Pages that do not fit together: damage, or a file that was looked at without its WAL or rollback journal.
    var isTornFile: Bool { primary == SQLITE_CORRUPT }
}
