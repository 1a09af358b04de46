extension Store {
    /// A replayer of this store's stream, with its machine and its environment.
    ///
    /// - Throws: ``JournalError`` if the journal cannot be read.
    public func replayer(
        progress: @escaping @Sendable (ReplayProgress) -> Void = { _ in }
    ) throws(JournalError) -> Replayer<Action, State> {
        let reader = engine.stream.journal.reader
        return Replayer(
            engine.program, reader, try reader.stream(stream), crossingBases: engine.crossesBases, progress)
    }
}
