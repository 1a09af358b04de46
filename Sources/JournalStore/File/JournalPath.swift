/// What can be told of a path before anything is opened.
enum JournalPath {
    /// The one name a journal goes by: absolute, with no link in it. The lock and SQLite's own files stand beside it.
    static func resolve(_ path: String, mayBeMissing: Bool) throws(JournalError) -> String {
        guard !path.isEmpty, !path.hasPrefix(":"), !path.utf8.contains(0) else {
            throw JournalError(
                .badArgument, "'\(path)' is no path of a file.",
                advice: "For a journal in memory, use Journal.inMemory().")
        }
        guard let file = Platform.resolve(path) else {
            let code = Platform.lastError
            throw JournalError(
                .cannotOpen, "Its folder cannot be reached (\(Platform.message(forError: code))).",
                advice: "Check the path; folders are not made.", file: path, underlying: code)
        }
        guard let status = Platform.status(ofPath: file) else {
            let code = Platform.lastError
            guard mayBeMissing, code == Platform.noSuchFile else {
                throw JournalError(
                    .cannotOpen, "The file cannot be opened (\(Platform.message(forError: code))).",
                    advice: "Check the path.", file: file, underlying: code)
            }
            return file
        }
        switch status.kind {
        case .regular: break
        case .directory:
            throw JournalError(.cannotOpen, "This is a folder.", advice: "Name a file in it.", file: file)
        case .other:
            throw JournalError(.cannotOpen, "This is no ordinary file.", advice: "Check the path.", file: file)
        }
        guard status.links == 1 else {
            throw JournalError(
                .severalNames, "The file has \(status.links) names (hard links).",
                advice: "Each name would have its own lock and its own WAL: remove all names but one.", file: file)
        }
        return file
    }

    /// Refuses what is plainly no journal, before the first byte is written anywhere near it.
    ///
    /// The file is looked at without its WAL and without a lock, so what it says can be old, and after a crash its pages
    /// need not fit together. Only its header is believed, and only where it names somebody else; all other cases are
    /// decided when the file has been opened in earnest.
    static func checkIsOurs(_ file: String, vfs: String?) throws(JournalError) {
        guard let status = Platform.status(ofPath: file), status.size > 0 else { return }
        // Beside a rollback journal not even the header counts: SQLite rolls back first, for any program that opens the file.
        // https://www.sqlite.org/lockingv3.html#hot_journals
        guard Platform.status(ofPath: file + "-journal") == nil else { return }
        let header: Migrator.Found
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
    /// A WAL without its database: SQLite would delete it as the rest of a file that is gone, and with it what may be the only
    /// copy of the newest entries. So SQLite does not get to see it.
    static func checkWALHasItsDatabase(_ file: String) throws(JournalError) {
        guard (Platform.status(ofPath: file)?.size ?? 0) == 0, let wal = Platform.status(ofPath: file + "-wal"),
            wal.size > 0
        else { return }
        throw JournalError(
            .acknowledgedEntriesLost, "The database is missing or empty, but its WAL is there with \(wal.size) bytes.",
            advice:
                "Bring the database back to this name; or move \(file)-wal away to begin anew. Nothing was touched.",
            file: file)
    }
}

extension Migrator {
    /// Whose file it is, and of what version: all that can be told without its WAL.
    fileprivate func checkHeader(_ found: Found, file: String) throws(JournalError) {
        do throws(Refusal) {
            try checkOwner(found)
        } catch {
            throw JournalError(error, file: file)
        }
    }

    /// The migrations to apply, or the refusal in words.
    static func pending(for found: Found, file: String) throws(JournalError) -> [Migration] {
        do throws(Refusal) {
            return try Migrator().plan(for: found)
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
                .notAJournal, "This database belongs to another application (application_id \(applicationID)).",
                advice: "Check the path; the file was not touched.", file: file)
        case .newer(let found, let known):
            self.init(
                .newerSchema,
                "A newer version of the library wrote this journal: its schema has version \(found), this library knows \(known).",
                advice: "Update this program; the file was not touched.", file: file)
        case .edited(let name):
            self.init(
                .schemaMismatch, "The journal was made with another text of the migration \(name).",
                advice: "A released migration is never edited: use the library version that made the file.", file: file)
        case .missing(let name):
            self.init(
                .schemaMismatch, "The journal does not record the migration \(name), which its version includes.",
                advice: "The file was changed by hand: restore a backup.", file: file)
        }
    }

    /// Runs what speaks to the database, and says its errors in the journal's words.
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
