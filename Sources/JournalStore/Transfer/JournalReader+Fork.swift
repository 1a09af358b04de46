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
    /// - Throws: ``JournalError`` if there is no such stream or step; if the history before the step was pruned, or the entry
    ///   that a live run needs; if acknowledged entries are missing; if the path exists, the disk is full, or the fork does
    ///   not verify; if the stream is damaged after that step, because what is there tells which runs were live.
    @concurrent
    public func fork(_ name: String, at step: Int, to path: String) async throws(JournalError) {
        _ = try await makeFork(of: name, at: step, to: path)
    }

    /// The same.
    ///
    /// - Returns: how many damaged snapshots were left out of the fork.
    @concurrent
    package func makeFork(of name: String, at step: Int, to path: String) async throws(JournalError) -> Int {
        // Fail before anything is copied.
        let info = try stream(name)
        try info.checkFork(at: step, decided: decidedStep(of: info), file: file)
        let target = try NewFile(path)
        if let missing = try missingEntries() { throw missing }
        try checkSteps(of: info, after: step)
        return try Backup(original: file, file: target).run { draft throws(JournalError) in
            try copy(to: draft)
        } change: { database throws(JournalError) in
            try self.cut(database, to: name, at: step)
        }
    }

    /// Checks what tells which runs were live after a step, if a run depends on that. What is there up to the step is
    /// verified in the fork.
    private func checkSteps(of stream: StreamInfo, after step: Int) throws(JournalError) {
        let depends = try read("reading the effects", stream: stream.name, step: step) {
            database throws(DatabaseError) in
            try database.hasRun(of: stream.id, upTo: step)
        }
        guard depends else { return }
        var damage = try damage(upTo: stream.headStep, in: stream)
        if damage == nil {
            // The fork is checked for that as well. Here nothing was copied yet.
            let incomplete = try read("checking the records", stream: stream.name) { database throws(DatabaseError) in
                try database.incompleteStreams(only: stream.id)
            }
            if !incomplete.isEmpty { damage = (nil, "a record of it is missing or was added") }
        }
        guard let damage, damage.step ?? .max > step else { return }
        // An app can have pruned entries meanwhile. The fork is refused then, if it cannot be made.
        if let now = try row(of: stream), now.prunedStep > stream.prunedStep {
            return try checkSteps(of: now, after: step)
        }
        throw location(stream.name, damage.step).error(
            .corrupt,
            "The stream is not sound after step \(step), so it is not known which effects were live then: "
                + "\(damage.message).",
            advice: JournalError.adviceForDamage)
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
