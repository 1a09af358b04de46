extension Journal {
    /// What the journal has done since it was opened, and what it does at the moment.
    ///
    /// It reads the status and the queue of each live effect from the database. Nothing is measured for it but the time
    /// of each transaction.
    ///
    /// - Throws: ``JournalError`` if the journal was closed or cannot be read.
    @concurrent public func metrics() async throws(JournalError) -> JournalMetrics {
        var metrics = try await writer.metrics()
        (metrics.effects, metrics.queues) = try reader.liveEffects()
        (metrics.databaseBytes, metrics.walBytes) = reader.sizes
        return metrics
    }
}
