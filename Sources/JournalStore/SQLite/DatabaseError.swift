internal import CJournalSQLite

/// An error of SQLite. It stays internal: the journal turns it into a ``JournalError`` with file, stream and step.
struct DatabaseError: Error, Hashable, Sendable {
    /// The extended result code (https://www.sqlite.org/rescode.html).
    var code: Int32
    var message: String
    /// The operation that failed, in words. It never contains values.
    var during: String
    /// The error number of the system call that failed; 0 if there was none.
    var system: Int32 = 0
    /// Where the row is that is damaged, if that is known.
    var place: Place?

    struct Place: Hashable, Sendable {
        /// Nil if there is no such stream.
        var stream: String?
        var step: Int?
    }

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
        isDamagedRow
            || [SQLITE_CONSTRAINT, SQLITE_TOOBIG, SQLITE_MISMATCH, SQLITE_RANGE].contains(primary)
    }

    /// Not one of SQLite's codes: they are positive.
    static let damagedRowCode: Int32 = -2

    var isDamagedRow: Bool { code == DatabaseError.damagedRowCode }

    /// The error of a row whose values do not fit its table or its digest.
    static func damagedRow(_ what: String) -> DatabaseError {
        DatabaseError(code: damagedRowCode, message: what, during: "reading a row")
    }

    static var runWithoutStream: DatabaseError { .damagedRow("an effect belongs to no stream") }

    /// Not one of SQLite's codes: they are positive.
    static let newerSchemaCode: Int32 = -1

    static func newerSchema(found: Int, known: Int) -> DatabaseError {
        DatabaseError(
            code: newerSchemaCode, message: "its schema has version \(found), this library knows \(known)",
            during: "reading")
    }

    /// Ends a read transaction whose body has thrown an error of another type.
    static let interrupted = DatabaseError(code: SQLITE_INTERRUPT, message: "it was interrupted", during: "reading")

    /// The error of a system call that this library makes itself.
    static func system(_ number: Int32, during: String) -> DatabaseError {
        let code =
            switch Platform.kind(ofError: number) {
            case .noRoom: SQLITE_FULL
            case .missing, .noAccess, .tooManyFiles: SQLITE_CANTOPEN
            case .brokenDisk, .other: SQLITE_IOERR
            }
        return DatabaseError(code: code, message: Platform.message(forError: number), during: during, system: number)
    }

    /// The error of a file that this library could not sync: SQLITE_IOERR_FSYNC, unless the disk is full or there are
    /// too many open files.
    static func failedSync(_ number: Int32, during: String) -> DatabaseError {
        changed(DatabaseError.system(number, during: during)) { if $0.code == SQLITE_IOERR { $0.code |= 4 << 8 } }
    }

    /// The error of a read that failed with EIO or the like. Where SQLite calls the page damaged instead, its own code
    /// is SQLITE_IOERR_CORRUPTFS.
    static func failedRead(_ number: Int32, during: String) -> DatabaseError {
        DatabaseError(
            code: SQLITE_IOERR | 33 << 8, message: String(cString: sqlite3_errstr(SQLITE_IOERR)), during: during,
            system: number)
    }

    var isInputOutput: Bool { primary == SQLITE_IOERR && !isFull && !isOutOfMemory }

    /// Whether a disk or a quota is full. SQLite has a code for a full disk, but not for a quota, nor for a -shm that
    /// cannot grow. A sync that finds the disk full has lost what it should have written, as any sync that fails.
    var isFull: Bool {
        primary == SQLITE_FULL || primary == SQLITE_IOERR && Platform.kind(ofError: system) == .noRoom && !isSync
    }

    /// Whether a COMMIT that failed with this error can be on the disk. A commit is complete in the WAL before the -shm
    /// grows, so this includes a -shm for which a full disk has no room.
    var leavesCommitUndecided: Bool { isInputOutput || isSharedMemory }

    /// Whether SQLite or the system had too little memory, which says nothing about the disk. A COMMIT can need some
    /// after it has written everything. A sync that fails has lost what it should have written, whatever the reason.
    var isOutOfMemory: Bool {
        primary == SQLITE_NOMEM || primary == SQLITE_IOERR && Platform.isOutOfMemory(system) && !isSync
    }

    /// The code that the app is told: one for too little memory.
    var told: Int32 { isOutOfMemory ? SQLITE_NOMEM : code }

    // The extended codes are macros that Swift does not import: https://www.sqlite.org/rescode.html

    /// SQLITE_READONLY_ROLLBACK: a reader has found a rollback journal that only a writer can apply.
    static let readOnlyRollback = SQLITE_READONLY | 3 << 8

    /// SQLITE_IOERR_SHORT_READ: a file is shorter than it has to be.
    static let shortRead = SQLITE_IOERR | 2 << 8

    /// SQLITE_IOERR_WRITE, SQLITE_IOERR_FSYNC, SQLITE_IOERR_DIR_FSYNC and SQLITE_IOERR_TRUNCATE.
    static let failedWrites = Set((3...6).map { SQLITE_IOERR | Int32($0) << 8 })

    /// SQLITE_IOERR_FSYNC and SQLITE_IOERR_DIR_FSYNC.
    private var isSync: Bool { (4...5).contains(detail) }
    /// SQLITE_IOERR_SHMOPEN, SHMSIZE, SHMLOCK and SHMMAP.
    private var isSharedMemory: Bool { (18...21).contains(detail) }
    /// Whether a row with the same key is in the table: SQLITE_CONSTRAINT_PRIMARYKEY, SQLITE_CONSTRAINT_UNIQUE and
    /// SQLITE_CONSTRAINT_ROWID.
    var isOfKnownKey: Bool { primary == SQLITE_CONSTRAINT && [6, 8, 10].contains(code >> 8) }
    /// What an extended code of SQLITE_IOERR adds; 0 for other codes.
    private var detail: Int32 { primary == SQLITE_IOERR ? code >> 8 : 0 }
    /// The name of what calls a function that may not run in a file, if that stopped SQLite from reading the schema.
    /// https://www.sqlite.org/pragma.html#pragma_trusted_schema
    var untrustedItem: String? {
        let begin = "malformed database schema ("
        guard message.hasPrefix(begin), let end = message.firstRange(of: ") - unsafe use of ") else { return nil }
        return String(message[message.index(message.startIndex, offsetBy: begin.count)..<end.lowerBound])
    }
    /// Whether the header has a format that no version of SQLite has written: it is damaged.
    var isOfUnknownFormat: Bool { primary == SQLITE_ERROR && message == "unsupported file format" }
    /// Whether something in the file calls a function that may not run there.
    var isOfUntrustedFunction: Bool {
        untrustedItem != nil || primary == SQLITE_ERROR && message.hasPrefix("unsafe use of ")
    }
    /// Whether something in the file calls a function that this program does not have.
    var isOfUnknownFunction: Bool {
        primary == SQLITE_ERROR
            && (message.hasPrefix("unknown function: ") || message.hasPrefix("no such function: "))
    }
    var isBusy: Bool { primary == SQLITE_BUSY || primary == SQLITE_LOCKED }
    /// Whether pages do not fit together: damage, or a file that was read without its WAL or rollback journal.
    var isTornFile: Bool { primary == SQLITE_CORRUPT }
}
