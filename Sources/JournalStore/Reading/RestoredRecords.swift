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
        let areThere = try read("reading the effects", stream: stream.name) {
            [id = stream.id, known = stream.records.live] database throws(DatabaseError) -> Bool? in
            let live = try database.liveRecords(of: id)
            if live.digest == known { return live.areMoreThanBases }
            // A skipped step can have been pruned since the stream's row was read.
            return try database.stream(id)?.records.live == live.digest ? live.areMoreThanBases : nil
        }
        guard let areThere else {
            throw location(stream.name).error(
                .corrupt,
                "A record is missing: a base, a seed, an effect, a remembered step, a queue, or a step left out.",
                advice: JournalError.adviceForDamage)
        }
        if !areThere { return RestoredRecords() }
        // In one transaction, so that the queue of each effect is among the queues while an app writes.
        return try read("reading the effects", stream: stream.name) {
            [id = stream.id] database throws(DatabaseError) in
            RestoredRecords(
                queues: try database.queues(of: id), skippedSteps: Set(try database.skippedSteps(of: id)),
                runs: try database.liveRuns(in: id, after: (-1, -1), limit: .max))
        }
    }
}
