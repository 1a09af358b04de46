/// Compares the last acknowledged transaction and entry, as the sidecar remembers them, with the database. Does no I/O.
///
/// SQLite silently drops the commits after a damaged frame of the WAL, and the file is consistent afterwards
/// (https://www.sqlite.org/wal.html#the_wal_file). Only a record outside the database shows that they existed.
enum LossCheck {
    struct JournalEnd: Hashable {
        var journal: [UInt8]
        var lastPosition: Int
        /// The digest of the entry at the last acknowledged position; nil if there is no such entry.
        var digest: Digest?
        /// The number of the newest transaction that changed the stream of the last acknowledged one.
        var lastTransaction: Int64?
    }

    enum Verdict: Hashable {
        case complete
        /// `excused` if the computer was restarted since, and the last writer had chosen NORMAL.
        case lost(expected: Int, found: Int, excused: Bool)
        /// All entries are there, but a later transaction is not. Excused on the same condition.
        case lostRecords(excused: Bool)
        /// There is an entry at the acknowledged position, but it has another digest.
        case otherHistory(position: Int)
        /// The file does not hold the journal that the sidecar remembers.
        case otherJournal(entries: Int)
    }

    /// - Parameter holder: nil if the sidecar does not record it. Then the identity of the journal is not compared, and
    ///   nothing is excused.
    static func judge(
        _ acknowledged: Acknowledged?, by holder: Holder?, now: ProcessIdentity, found: JournalEnd
    ) -> Verdict {
        guard let acknowledged else { return .complete }
        if let holder, holder.journal != found.journal { return .otherJournal(entries: acknowledged.position) }
        // Only if both are known.
        let (before, now) = (holder?.identity.boot ?? "", now.boot)
        let powerWentAway = !before.isEmpty && !now.isEmpty && before != now
        let excused = holder?.durability == .normal && powerWentAway
        guard found.lastPosition >= acknowledged.position else {
            return .lost(expected: acknowledged.position, found: found.lastPosition, excused: excused)
        }
        if let digest = found.digest, digest != acknowledged.digest {
            return .otherHistory(position: acknowledged.position)
        }
        guard (found.lastTransaction ?? 0) >= acknowledged.transaction else { return .lostRecords(excused: excused) }
        return .complete
    }
}
