/// Makes a copy of a journal, and something else of the copy where that is asked for.
struct Backup {
    let original: String?
    let file: NewFile

    /// - Parameters:
    ///   - copy: copies the journal to a path.
    ///   - change: makes of the copy what it is to be; nil where it stays as it is.
    func run(
        _ copy: (String) throws(JournalError) -> Void, change: ((JournalDatabase) throws(JournalError) -> Void)? = nil
    ) throws(JournalError) {
        if let change {
            try make(of: copy, change)
        } else {
            try copy(file.partial)
        }
        try Copy.verify(file.partial, original: original)
        try file.giveName()
    }

    /// What is changed is copied once more: that leaves out the room that the rest took.
    private func make(
        of copy: (String) throws(JournalError) -> Void, _ change: (JournalDatabase) throws(JournalError) -> Void
    ) throws(JournalError) {
        let draft = file.draft
        defer { Platform.remove(draft) }
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
