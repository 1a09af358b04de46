extension JournalDatabase {
    /// Writes a row for each queue that a live described run names and that has none.
    ///
    /// - Returns: the change of the digests of the stream's records.
    func rememberQueues(of stream: StreamID) throws(DatabaseError) -> RecordsDigest {
        var records = RecordsDigest()
        for key in try statement(.missingQueues, stream).all({ $0.text(0) }) {
            records ^= try write(QueueMemory.cautious(stream: stream, key: key))
        }
        return records
    }
}
