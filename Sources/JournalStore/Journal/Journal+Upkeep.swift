/// What a pruning did.
public struct PruneReport: Hashable, Sendable {
    /// The step whose snapshot stands in for what was removed.
    public var base: Int
    /// How many entries were removed.
    public var removedEntries: Int
    /// How many entries up to the base stay, because running effects still need them.
    public var keptEntries: Int
}

extension Journal {
    /// Removes the entries of a stream before a step, as far as a snapshot stands in for them. That snapshot becomes a base.
    ///
    /// Never removed: what a running effect still needs, what is not settled, the IDs of dispatches. One transaction: all of
    /// it or nothing.
    ///
    /// - Parameters:
    ///   - name: the stream.
    ///   - step: the first step that must stay.
    /// - Throws: ``JournalError``: there is no snapshot before that step, or it does not belong to the entry it names.
    @discardableResult
    public func prune(_ name: String, before step: Int) async throws(JournalError) -> PruneReport {
        try await writer.alone { state throws(JournalError) in try state.prune(name, before: step) }
    }

    /// Removes a snapshot that only saves time. A base stays.
    ///
    /// - Throws: ``JournalError``: there is no such snapshot, or it is more than a cache.
    public func dropSnapshot(of name: String, at step: Int) async throws(JournalError) {
        try await writer.alone { state throws(JournalError) in try state.dropSnapshot(of: name, at: step) }
    }
}
