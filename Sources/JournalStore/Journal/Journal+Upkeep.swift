/// The result of pruning a stream.
public struct PruneReport: Hashable, Sendable {
    /// The step whose snapshot replaces the removed entries.
    public var base: Int
    /// How many entries were removed.
    public var removedEntries: Int
    /// How many entries up to the base stay, because live runs need them.
    public var keptEntries: Int
}

extension Journal {
    /// Removes the entries of a stream up to the newest snapshot before a step. That snapshot becomes a base.
    ///
    /// Entries that a live run needs, entries that are not settled, and dispatch IDs stay. Everything happens in one
    /// transaction.
    ///
    /// - Parameters:
    ///   - name: the stream.
    ///   - step: the first step that must stay.
    /// - Throws: ``JournalError`` if there is no snapshot before that step, or it does not match the entry of its step.
    @discardableResult
    public func prune(_ name: String, before step: Int) async throws(JournalError) -> PruneReport {
        try await writer.alone { state throws(JournalError) in try state.prune(name, before: step) }
    }

    /// Removes a snapshot that is only a cache.
    ///
    /// - Throws: ``JournalError`` if there is no such snapshot, or if it is more than a cache, such as a base.
    public func dropSnapshot(of name: String, at step: Int) async throws(JournalError) {
        try await writer.alone { state throws(JournalError) in try state.dropSnapshot(of: name, at: step) }
    }
}
