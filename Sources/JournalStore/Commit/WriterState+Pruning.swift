extension WriterState {
    mutating func prune(_ name: String, before step: Int) throws(JournalError) -> PruneReport {
        let database = try usable()
        let facts = try JournalError.at(file, "planning to prune", stream: name) { () throws(DatabaseError) in
            try database.stream(named: name).map { info throws(DatabaseError) in try database.pruneFacts(of: info) }
        }
        guard let facts else {
            throw JournalError(
                .unknownStream, "There is no such stream.", advice: "Check the name.", file: file, stream: name)
        }
        let plan = try facts.plan(before: step, file: file)
        let removed = try transaction(while: "pruning") { database throws(DatabaseError) in
            try database.prune(facts.info.id, plan)
        }
        return PruneReport(plan, removed: removed)
    }

    /// Removes a snapshot that is only a cache.
    mutating func dropSnapshot(of name: String, at step: Int) throws(JournalError) {
        let database = try usable()
        let (info, marks) = try JournalError.at(file, "reading the snapshots", stream: name) {
            () throws(DatabaseError) in
            let info = try database.stream(named: name)
            return (info, try info.map { info throws(DatabaseError) in try database.snapshotMarks(of: info.id) } ?? [])
        }
        guard let info else {
            throw JournalError(
                .unknownStream, "There is no such stream.", advice: "Check the name.", file: file, stream: name)
        }
        guard let mark = marks.first(where: { $0.step == step }) else {
            throw JournalError(
                .noSuchStep, "There is no snapshot of this step.", advice: "`journal-replay snapshots` lists them.",
                file: file, stream: name, step: step)
        }
        // Each range of entries that pruning kept before its base begins after a snapshot.
        guard !mark.isBase, step > info.prunedStep else {
            throw JournalError(
                .notInThatState,
                "The snapshot is not only a cache: its state cannot be folded from the entries before it.",
                advice: "Drop another one.", file: file, stream: name, step: step)
        }
        try transaction(while: "dropping a snapshot") { database throws(DatabaseError) in
            try database.deleteSnapshot(of: info.id, at: step)
        }
    }
}
