extension JournalReader {
    /// Creates a new journal with one stream as it was after a step, also while an app writes the original.
    ///
    /// Up to that step both have the same history: the same entries, digests and states. After it the fork draws other
    /// random values, so the same actions result in other IDs and numbers. Runs that were live after the step are
    /// `asked` in the fork, because they continue in the original; one that was cancelled sends its cancel action. They
    /// keep all results that they have remembered, also those from after the step: their times are not recorded. Other
    /// streams are left out; one that had sent messages to this stream stays, empty and named "… (before the fork)",
    /// because its ID is part of the digests.
    ///
    /// The fork is verified and synced before it gets its name. The WAL grows meanwhile, because this is one long read.
    /// The folder of `path` needs space for a copy of the whole journal as well.
    ///
    /// - Parameters:
    ///   - name: the stream.
    ///   - step: the last step of the fork.
    ///   - path: the journal to create; the path must not exist.
    /// - Throws: ``JournalError`` if there is no such stream or step, the history before the step was pruned, or the
    ///   entry that a live run needs, the path exists, the disk is full, or the fork does not verify.
    @concurrent
    public func fork(_ name: String, at step: Int, to path: String) async throws(JournalError) {
        // Fail before anything is copied.
        let info = try stream(name)
        try info.checkFork(at: step, decided: decidedStep(of: info), file: file)
        let target = try NewFile(path)
        if let missing = try missingEntries() { throw missing }
        try Backup(original: file, file: target).run { draft throws(JournalError) in
            try copy(to: draft)
        } change: { database throws(JournalError) in
            try self.cut(database, to: name, at: step)
        }
    }

    private func cut(_ database: JournalDatabase, to name: String, at step: Int) throws(JournalError) {
        let (info, decided) = try JournalError.at(file, "reading the stream", stream: name) {
            () throws(DatabaseError) in
            let info = try database.stream(named: name)
            return (info, try info.map { info throws(DatabaseError) in try database.decidedStep(of: info) })
        }
        guard let info, let decided else { throw unknownStream(name) }
        // The stream may have been pruned in the meantime.
        try info.checkFork(at: step, decided: decided, file: file)
        let lost = try JournalError.at(file, "making the fork", stream: name, step: step) { () throws(DatabaseError) in
            try database.fork(info, at: step)
        }
        if let lost { throw info.cannotContinue(lost, at: step, file: file) }
    }
}
