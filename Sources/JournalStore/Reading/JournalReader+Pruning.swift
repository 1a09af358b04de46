extension JournalReader {
    /// What pruning a stream before a step would remove. Changes nothing.
    ///
    /// It reads the entries that would be removed, to check them.
    ///
    /// - Throws: ``JournalError`` as ``Journal/prune(_:before:)`` would.
    public func prunePlan(in name: String, before step: Int) throws(JournalError) -> PruneReport {
        try prunePlan(in: name, before: step, acceptingDamage: false)
    }

    /// What pruning a stream before a step would remove. Changes nothing.
    ///
    /// - Parameter acceptingDamage: whether entries and records that are damaged or missing may be among those that are
    ///   removed.
    /// - Throws: ``JournalError`` as ``Journal/prune(_:before:acceptingDamage:)`` would.
    public func prunePlan(
        in name: String, before step: Int, acceptingDamage: Bool
    ) throws(JournalError) -> PruneReport {
        let stream = try stream(name)
        let facts = try read("planning to prune", stream: name) { database throws(DatabaseError) in
            try database.pruneFacts(of: stream)
        }
        let plan = try facts.plan(before: step, file: file)
        if !acceptingDamage { try checkRemoved(by: plan, of: stream) }
        let removed = try read("planning to prune", stream: name) { database throws(DatabaseError) in
            try database.entryCount(of: stream.id, in: plan.removed)
        }
        return PruneReport(plan, removed: removed)
    }

    /// Refuses a pruning that would remove entries or records that are damaged, or among which some are missing:
    /// afterwards nothing would tell.
    func checkRemoved(by plan: PrunePlan, of stream: StreamInfo) throws(JournalError) {
        guard let damage = try damageRemoved(by: plan, of: stream) else { return }
        // Another pruning since then has removed entries that the plan has.
        if let now = try row(of: stream), now.prunedStep > stream.prunedStep { return }
        throw ErrorLocation(file: file, stream: stream.name, step: damage.step).removesDamage(damage.message)
    }

    private func damageRemoved(
        by plan: PrunePlan, of stream: StreamInfo
    ) throws(JournalError) -> (step: Int?, message: String)? {
        do throws(JournalError) {
            if let problem = try brokenLink(in: plan.removed, of: stream) {
                return (problem.steps.lowerBound, problem.message)
            }
            for range in plan.removed {
                let record = try read("checking what to prune", stream: stream.name) { database throws(DatabaseError) in
                    try database.damagedRecord(of: stream.id, in: range)
                }
                if let record { return (nil, record) }
            }
            return nil
        } catch  where error.code == .corrupt {
            return (error.step, error.message)
        }
    }

    /// The first problem in the digest chain that concerns one of these steps.
    private func brokenLink(
        in removed: [ClosedRange<Int>], of stream: StreamInfo
    ) throws(JournalError) -> ChainCheck.Problem? {
        guard let last = removed.last?.upperBound else { return nil }
        let snapshots = try read("reading the snapshots", stream: stream.name) { database throws(DatabaseError) in
            try database.snapshotDigests(of: stream.id)
        }
        var check = ChainCheck(of: stream, snapshots.byStep)
        var found: ChainCheck.Problem?
        try forEachLink(of: stream, upTo: last) { links throws(JournalError) in
            for link in links { check.check(link) }
            let problems = check.takeProblems().filter { problem in
                // A snapshot that does not belong there is only a cache, or else pruning refuses it as base.
                if case .snapshotOfOtherHistory = problem { return false }
                return removed.contains { $0.overlaps(problem.steps) }
            }
            found = found ?? problems.first
        }
        return found
    }

    /// The snapshot of a step, if it can be dropped. It can be damaged.
    ///
    /// - Throws: ``JournalError`` as ``Journal/dropSnapshot(of:at:)`` would.
    package func snapshotToDrop(of name: String, at step: Int) throws(JournalError) -> SnapshotMark {
        let stream = try stream(name)
        let facts = try read("reading the snapshots", stream: name, step: step) { database throws(DatabaseError) in
            try database.dropFacts(of: stream, at: step)
        }
        return try facts.cache(location(name, step))
    }

    /// All rows of the journal except what only counts openings, for tests that compare two journals.
    package func lines() throws(JournalError) -> [String] {
        try read("reading all of it") { database throws(DatabaseError) in try database.lines() }
    }
}
