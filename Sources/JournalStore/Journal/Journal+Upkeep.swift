extension Journal {
    /// Removes the entries of a stream up to the newest snapshot before a step. That snapshot becomes a base. With them go
    /// their outcomes, the records of their effects that have ended, with attempts and remembered steps, and the older
    /// snapshots.
    ///
    /// If there is no entry to remove, nothing is changed: live runs need all of them, or they were removed before.
    ///
    /// Entries that a live run needs, entries that are not settled, and dispatch IDs stay. A long pruning takes several
    /// transactions, so that others can commit in between. Each leaves a base and the entries after it. If the process
    /// ends before the last one, or one of them fails, what was removed stays removed, and another call goes on.
    ///
    /// - Parameters:
    ///   - name: the stream.
    ///   - step: the first step that must stay. One after the end of the stream means its last step: then as much is
    ///     removed as can be.
    /// - Throws: ``JournalError`` if there is no such stream; if there is no snapshot before that step, or it does not
    ///   match the entry of its step; ``JournalError/Code/corrupt`` if an entry up to the new base is damaged or missing,
    ///   or the record of an effect of such an entry is damaged; ``JournalError/Code/busy`` while an effect of the
    ///   stream is retried; if the journal cannot write.
    @discardableResult
    @concurrent public func prune(_ name: String, before step: Int) async throws(JournalError) -> PruneReport {
        try await prune(name, before: step, acceptingDamage: false)
    }

    /// Removes the entries of a stream up to the newest snapshot before a step, perhaps also if some of them are damaged
    /// or missing; see ``prune(_:before:)``.
    ///
    /// - Parameters:
    ///   - name: the stream.
    ///   - step: the first step that must stay.
    ///   - acceptingDamage: whether to remove damaged entries and records. Afterwards nothing tells of the damage: neither
    ///     ``verify()`` nor a later opening.
    /// - Throws: ``JournalError`` as ``prune(_:before:)``.
    @discardableResult
    @concurrent public func prune(
        _ name: String, before step: Int, acceptingDamage: Bool
    ) async throws(JournalError) -> PruneReport {
        var (before, removed, checked) = (step, 0, 0)
        while true {
            let part = try await writer.exclusively { [before, removed, checked] state throws(JournalError) in
                try state.prune(name, before: before, isBegun: removed > 0, checked: checked)
            }
            switch part {
            case .unchecked(let plan, let stream):
                // By a reader, so that others can commit meanwhile. If another pruning was faster, it is planned again.
                if !acceptingDamage, try !reader.isSound(upTo: plan.base, in: stream) { continue }
                try reader.checkSnapshots(of: plan, in: stream)
                checked = plan.base
                // A newer snapshot would have to be checked as well, and so on for ever.
                before = plan.base + 1
            case .removed(let plan, let entries, let first, let isLast):
                removed += entries
                if isLast {
                    // The pruning is done: an entry that cannot be counted must not make it an error.
                    let kept = try? reader.entryCount(of: name, in: plan.islands)
                    return PruneReport(plan, removed: removed, kept: kept ?? plan.islands.map(\.count).reduce(0, +))
                }
                // The stream can have become longer.
                before = first
            }
        }
    }

    /// Removes a snapshot that is only a cache.
    ///
    /// - Throws: ``JournalError`` if there is no such snapshot, or if it is more than a cache, such as a base.
    @concurrent package func dropSnapshot(of name: String, at step: Int) async throws(JournalError) {
        try await writer.exclusively { state throws(JournalError) in try state.dropSnapshot(of: name, at: step) }
    }

    /// Reads the whole journal and checks it: see ``JournalReader/verify()``.
    ///
    /// - Throws: ``JournalError`` if the journal cannot be read at all. Damage that is found is in the report.
    @concurrent
    public func verify() async throws(JournalError) -> VerificationReport {
        try reader.verify()
    }
}
