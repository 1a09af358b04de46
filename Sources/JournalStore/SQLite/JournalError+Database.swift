internal import CJournalSQLite

extension JournalError {
    /// Whether the database had too little memory: a store ends with this error, and its journal goes on.
    var leavesJournalOpen: Bool { [.inputOutput, .outcomeUnknown].contains(code) && underlying == SQLITE_NOMEM }

    /// Whether nothing can be written to the journal, so that it is not reported for each stream: it was closed, has
    /// stopped, or the disk is full.
    var isOfWholeJournal: Bool {
        switch code {
        case .closed, .diskFull, .fenced: true
        case .outcomeUnknown: !leavesJournalOpen
        case .inputOutput: underlying.map { $0 & 0xFF == SQLITE_IOERR } ?? false
        default: false
        }
    }

    /// Converts an error of SQLite.
    ///
    /// - Parameter doing: what the journal was doing, to end the sentence "… while".
    init(_ error: DatabaseError, file: String?, stream: String? = nil, step: Int? = nil, while doing: String) {
        let (code, message, words) = JournalError.words(for: error, while: doing)
        var advice = words
        if error.isTornFile, code == .corrupt, let file,
            (Platform.status(ofPath: FileBeside.wal.path(of: file))?.size ?? 0) > 0
        {
            advice += " " + JournalError.adviceForForeignWAL(FileBeside.wal.path(of: file))
        }
        self.init(
            code, message, advice: advice, file: file, stream: stream ?? error.place?.stream,
            step: step ?? error.place?.step, underlying: error.told)
    }

    private static func adviceForForeignWAL(_ path: String) -> String {
        "If a backup was put here, \(path) can be that of the file before it: move that away."
    }

    /// The advice for a file whose WAL may belong to another one; nil for other errors.
    package var adviceForForeignWAL: String? {
        guard let file, case let text = JournalError.adviceForForeignWAL(FileBeside.wal.path(of: file)) else {
            return nil
        }
        return advice.hasSuffix(text) ? text : nil
    }

    /// Runs an operation on the database and converts its error.
    static func at<Value>(
        _ file: String?, _ doing: String, stream: String? = nil, step: Int? = nil,
        _ body: () throws(DatabaseError) -> Value
    ) throws(JournalError) -> Value {
        do throws(DatabaseError) {
            return try body()
        } catch {
            throw JournalError(error, file: file, stream: stream, step: step, while: doing)
        }
    }

    /// For a reader.
    static let adviceForUnusableFile =
        "Open it once with its app, which creates missing files; or check this user's rights, or read a copy."

    /// For an index that somebody has added to a table of the journal.
    static let adviceForOwnIndex =
        "Remove that index in the sqlite3 shell, while no app has the journal open. Only an index of plain columns, "
        + "not unique, may stay."

    /// For something that somebody has added to the file, and that calls functions.
    ///
    /// - Parameter name: its name, if it is known.
    static func adviceForOwnTable(_ name: String?) -> String {
        let how = name.map {
            " (`\(SchemaCheck.dropIndex($0))`, or `DROP TABLE \(TableShape.quoted($0))` if it is a table)"
        }
        return
            "If you have added what calls it, drop that in the sqlite3 shell\(how ?? ""), while no app has the journal "
            + "open: tables and indexes of your own may not call functions."
    }

