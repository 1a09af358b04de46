extension JournalReader {
    /// Sizes and counts. Counting scans each table or one of its indexes once.
    ///
    /// - Throws: ``JournalError`` if the journal cannot be read.
    public func statistics() throws(JournalError) -> JournalStatistics {
        let (schemaVersion, counts) = try read("counting") { database throws(DatabaseError) in
            (try database.userVersion(), try database.counts())
        }
        let library = Connection.libraryVersion
        let sizes = sizes
        let holder: Holder?
        do throws(JournalError) {
            holder = try file.flatMap { file throws(JournalError) in try Sidecar.currentHolder(besides: file) }
        } catch {
            // Another user's file can be readable without its -lock.
            guard error.code == .cannotOpen else { throw error }
            holder = nil
        }
        return JournalStatistics(
            schemaVersion: schemaVersion, counts: counts, databaseBytes: sizes.database, walBytes: sizes.wal,
            sqliteVersion: library.text, sqliteHasWALFix: library.number >= 3_051_003,
            writer: holder.map {
                JournalStatistics.Writer(host: $0.identity.host, process: Int($0.identity.process), since: $0.since)
            })
    }

    /// The sizes of the files, in bytes.
    var sizes: (database: Int64, wal: Int64) {
        guard let file else { return (0, 0) }
        func size(_ path: String) -> Int64 { Platform.status(ofPath: path)?.size ?? 0 }
        return (size(file), size(FileBeside.wal.path(of: file)))
    }

    /// How many effects have not ended, by status, and the longest queues.
    func liveEffects() throws(JournalError) -> (byStatus: [String: Int], queues: [JournalMetrics.Queue]) {
        try read("counting effects") { database throws(DatabaseError) in
            (try database.liveRuns(), try database.longestQueues(JournalMetrics.mostQueues))
        }
    }
}
