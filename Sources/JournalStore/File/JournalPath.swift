/// The checks of a path before anything is opened.
enum JournalPath {
    /// The one name of a journal: absolute, without symbolic links. The lock and SQLite's files append to this name.
    static func resolve(_ path: String, mayBeMissing: Bool) throws(JournalError) -> String {
        guard !path.isEmpty, !path.hasPrefix(":"), !path.utf8.contains(0) else {
            throw JournalError(
                .badArgument, "'\(path)' is not a file path.",
                advice: "For a journal in memory, use Journal.inMemory().")
        }
        guard let file = Platform.resolve(path) else { throw unresolved(path) }
        guard let status = Platform.status(ofPath: file) else {
            guard mayBeMissing, Platform.lastError == Platform.noSuchFile else {
                throw JournalError.system(
                    .cannotOpen, "The file cannot be opened", advice: "Check the path.", file: file)
            }
            return file
        }
        switch status.kind {
        case .regular: break
        case .directory:
            throw JournalError(.cannotOpen, "This is a folder.", advice: "Name a file in it.", file: file)
        case .other:
            throw JournalError(.cannotOpen, "This is not a regular file.", advice: "Check the path.", file: file)
        }
        guard status.links == 1 else {
            throw JournalError(
                .severalNames, "The file has \(status.links) names (hard links).",
                advice: "Each name would have its own lock and its own WAL: remove all names but one.", file: file)
        }
        return file
    }

    /// The ends of the names of the files beside a journal. A journal under such a name would be written into another one's WAL or lock.
    private static let endsBesides = endsOfParts + ["-socket", "-damaged", "-salvage", "-partial", "-draft"]

    /// Those of the files that are no copies of a journal, so that nothing can be read from them alone.
    private static let endsOfParts = ["-wal", "-shm", "-journal", "-lock"]

    /// Refuses a file that is to be written under a name that is reserved for the files beside a journal.
    ///
    /// - Parameter onlyIfInUse: whether the name is free as long as there is no file that it would lie beside.
    static func checkIsNotReserved(_ file: String, onlyIfInUse: Bool = false) throws(JournalError) {
        guard let end = endsBesides.first(where: file.hasSuffix), !onlyIfInUse || journal(beside: file, end) != nil
        else { return }
        throw JournalError(
            .badArgument, "Names that end with '\(end)' are reserved for the files beside a journal.",
            advice: "Choose another name.", file: file)
    }

    /// Refuses a file beside a journal that is to be read as one.
    static func checkIsNoPart(_ file: String) throws(JournalError) {
        guard let end = endsOfParts.first(where: file.hasSuffix), let found = journal(beside: file, end) else { return }
        throw JournalError(
            .notAJournal, "This is a file beside a journal: its name ends with '\(end)'.",
            advice: "Name the journal, '\(found)'.", file: file)
    }

    /// The file that one with this end of its name lies beside; nil if there is none.
    private static func journal(beside file: String, _ end: String) -> String? {
        let journal = String(file.dropLast(end.count))
        return Platform.status(ofPath: journal) == nil ? nil : journal
    }

    /// The error of a path that ``Platform/resolve(_:)`` has just returned nil for.
    static func unresolved(_ path: String) -> JournalError {
        guard Platform.lastError != Platform.notUTF8 else {
            return JournalError(
                .cannotOpen, "The path leads to a name that is not UTF-8.",
                advice: "Rename the folder or the target of the link.", file: path)
        }
        return JournalError.system(
            .cannotOpen, "Its folder cannot be reached", advice: "Check the path; folders are not made.", file: path)
    }

    /// Refuses a file that is plainly not a journal, before anything is written to it or next to it.
    ///
    /// The file is read without its WAL and without a lock, so the content can be old, and after a crash its pages can
    /// be inconsistent. Only the header is trusted, and only if it names another owner; all other cases are decided
    /// when the file is actually opened.
    static func checkIsOurs(_ file: String, vfs: String?) throws(JournalError) {
        guard let status = Platform.status(ofPath: file), status.size > 0 else { return }
        // With a rollback journal not even the header counts: any program that opens the file rolls it back first.
        // https://www.sqlite.org/lockingv3.html#hot_journals
        guard Platform.status(ofPath: file + "-journal") == nil else { return }
        let header: Migrator.SchemaState
        do throws(DatabaseError) {
            header = try JournalDatabase.inspect(file, vfs: vfs)
        } catch {
            guard error.isTornFile else { throw JournalError(error, file: file, while: "looking at the file") }
            return
        }
        if header.applicationID != 0 || !header.isEmpty { try Migrator().checkHeader(header, file: file) }
    }
}