    private static func words(
        for error: DatabaseError, while doing: String
    ) -> (code: Code, message: String, advice: String) {
        switch error {
        case _ where error.isFull && Platform.isFileSizeLimit(error.system):
            (
                .diskFull,
                "A file cannot grow any more, found while \(doing) (\(error.reason)). Nothing was written.",
                adviceForFileSize
            )
        case _ where error.isFull:
            (
                .diskFull, "The disk is full, found while \(doing). Nothing was written.",
                adviceForNoRoomWhileOpen
            )
        case _ where error.isOutOfMemory:
            (
                .inputOutput, "There is too little memory, found while \(doing) (\(error.reason)).",
                "End other programs, or raise the limit of this process, then try again."
            )
        case _ where Platform.kind(ofError: error.system) == .tooManyFiles:
            (
                .tooManyFiles, "There are too many open files, found while \(doing) (\(error.reason)).",
                tooManyFilesAdvice
            )
        case DatabaseError.newerSchemaCode:
            (
                .newerSchema, "A newer version of the library wrote this journal: \(error.message).",
                "Update this program."
            )
        case SQLITE_NOTADB:
            (
                .notADatabase, "This is not an SQLite database (\(error.message)).",
                "Check the path; the file was not touched."
            )
        case DatabaseError.damagedRowCode:
            (
                .corrupt, "A row was damaged or changed by hand, found while \(doing): \(error.message).",
                JournalError.adviceForDamage
            )
        case _ where error.isOfUntrustedFunction:
            (
                .schemaMismatch,
                "The schema calls a function that may not run in a file, found while \(doing) (\(error.message)).",
                adviceForOwnTable(error.untrustedItem)
            )
        case _ where error.isOfUnknownFunction:
            (
                .schemaMismatch,
                "The schema calls a function that this program does not have, found while \(doing) "
                    + "(\(error.message)).",
                adviceForOwnTable(nil)
            )
        case _ where error.isTornFile || error.isOfUnknownFormat:
            (
                .corrupt, "The database is damaged, found while \(doing) (\(error.message)).",
                "Run `journal-replay verify` on it, and restore a backup."
            )
        case SQLITE_INTERRUPT:
            (
                .corrupt, "Reading the schema takes too long, found while \(doing).",
                "The file is damaged, or was built to attack whoever opens it: restore a backup."
            )
        case DatabaseError.shortRead:
            (
                .inputOutput,
                "A file of the journal is shorter than its other files say, found while \(doing).",
                "Its -wal was perhaps deleted or truncated while an app had it open, or the disk has lost a part. Look "
                    + "at what the app reports, then open the journal again."
            )
        case SQLITE_IOERR:
            (
                .inputOutput, "The disk failed while \(doing) (\(error.reason)).",
                "Check the disk and the system's log, then open the journal again."
            )
        case SQLITE_BUSY, SQLITE_LOCKED:
            (
                .busy, "Another connection held the database for too long while \(doing).",
                "End it, and do not write to the file from another program while the app runs."
            )
        case SQLITE_CANTOPEN where Platform.kind(ofError: error.system) == .brokenDisk:
            (
                .inputOutput, "The disk failed while \(doing) (\(error.reason)).",
                "Check the disk and the system's log, then open the journal again."
            )
        case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH:
            (
                .cannotOpen, "The file, its -wal or its -shm is missing or cannot be accessed (\(error.reason)).",
                adviceForUnusableFile
            )
        case DatabaseError.readOnlyRollback:
            (
                .cannotOpen, "A process ended while it changed the file: its -journal must be applied first.",
                "Open the journal once with its app, which undoes what was not finished."
            )
        case SQLITE_READONLY:
            (
                .cannotOpen, "The file may not be written (\(error.message)).",
                "Check that this user may write the file, its -wal and -shm, and its folder. If it may, the header of "
                    + "the file is damaged: restore a backup."
            )
        case SQLITE_CONSTRAINT, SQLITE_TOOBIG, SQLITE_MISMATCH, SQLITE_RANGE:
            (
                .notStorable, "This cannot be stored: \(error.message) (while \(doing)).",
                error.isOfKnownKey
                    ? "Nothing was written. Something else has written a row in its place: run "
                        + "`journal-replay verify`, and restore a backup."
                    : "Nothing was written. Make the value smaller, or correct it."
            )
        default:
            (
                .inputOutput, "The database failed while \(doing): \(error.message).",
                "Open the journal again; if it fails again, run `journal-replay verify` on it."
            )
        }
    }
}

extension DatabaseError {
    /// The message, with the reason that the system gave.
    var reason: String {
        let reason = system == 0 ? message : Platform.message(forError: system)
        return reason == message ? message : "\(message): \(reason)"
    }
}
