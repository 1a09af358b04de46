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
                let number = Platform.lastError
                if case .replacing? = try? Sidecar.memory(besides: file) { throw LossCheck.replacing(file) }
                throw JournalError.system(
                    .cannotOpen, "The file cannot be opened", advice: "Check the path.", file: file, number: number)
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

    /// The status of a file of the journal; nil if there is none.
    ///
    /// - Throws: ``JournalError`` if that cannot be found out: on a disk that fails, the call fails as well, and a file that
    ///   is taken for missing would be made anew, or its remains removed.
    static func status(_ path: String, of file: String) throws(JournalError) -> FileStatus? {
        if let status = Platform.status(ofPath: path) { return status }
        let number = Platform.lastError
        if Platform.kind(ofError: number) == .missing { return nil }
        throw JournalError.system(
            .cannotOpen, "It is unknown whether \(path) exists", advice: "Check the rights of this user.", file: file,
            number: number)
    }

    /// Refuses a file that is to be written under a name that is reserved for the files beside a journal: it would be
    /// written into another one's WAL or lock.
    ///
    /// - Parameter onlyIfInUse: whether the name is free as long as there is no file that it would lie beside.
    static func checkIsNotReserved(_ file: String, onlyIfInUse: Bool = false) throws(JournalError) {
        guard let part = FileBeside.allCases.first(where: { $0.journal(of: file) != nil }),
            !onlyIfInUse || journal(beside: part, file) != nil
        else { return }
        throw JournalError(
            .badArgument, "Names that end with '\(part.rawValue)' are reserved for the files beside a journal.",
            advice: "Choose another name.", file: file)
    }

    /// Refuses a file beside a journal that is to be read as one.
    static func checkIsNoPart(_ file: String) throws(JournalError) {
        guard let part = FileBeside.parts.first(where: { $0.journal(of: file) != nil }),
            let found = journal(beside: part, file)
        else { return }
        throw JournalError(
            .notAJournal, "This is a file beside a journal: its name ends with '\(part.rawValue)'.",
            advice: "Name the journal, '\(found)'.", file: file)
    }

    /// The journal that such a file lies beside; nil if there is none.
    private static func journal(beside part: FileBeside, _ file: String) -> String? {
        part.journal(of: file).flatMap { Platform.status(ofPath: $0) == nil ? nil : $0 }
    }

    /// The error of a path that ``Platform/resolve(_:)`` has just returned nil for.
    static func unresolved(_ path: String) -> JournalError {
        guard Platform.lastError != Platform.notUTF8 else {
            return JournalError(
                .cannotOpen, "The path leads to a name that is not UTF-8.",
                advice: "Rename the folder or the target of the link.", file: path)
        }
        return JournalError.system(
            .cannotOpen, "The path cannot be reached", advice: "Check the path; folders are not made.", file: path)
    }

    /// The error of a path that is too long for SQLite, which has the names of the files beside a database, such as
    /// `-journal`, in 512 bytes; a file system has 255 for a name.
    ///
    /// - Parameter more: how many bytes another name has in addition: the temporary one of a copy, or that of the copy
    ///   that a rescue makes.
    static func tooLong(_ file: String, adding more: Int = 0) -> JournalError? {
        let (length, nameLength) = (file.utf8.count, Platform.name(of: file).utf8.count)
        let (most, mostInName) = (504 - more, 247 - more)
        guard length > most || nameLength > mostInName else { return nil }
        return JournalError(
            .cannotOpen, "The path is too long: it has \(length) bytes, and its name alone \(nameLength).",
            advice: "Choose a path of at most \(most) bytes, with a name of at most \(mostInName).", file: file)
    }

    /// The name of the rollback journal of a rescue's copy is longer than those of the files of a journal by this much.
    static let rescueNameLength = 8

    /// The error of a file that could not be made, because its file system has a fixed number of files.
    static func noInode(for file: String, _ error: JournalError) -> JournalError {
        JournalError(
            .diskFull,
            "The file system of \(Platform.directory(of: file)) has room for no further file (no inode is free).",
            file: file, underlying: error.underlying)
    }

    /// Refuses a file that is plainly not a journal, before anything is written to it or next to it.
    ///
    /// The file is read without its WAL and without a lock, so the content can be old, and after a crash its pages can
    /// be inconsistent. Only the header is trusted, and only if it names another owner; all other cases are decided
    /// when the file is actually opened.
    static func checkIsOurs(_ file: String, vfs: String?) throws(JournalError) {
        try checkPartsAreFiles(file)
        let rollback = RollbackJournal(of: file)
        try rollback?.check()
        guard let status = Platform.status(ofPath: file), status.size > 0 else { return }
        // With a rollback journal not even the header counts: any program that opens the file rolls it back first.
        // https://www.sqlite.org/lockingv3.html#hot_journals
        guard rollback == nil else { return }
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
    /// Refuses a -wal or -shm that is a pipe, because opening that could take for ever; and one that is a link, also a
    /// -lock: what is written to it would change another file.
    private static func checkPartsAreFiles(_ file: String) throws(JournalError) {
        for part in [FileBeside.wal, .shm, .lock] {
            let path = part.path(of: file)
            guard let status = Platform.status(ofLink: path) else { continue }
            if status.kind == .regular, status.links > 1 {
                throw JournalError(
                    .severalNames, "\(path) has \(status.links) names (hard links).",
                    advice:
                        "Find out where the others come from, and remove those: this one can hold what was acknowledged "
                        + "last. Nothing was touched.", file: file)
            }
            guard status.kind != .regular, part != .lock else { continue }
            throw JournalError(
                .corrupt, "\(path) is not a regular file.",
                advice: "Find out where it comes from, and move it away. Nothing was touched.", file: file)
        }
    }

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
        guard (try status(file, of: file)?.size ?? 0) == 0,
            let wal = try status(FileBeside.wal.path(of: file), of: file), wal.size > 0
        else { return }
        if let holder = try? Sidecar.currentHolder(besides: file) {
            throw JournalError(
                .inUse,
                "The database is missing or empty, and process \(holder.identity.process) on \(holder.identity.host) still has "
                    + "it open.", advice: "Move it back to this name. Its WAL has what is not in it yet.", file: file)
        }
        throw JournalError(
            .acknowledgedEntriesLost, "The database is missing or empty, but its WAL is there with \(wal.size) bytes.",
            advice:
                "Move the database back to this name, or move \(file)-wal away to begin anew. Nothing was touched.",
            file: file)
    }

    /// Refuses to make a journal beside a database that has the name of its -journal or its -shm: SQLite would delete
    /// the first as the remains of a transaction, and overwrite the second.
    /// https://www.sqlite.org/lockingv3.html#hot_journals
    static func checkDestroysNoDatabase(_ file: String, vfs: String?) throws(JournalError) {
        guard (try status(file, of: file)?.size ?? 0) == 0 else { return }
        for path in [FileBeside.rollback, .shm].map({ $0.path(of: file) }) {
            guard try status(path, of: file)?.kind == .regular,
                // Fails for a file of SQLite that is no database.
                let header = try? JournalDatabase.inspect(path, vfs: vfs),
                header.applicationID != 0 || !header.isEmpty
            else { continue }
            throw JournalError(
                .badArgument, "\(path) is a database, and a journal with this name would overwrite it.",
                advice: "Choose another name, or move that database away.", file: file)
        }
    }
}
