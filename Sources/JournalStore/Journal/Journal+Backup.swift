extension Journal {
    /// Copies the journal, as it is at this moment, to a new file, also while it is written. The copy is read back,
    /// verified and synced before it gets its name.
    ///
    /// A copy is the same journal: restored, it continues where this one was. A *detached* copy is another journal,
    /// which can be opened beside this one: live runs are `asked` there, because they continue here, and all later
    /// steps draw other random values.
    ///
    /// The WAL grows meanwhile, because copying is one long read.
    ///
    /// - Parameters:
    ///   - path: the file to create; the path must not exist.
    ///   - detached: whether to make the copy a journal of its own.
    /// - Throws: ``JournalError`` if the path exists, the disk is full, acknowledged entries are missing, or the copy does
    ///   not verify.
    public func backup(to path: String, detached: Bool = false) async throws(JournalError) {
        guard file != nil else {
            // The only connection of a journal in memory is the writer's.
            let target = try NewFile(path)
            try await writer.exclusively { state throws(JournalError) in
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
    /// Copies the journal to a new file: see ``Journal/backup(to:detached:)``.
    ///
    /// - Parameters:
    ///   - path: the file to create; the path must not exist.
    ///   - detached: whether to make the copy a journal of its own.
    /// - Throws: ``JournalError`` as ``Journal/backup(to:detached:)``.
    @concurrent
    public func backup(to path: String, detached: Bool = false) async throws(JournalError) {
        _ = try await backUp(to: path, detached: detached)
    }

    /// The same.
    ///
    /// - Returns: how many damaged snapshots were left out of the copy.
    @concurrent
    package func backUp(to path: String, detached: Bool) async throws(JournalError) -> Int {
        let target = try NewFile(path)
        if let missing = try missingEntries() { throw missing }
        return try Backup(original: file, file: target).run(detached: detached) { partial throws(JournalError) in
            try copy(to: partial)
        }
    }
}

extension Backup {
    @discardableResult
    fileprivate func run(detached: Bool, _ copy: (String) throws(JournalError) -> Void) throws(JournalError) -> Int {
        guard detached else { return try run(copy) }
        return try run(copy) { database throws(JournalError) in
            try JournalError.at(original, "detaching the copy") { () throws(DatabaseError) in try database.detach() }
        }
    }
}
