/// The records of a stream that an opening restores.
struct RestoredRecords: Sendable {
    var queues: [QueueMemory] = []
    var skippedSteps: Set<Int> = []
    /// The effects that have not ended, in the order of their steps.
    var runs: [EffectRun] = []
}

extension JournalReader {
    /// Reads the records that an opening restores. Most streams have none, which one query finds out.
    ///
    /// - Throws: ``JournalError``; with ``JournalError/Code/corrupt`` if one is missing.
    func restoredRecords(of stream: StreamInfo) throws(JournalError) -> RestoredRecords {
        let digest = try read("reading the effects", stream: stream.name) {
            [id = stream.id, known = stream.records.live] database throws(DatabaseError) -> Digest? in
            let live = try database.liveRecords(of: id)
            if live == known { return live }
            // A skipped step can have been pruned since the stream's row was read.
            return try database.stream(id)?.records.live == live ? live : nil
        }
        guard let digest else {
            throw location(stream.name).error(
                .corrupt, "A base, or the record of an effect, a queue, a skipped step or a seed is missing.",
                advice: "Run `journal-replay verify` to find all damage, and restore a backup.")
        }
        if digest == .none { return RestoredRecords() }
        var records = try read("reading the effects", stream: stream.name) {
            [id = stream.id] database throws(DatabaseError) in
            RestoredRecords(queues: try database.queues(of: id), skippedSteps: Set(try database.skippedSteps(of: id)))
        }
        records.runs = try liveRuns(of: stream.name)
        return records
    }
}
