/// Makes a copy of a journal, changed if requested.
struct Backup {
    let original: String?
    let file: NewFile

    /// - Parameters:
    ///   - copy: copies the journal to a path.
    ///   - change: changes the copy; nil for a plain copy.
    /// - Returns: how many damaged snapshots were left out.
    @discardableResult
    func run(
        _ copy: (String) throws(JournalError) -> Void, change: ((JournalDatabase) throws(JournalError) -> Void)? = nil
    ) throws(JournalError) -> Int {
        do throws(JournalError) {
            // Here the error is about the new file. One of SQLite would be about the journal.
            _ = try ByteFile(creating: change == nil ? file.partial : file.draft, like: original)
            if let change {
                try make(of: copy, change)
            } else {
                try copy(file.partial)
                try forgetPath()
            }
            let omitted = try Copy.verify(file.partial, original: original)
            try file.giveName()
            return omitted
        } catch {
            Copy.remove(file.partial)
            throw file.named(ofCopy(error))
        }
    }

    /// An error of a write is about the new file: the journal is only read. What the copy's header and schema are, the
    /// journal's are.
    private func ofCopy(_ error: JournalError) -> JournalError {
        if [.notAJournal, .schemaMismatch, .newerSchema].contains(error.code) {
            return changed(error) { $0.file = original }
        }
        // SQLite says only that it could not open a file. The journal was open before.
        if error.code == .cannotOpen, error.file == original,
            // What was made is removed already: a draft, the copy, and its rollback journal.
            !Platform.hasRoom(forFiles: 3, in: Platform.directory(of: file.target))
        {
            return JournalPath.noInode(for: file.partial, error)
        }
        guard error.code == .diskFull || NewFile.isFailedWrite(error) else { return error }
        return changed(error) { $0.file = file.partial }
    }

    /// No writer has opened the copy yet: the WAL at the path of the original is not the copy's.
    private func forgetPath() throws(JournalError) {
        try JournalError.at(file.partial, "changing the copy") { () throws(DatabaseError) in
            let database = try JournalDatabase.openDraft(file.partial)
            guard let writer = try database.writer() else { return }
            try database.connection.transaction { () throws(DatabaseError) in
                try database.write(changed(writer) { $0.path = "" })
            }
        }
        try Copy.sync(file.partial)
    }

    /// A changed copy is copied once more, which leaves out the space that removed rows took.
    private func make(
        of copy: (String) throws(JournalError) -> Void, _ change: (JournalDatabase) throws(JournalError) -> Void
    ) throws(JournalError) {
        let draft = file.draft
        defer { Copy.remove(draft) }
        try copy(draft)
        let database = try JournalError.at(draft, "opening the copy") { () throws(DatabaseError) in
            try JournalDatabase.openDraft(draft)
        }
        try change(database)
        try JournalError.at(original, "copying to \(file.target)") { () throws(DatabaseError) in
            try Copy.make(of: database.connection, at: file.partial)
        }
    }
}
