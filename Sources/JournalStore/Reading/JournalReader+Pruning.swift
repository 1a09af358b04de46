extension JournalReader {
    /// What pruning a stream before a step would remove. Changes nothing.
    ///
    /// It reads the entries up to the new base, to check them.
    ///
    /// - Throws: ``JournalError`` as ``Journal/prune(_:before:)`` would.
    public func prunePlan(in name: String, before step: Int) throws(JournalError) -> PruneReport {
        try prunePlan(in: name, before: step, acceptingDamage: false)
    }

    /// What pruning a stream before a step would remove. Changes nothing.
    ///
    /// - Parameters:
    ///   - name: the stream.
    ///   - step: the first step that must stay.
    ///   - acceptingDamage: whether what is there up to the new base may be damaged.
    /// - Throws: ``JournalError`` as ``Journal/prune(_:before:acceptingDamage:)`` would.
    public func prunePlan(
        in name: String, before step: Int, acceptingDamage: Bool
    ) throws(JournalError) -> PruneReport {
        var (stream, plan) = try plan(in: name, before: step)
        while try removesEntries(plan, of: stream) {
            guard !acceptingDamage, try !isSound(upTo: plan.base, in: stream) else {
                try checkSnapshots(of: plan, in: stream)
                break
            }
            (stream, plan) = try self.plan(in: name, before: step)
        }
        let (removed, kept) = try read("planning to prune", stream: name) {
            [stream, plan] database throws(DatabaseError) in
            (
                try database.entryCount(of: stream.id, in: plan.removed),
                try database.entryCount(of: stream.id, in: plan.islands)
            )
        }
        return PruneReport(plan, removed: removed, kept: kept)
    }

    /// Whether there is anything to remove. If not, nothing is checked either.
    private func removesEntries(_ plan: PrunePlan, of stream: StreamInfo) throws(JournalError) -> Bool {
        try read("planning to prune", stream: stream.name) { [id = stream.id] database throws(DatabaseError) in
            try database.hasEntry(of: id, in: plan.removed)
        }
    }

    /// How many entries a stream has in some ranges of steps.
    func entryCount(of name: String, in ranges: [ClosedRange<Int>]) throws(JournalError) -> Int {
        if ranges.isEmpty { return 0 }
        return try read("counting entries", of: name) { database, id throws(DatabaseError) in
            try database.entryCount(of: id, in: ranges)
        }
    }

    private func plan(in name: String, before step: Int) throws(JournalError) -> (StreamInfo, PrunePlan) {
        let stream = try stream(name)
        let facts = try read("planning to prune", stream: name) { database throws(DatabaseError) in
            try database.pruneFacts(of: stream)
        }
        return (stream, try facts.plan(before: step, file: file))
    }

    /// Checks what a pruning up to a step removes, now or later. If something is wrong, nothing tells of it afterwards.
    ///
    /// - Returns: false if another pruning has removed some of it meanwhile, so that it is not known.
    /// - Throws: ``JournalError`` if an entry is damaged or missing, or a record is damaged.
    func isSound(upTo base: Int, in stream: StreamInfo) throws(JournalError) -> Bool {
        guard let damage = try damage(upTo: base, in: stream) else { return true }
        if let now = try row(of: stream), now.prunedStep > stream.prunedStep { return false }
        throw ErrorLocation(file: file, stream: stream.name, step: damage.step).removesDamage(damage.message)
    }

    /// Checks the snapshots that replace what a pruning removes: the new base, and those after which entries begin that
    /// stay for live effects. Until then they were only caches, which no opening had to read.
    func checkSnapshots(of plan: PrunePlan, in stream: StreamInfo) throws(JournalError) {
        for island in plan.islands where island.lowerBound - 1 > stream.prunedStep {
            try checkBase(island.lowerBound - 1, of: stream)
        }
        try checkBase(plan.base, of: stream)
    }

    /// Checks the snapshot that a pruning would make the base, or that is the base: it replaces what is removed.
    private func checkBase(_ step: Int, of stream: StreamInfo) throws(JournalError) {
        do throws(JournalError) {
            _ = try snapshot(in: stream, atOrBefore: step)
        } catch  where error.code == .corrupt {
            // No steps lead to a base of an earlier version again.
            var isBase = step == stream.prunedStep
            if !isBase { isBase = try newestMark(of: stream, atOrBefore: step)?.isBase == true }
            throw isBase ? error : location(stream.name, step).damagedCache
        }
    }

    /// The first damage to a stream up to a step: to its entries, their records, or its base.
    func damage(upTo base: Int, in stream: StreamInfo) throws(JournalError) -> (step: Int?, message: String)? {
        do throws(JournalError) {
            if stream.prunedStep > 0 { _ = try snapshot(in: stream, atOrBefore: stream.prunedStep) }
            if let problem = try brokenLink(upTo: base, in: stream) {
                // The head itself is what is missing.
                let first = if case .head(_, let found) = problem { found + 1 } else { problem.steps.lowerBound }
                return (first, problem.message)
            }
            let record = try read("checking what to prune", stream: stream.name) { database throws(DatabaseError) in
                try database.damagedRecord(of: stream.id, in: 1...max(1, base))
            }
            return record.map { ($0.step, $0.message) }
        } catch  where error.code == .corrupt {
            let message = error.message.hasSuffix(".") ? String(error.message.dropLast()) : error.message
            return (error.step, message)
        }
    }

    /// The first problem in the digest chain up to a step.
    private func brokenLink(upTo base: Int, in stream: StreamInfo) throws(JournalError) -> ChainCheck.Problem? {
        let snapshots = try read("reading the snapshots", stream: stream.name) { database throws(DatabaseError) in
            try database.snapshotDigests(of: stream.id)
        }
        var check = ChainCheck(of: stream, snapshots.byStep)
        var found: ChainCheck.Problem?
        func takeProblem() {
            let problem = check.takeProblems().first { problem in
                // Such a snapshot is only a cache, or else pruning refuses it as base.
                if case .snapshotOfOtherHistory = problem { false } else { true }
            }
            found = found ?? problem
        }
        try forEachLink(of: stream, upTo: base) { links throws(JournalError) in
            for link in links { check.check(link) }
            takeProblem()
        }
        if base == stream.headStep {
            check.end(headStep: stream.headStep, headDigest: stream.headDigest)
            takeProblem()
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
