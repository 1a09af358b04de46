extension JournalReader {
    /// What pruning a stream before a step would remove. Changes nothing.
    ///
    /// - Throws: ``JournalError`` as ``Journal/prune(_:before:)`` would.
    public func prunePlan(in name: String, before step: Int) throws(JournalError) -> PruneReport {
        let stream = try stream(name)
        let facts = try read("planning to prune", stream: name) { database throws(DatabaseError) in
            try database.pruneFacts(of: stream)
        }
        let plan = try facts.plan(before: step, file: file)
        let removed = try read("planning to prune", stream: name) { database throws(DatabaseError) in
            try database.entryCount(of: stream.id, in: plan.removed)
        }
        return PruneReport(plan, removed: removed)
    }

    /// All rows of the journal except what only counts openings, for tests that compare two journals.
    package func lines() throws(JournalError) -> [String] {
        try read("reading all of it") { database throws(DatabaseError) in try database.lines() }
    }
}
