extension JournalReader {
    /// Makes a new journal of one stream as it was after a step, also while an app writes the one it comes from.
    ///
    /// Up to that step both have the same history: the same entries, digests and states. Behind it the fork has its own chance, so that
    /// the same actions lead to other IDs and numbers. What the step had left running is `asked` in the fork: it goes on in the journal it
    /// comes from. Other streams are not there; one whose messages this stream had received stays as an empty stream named
    /// "… (before the fork)", as its ID is part of their digests.
    ///
    /// The fork is verified and synced before it gets its name. The WAL grows while it is made: it is one long read. Beside `path` there
    /// must be room for a copy of the whole journal meanwhile.
    ///
    /// - Parameters:
    ///   - name: the stream.
    ///   - step: the last step that the fork has.
    ///   - path: where to; nothing may stand there.
    /// - Throws: ``JournalError``: there is no such stream or step, the history before the step was pruned, something stands there, the
    ///   disk is full, or the fork does not verify.
    @concurrent
    public func fork(_ name: String, at step: Int, to path: String) async throws(JournalError) {
        // What cannot be done is told before anything is copied.
        try stream(name).checkFork(at: step, file: file)
        let target = try NewFile(path)
        if let missing = try missingEntries() { throw missing }
        try Backup(original: file, file: target).run { draft throws(JournalError) in
            try copy(to: draft)
        } change: { database throws(JournalError) in
            try self.cut(database, to: name, at: step)
        }
    }

    private func cut(_ database: JournalDatabase, to name: String, at step: Int) throws(JournalError) {
        let info = try JournalError.at(file, "reading the stream", stream: name) { () throws(DatabaseError) in
            try database.stream(named: name)
        }
        guard let info else { throw unknownStream(name) }
        // It may have been pruned meanwhile.
        try info.checkFork(at: step, file: file)
        try JournalError.at(file, "making the fork", stream: name, step: step) { () throws(DatabaseError) in
            try database.fork(info, at: step)
        }
    }
}
