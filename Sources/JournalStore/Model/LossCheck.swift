/// Compares the last acknowledged entry, as the sidecar remembers it, with the database. Does no I/O.
///
/// SQLite silently drops the commits after a damaged frame of the WAL, and the file is consistent afterwards
/// (https://www.sqlite.org/wal.html#the_wal_file). Only a record outside the database shows that they existed.
enum LossCheck {
    struct JournalEnd: Hashable {
        var journal: [UInt8]
        var lastPosition: Int
        /// The digest of the entry at the last acknowledged position; nil if there is no such entry.
        var digest: Digest?
    }

    enum Verdict: Hashable {
        case complete
        /// `excused` if the computer was restarted since, and the last writer had chosen NORMAL.
        case lost(expected: Int, found: Int, excused: Bool)
        /// There is an entry at the acknowledged position, but it has another digest.
        case otherHistory(position: Int)
        /// The file does not hold the journal that the sidecar remembers.
        case otherJournal(entries: Int)
    }

    static func judge(
        _ acknowledged: Acknowledged?, by holder: Holder?, now: ProcessIdentity, found: JournalEnd
    ) -> Verdict {
        guard let acknowledged, let holder else { return .complete }
        guard holder.journal == found.journal else { return .otherJournal(entries: acknowledged.position) }
        guard found.lastPosition >= acknowledged.position else {
            let powerWentAway = holder.identity.boot != now.boot
            return .lost(
                expected: acknowledged.position, found: found.lastPosition,
                excused: holder.durability == .normal && powerWentAway)
        }
        if let digest = found.digest, digest != acknowledged.digest {
            return .otherHistory(position: acknowledged.position)
        }
        return .complete
    }
}