extension JournalPath {
    /// Refuses a file that this user may not write, before its -lock, -wal and -shm are created: they would belong to
    /// this user, and then its owner could not open it. The opening itself reports a folder that may not be written.
    static func checkMayBeWritten(_ file: String) throws(JournalError) {
        guard Platform.isWritable(folder: Platform.directory(of: file)), !Platform.isWritable(file: file),
            Platform.kind(ofError: Platform.lastError) == .noAccess
        else { return }
        throw JournalError.system(
            .cannotOpen, "The file may not be written", advice: "Check that this user may read and write the file.",
            file: file)
    }

    /// Refuses a WAL without its database: SQLite would delete it as the remains of a deleted file, and so perhaps the
    /// only copy of the newest entries. So SQLite must not open it.
    static func checkWALHasItsDatabase(_ file: String) throws(JournalError) {
        guard (Platform.status(ofPath: file)?.size ?? 0) == 0, let wal = Platform.status(ofPath: file + "-wal"),
            wal.size > 0
        else { return }
        throw JournalError(
            .acknowledgedEntriesLost, "The database is missing or empty, but its WAL is there with \(wal.size) bytes.",
            advice:
                "Move the database back to this name, or move \(file)-wal away to begin anew. Nothing was touched.",
            file: file)
    }
}

extension Migrator {
    /// Checks the owner and the version of a file, as far as both are known without its WAL.
    fileprivate func checkHeader(_ found: SchemaState, file: String) throws(JournalError) {
        do throws(Refusal) {
            try checkOwner(found)
        } catch {
            throw JournalError(error, file: file)
        }
    }

    /// The migrations to apply. Converts a refusal into an error.
    static func pending(
        for found: SchemaState, writing: Bool, file: String
    ) throws(JournalError) -> [Migration] {
        do throws(Refusal) {
            return try Migrator().plan(for: found, writing: writing)
        } catch {
            throw JournalError(error, file: file)
        }
    }
}

extension JournalError {
    init(_ refusal: Migrator.Refusal, file: String) {
        switch refusal {
        case .foreign(let applicationID):
            self.init(
                .notAJournal,
                applicationID == 0
                    ? "This is an SQLite database, but not a journal (its application_id is 0)."
                    : "This database belongs to another application (application_id \(applicationID)).",
                advice: "Check the path; the file was not touched.", file: file)
        case .newer(let found, let known):
            self.init(
                .newerSchema,
                "A newer version of the library wrote this journal: its schema has version \(found), this library knows \(known).",
                advice: "Update this program; the file was not touched.", file: file)
        case .noVersion(let found):
            self.init(
                .schemaMismatch, "The journal has tables, but its user_version is \(found), which no schema has.",
                advice: "The header of the file was damaged or edited by hand: restore a backup. It was not touched.",
                file: file)
        case .edited(let name):
            self.init(
                .schemaMismatch, "The journal was made with a different text of the migration \(name).",
                advice: "A released migration is never edited: use the library version that made the file.", file: file)
        case .altered(let difference):
            if case .restricting = difference {
                self.init(
                    .schemaMismatch, "The schema is not that of a journal: \(difference.message).",
                    advice: JournalError.adviceForOwnIndex, file: file)
                return
            }
            self.init(
                .schemaMismatch, "The schema is not that of a journal: \(difference.message).",
                advice: "The file was edited by hand or comes from elsewhere: restore a backup. It was not touched.",
                file: file)
        case .missing(let name):
            self.init(
                .schemaMismatch, "The journal does not record the migration \(name), which its version includes.",
                advice: "The file was edited by hand: restore a backup.", file: file)
        }
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
}
