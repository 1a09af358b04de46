extension WriterState {
    /// One transaction of a pruning, or what must be checked before it.
    enum PrunedPart {
        case unchecked(PrunePlan, of: StreamInfo)
        /// - Parameters:
        ///   - entries: how many entries were removed.
        ///   - before: the first step to keep, for the next transaction.
        case removed(PrunePlan, entries: Int, before: Int, isLast: Bool)
    }

    /// Prunes towards a step, in one transaction. A pruning that can remove no entry changes nothing.
    ///
    /// - Parameters:
    ///   - isBegun: whether earlier transactions of the pruning have removed entries.
    ///   - checked: the step up to which what can be removed was checked.
    mutating func prune(
        _ name: String, before step: Int, isBegun: Bool, checked: Int
    ) throws(JournalError) -> PrunedPart {
        let facts = try read(name, while: "planning to prune") { database, info throws(DatabaseError) in
            try database.pruneFacts(of: info)
        }
        // An effect can have become live by a record that is not written.
        if streams[facts.info.id]?.watermark.isBlocked == true { throw .unwrittenRecords(of: name, file: file) }
        // Its record says only afterwards that it is live; later still, if that record waits for room on a full disk.
        if retries[facts.info.id] != nil {
            throw location(name).error(.busy, "An effect of the stream is being retried.", advice: "Try again.")
        }
        if streams[facts.info.id]?.watermark.isLate == true {
            throw location(name).error(
                .busy, "Records of the stream could not be written yet, and are tried again.", advice: "Try again.")
        }
        let whole = try facts.plan(before: step, file: file)
        if !isBegun, try !removesEntries(whole, of: facts.info) {
            return .removed(whole, entries: 0, before: facts.firstKept(step), isLast: true)
        }
        guard whole.base <= checked else { return .unchecked(whole, of: facts.info) }
        let plan = try nextPart(of: whole, facts) ?? whole
        let (removed, records) = try transaction(while: "pruning", of: facts.info.id) {
            database, number throws(DatabaseError) in
            try database.prune(facts.info.id, plan, transaction: number)
        }
        streams[facts.info.id]?.records ^= records
        streams[facts.info.id]?.kept = Boxed(changed(facts.info) { $0.prunedStep = plan.base })
        return .removed(plan, entries: removed, before: facts.firstKept(step), isLast: plan == whole)
    }

    /// Whether any entry is left in the ranges that a plan removes.
    private func removesEntries(_ plan: PrunePlan, of stream: StreamInfo) throws(JournalError) -> Bool {
        let database = try usable()
        return try JournalError.at(file, "planning to prune", stream: stream.name) { () throws(DatabaseError) -> Bool in
            try database.hasEntry(of: stream.id, in: plan.removed)
        }
    }

    /// What the next transaction removes; nil if it is the last one.
    private func nextPart(of whole: PrunePlan, _ facts: PruneFacts) throws(JournalError) -> PrunePlan? {
        let database = try usable()
        return try JournalError.at(file, "planning to prune", stream: facts.info.name) {
            () throws(DatabaseError) -> PrunePlan? in
            for stop in facts.stops(on: whole, every: options.stepsPerPruning) {
                do throws(DatabaseError) {
                    // Reading it checks the digest of its state.
                    guard try database.snapshot(in: facts.info.id, atOrBefore: stop)?.step == stop else { continue }
                    return facts.plan(upTo: stop)
                } catch  where error.isDamagedRow {
                    // It is only a cache, and the pruning removes it.
                }
            }
            return nil
        }
    }

    /// Removes a snapshot that is only a cache.
    mutating func dropSnapshot(of name: String, at step: Int) throws(JournalError) {
        let (info, facts) = try read(name, while: "reading the snapshots") { database, info throws(DatabaseError) in
            (info, try database.dropFacts(of: info, at: step))
        }
        _ = try facts.cache(location(name, step))
        try transaction(while: "dropping a snapshot") { database, _ throws(DatabaseError) in
            _ = try database.deleteSnapshot(of: info.id, at: step)
        }
    }
}
