extension JournalReader {
    /// The recorded effects of one step, in their order.
    ///
    /// - Throws: ``JournalError`` where the journal cannot be read.
    package func effectRuns(of name: String, step: Int, limit: Int) throws(JournalError) -> [EffectRun] {
        try effectRuns(of: name, after: (step, -1), limit: limit).filter { $0.step == step }
    }
}
