extension Copy {
    /// Verifies the whole copy; deletes it if anything is wrong. Damaged snapshots that can be computed again are left
    /// out of the copy instead.
    ///
    /// - Parameters:
    ///   - original: the file it is a copy of; nil if that is not a file.
    ///   - advice: what to do if the verification fails.
    /// - Returns: how many snapshots were left out.
    @discardableResult
    static func verify(
        _ path: String, original: String?,
        advice: String =
            "Run `journal-replay verify` on the journal itself. If it is damaged, restore a backup."
    ) throws(JournalError) -> Int {
        var report = try JournalReader(path: path).verify()
        var omitted = 0
        // A report lists a limited number of problems, so there can be several rounds.
        while !report.isSound, report.isSoundWithoutCaches, case let count = try delete(report.problems, from: path),
            count > 0
        {
            omitted += count
            report = try JournalReader(path: path).verify()
        }
        guard report.isSound else {
            remove(path)
            // A snapshot that can be computed again is no reason.
            let reason = report.problems.first { !$0.isOfCache } ?? report.problems.first
            throw JournalError(
                .copyNotVerified,
                "The copy is not sound (\(reason.map(\.description) ?? "unknown")) and was removed.",
                advice: advice, file: original ?? path)
        }
        return omitted
    }

    /// Deletes the snapshots that the problems are about, and syncs the copy.
    ///
    /// - Returns: how many were deleted.
    private static func delete(
        _ caches: [VerificationReport.Problem], from path: String
    ) throws(JournalError) -> Int {
        let deleted = try JournalError.at(path, "deleting damaged snapshots") { () throws(DatabaseError) in
            let database = try JournalDatabase.openDraft(path)
            return try database.connection.transaction { () throws(DatabaseError) in
                var deleted = 0
                for cache in caches {
                    guard let stream = cache.stream, let step = cache.step else { continue }
                    if try database.deleteCache(of: stream, at: step) { deleted += 1 }
                }
                return deleted
            }
        }
        try sync(path)
        return deleted
    }

    static func sync(_ path: String) throws(JournalError) {
        guard Platform.sync(path) else {
            throw JournalError.system(.inputOutput, "The copy could not be synced", file: path)
        }
    }
}
