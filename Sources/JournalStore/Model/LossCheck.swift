/// Compares what the sidecar remembers with what the database holds: the rule alone.
///
/// SQLite drops committed rows behind a damaged place in the WAL without a word, and the file is in order afterwards
/// (https://www.sqlite.org/wal.html#the_wal_file). Only somebody who remembers that they were there can tell.
enum LossCheck {
    struct Found: Hashable {
        var journal: [UInt8]
        var lastPosition: Int
        /// The digest of the entry that was acknowledged last; nil where it is not there.
        var digest: Digest?
    }

    enum Verdict: Hashable {
        case complete
        /// `excused` when the machine was restarted since, and the last writer had chosen NORMAL.
        case lost(expected: Int, found: Int, excused: Bool)
        /// The entry is there and is another one.
        case otherHistory(position: Int)
        /// Another journal, or none, stands where the one was that the sidecar remembers.
        case otherJournal(entries: Int)
    }

    static func judge(
        _ acknowledged: Sidecar.Acknowledged?, by holder: Holder?, now: ProcessIdentity, found: Found
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
