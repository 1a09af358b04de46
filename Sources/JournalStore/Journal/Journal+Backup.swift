extension Journal {
    /// Copies the journal, as it is at this moment, into one new file, while it is written. The copy is read back, verified
    /// and synced before it gets its name.
    ///
    /// A copy is the same journal: what it is restored for goes on where this one was. A *detached* copy is another one, to be
    /// opened beside this one: effects that have not ended are `asked` there, as they go on here, and the chance of all steps to
    /// come is another.
    ///
    /// The WAL grows while the copy is made: it is the one long read.
    ///
    /// - Parameters:
    ///   - path: where to; nothing may stand there.
    ///   - detached: whether the copy is to be a journal of its own.
    /// - Throws: ``JournalError``: something stands there, the disk is full, or the copy does not verify.
    public func backup(to path: String, detached: Bool = false) async throws(JournalError) {
        guard file != nil else {
            // The one connection of a journal in memory is the writer's.
            let target = try NewFile(path)
            try await writer.alone { state throws(JournalError) in
                let database = try state.usable()
                try Backup(original: nil, file: target).run(detached: detached) { partial throws(JournalError) in
                    try JournalError.at(nil, "copying to \(target.target)") { () throws(DatabaseError) in
                        try Copy.make(of: database.connection, at: partial)
                    }
                }
            }
            return
        }
        try await reader.backup(to: path, detached: detached)
    }
}

extension JournalReader {
    /// Copies the journal into one new file: see ``Journal/backup(to:detached:)``.
    ///
    /// - Parameters:
    ///   - path: where to; nothing may stand there.
    ///   - detached: whether the copy is to be a journal of its own.
    /// - Throws: ``JournalError`` as there.
    @concurrent
    public func backup(to path: String, detached: Bool = false) async throws(JournalError) {
        let target = try NewFile(path)
        if let missing = try missingEntries() { throw missing }
        try Backup(original: file, file: target).run(detached: detached) { partial throws(JournalError) in
            try copy(to: partial)
        }
    }
}

extension Backup {
    fileprivate func run(detached: Bool, _ copy: (String) throws(JournalError) -> Void) throws(JournalError) {
        guard detached else { return try run(copy) }
        try run(copy) { database throws(JournalError) in
            try JournalError.at(original, "detaching the copy") { () throws(DatabaseError) in try database.detach() }
        }
    }
}
