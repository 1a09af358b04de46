extension JournalDatabase {
    /// Writes a row with the substitute rule for the queue of a described run that is live again, if it has none.
    ///
    /// - Returns: the change of the digests of the stream's records.
    func rememberQueue(of run: EffectRun) throws(DatabaseError) -> RecordsDigest {
        guard run.described != nil, let key = run.queueText, try queue(key, of: run.stream) == nil else {
            return RecordsDigest()
        }
        return try write(QueueMemory.substitute(stream: run.stream, key: key))
    }

    /// Writes a row with the substitute rule for each queue that a live described run names and that has none.
    ///
    /// - Returns: the change of the digests of the stream's records.
    func rememberQueues(of stream: StreamID) throws(DatabaseError) -> RecordsDigest {
        var records = RecordsDigest()
        for key in try statement(.missingQueues, stream).all({ $0.text(0) }) {
            records ^= try write(QueueMemory.substitute(stream: stream, key: key))
        }
        return records
    }
}
