extension JournalReader {
    /// The recorded effects of one step, in their order.
    ///
    /// - Throws: ``JournalError`` where the journal cannot be read.
    package func effectRuns(of name: String, step: Int, limit: Int) throws(JournalError) -> [EffectRun] {
        let stream = try stream(name)
        return try read("reading the effects", stream: name, step: step) { database throws(DatabaseError) in
            try database.runs(of: stream.id, status: nil, after: (step, -1), limit: limit)
        }.filter { $0.step == step }
    }
}
