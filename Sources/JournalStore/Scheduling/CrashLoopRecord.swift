/// How many openings of a stream in a row have ended too early, and what they were doing. It is stored with the stream.
/// It distinguishes an effect that crashes the process from a process that is killed for other reasons.
///
/// An opening that becomes stable, is closed, or fails by itself removes the record. After three openings that did none
/// of that, the next one holds back restored effects for much longer than any of those openings lasted, and then starts
/// them in groups: ``CrashLoopHold``. If the process is killed from outside, that also happens during the hold, and no
/// effect is suspected. If it survives the hold and ends while a group is watched, the next opening suspects that
/// group.
struct CrashLoopRecord: Codable, Hashable, Sendable {
    /// How many openings in a row ended early. The present one counts until it is stable.
    var openings = 0
    /// When the present opening began, in microseconds.
    var began: Int64 = 0
    /// How long the longest of them lasted, of those that ended while no group was watched.
    var longest: Int64 = 0
    /// The group that was watched last when a process ended, or is watched now.
    var suspects: Suspects?
    /// How many openings in a row have ended while suspects were watched, including the present one as if it ended now.
    /// 0 while the present one watches none: the suspects did not cause an end during the hold.
    var suspicions = 0

    /// Restored effects that were started together: all from one key to another, so that the record stays short.
    struct Suspects: Codable, Hashable, Sendable {
        private var first: Key
        private var last: Key

        private struct Key: Codable, Hashable, Sendable {
            var step: Int
            var ordinal: Int

            var key: RunKey { RunKey(step: step, ordinal: ordinal) }
        }

        init(_ first: RunKey, _ last: RunKey) {
            self.first = Key(step: first.step, ordinal: first.ordinal)
            self.last = Key(step: last.step, ordinal: last.ordinal)
        }

        /// The only suspect; nil if there can be several.
        var only: RunKey? { first == last ? first.key : nil }

        /// All keys between the bounds; nil if a file has these in reverse order.
        var keys: ClosedRange<RunKey>? { first.key <= last.key ? first.key...last.key : nil }

        /// False for all keys if a file has the bounds in reverse order.
        func contains(_ key: RunKey) -> Bool { first.key <= key && key <= last.key }
    }

    /// Suspects no effect any more.
    mutating func clear() { (suspects, suspicions) = (nil, 0) }

    /// An opening that lasts this long is stable.
    static let stableAfter = Duration.seconds(10)
    /// A single suspect is parked after so many openings in a row that ended while suspects were watched. In the last
    /// of them no other stream watched any: ``CrashLoopTurns``.
    static let suspicionsToPark = 3

    /// What a new opening does, and what it leaves until it is stable.
    struct Plan: Hashable, Sendable {
        var record: CrashLoopRecord
        /// The effect that is parked.
        var parked: RunKey?
        /// How many openings in a row have ended while suspects were watched, without the present one.
        var earlierSuspicions: Int
        /// How long no restored effect starts; nil if they all start at once.
        var hold: Duration?
        /// How long each group is watched before the next one starts.
        var watchTime: Duration
    }

    /// - Parameters:
    ///   - earlier: what the previous opening left; nil if it was stable.
    ///   - lastSeen: when the process of that opening was last known to be alive.
    ///   - now: the wall clock.
    ///   - tolerated: how many openings may end early before effects are held back; nil for any number.
    ///   - randomPart: from 0 to 1, the part of itself by which the hold is longer, so that streams of one process do
    ///     not all watch at the same time.
    static func plan(
        after earlier: CrashLoopRecord?, lastSeen: Timestamp?, now: Timestamp, tolerated: Int? = CrashLoop.usualLimit,
        randomPart: Double = 0
    ) -> Plan {
        var record = earlier ?? CrashLoopRecord()
        // A file can hold any number.
        var suspicions = min(max(record.suspicions, 0), 1000)
        // An end while a group was watched says nothing about the length of other openings.
        if let earlier, let lastSeen, suspicions == 0 {
            // The heartbeats are twice as far apart each.
            let lived = max(0, lastSeen.microseconds.subtractingSaturating(earlier.began)).multipliedSaturating(by: 2)
            record.longest = max(record.longest, lived)
        }
        record.suspicions = 0
        record.openings = min(max(record.openings, 0), 1_000_000) + 1
        record.began = now.microseconds
        let isLoop = tolerated.map { record.openings > $0 } ?? false
        var parked: RunKey?
        if isLoop, suspicions >= suspicionsToPark, let only = record.suspects?.only {
            parked = only
            record.clear()
            suspicions = 0
        }
        let longest = Duration.microseconds(min(max(record.longest, 0), stableAfter.inMicroseconds))
        // If kills come from outside, each further suspicion must be less likely than the one before.
        let growth = suspicions == 0 ? 1 : suspicions == 1 ? 4 : 16
        let hold = max(.milliseconds(100), min(longest * 4, stableAfter)) * growth
        return Plan(
            record: record, parked: parked, earlierSuspicions: suspicions,
            hold: isLoop ? hold + hold * min(max(randomPart, 0), 1) : nil,
            watchTime: max(.milliseconds(100), min(longest * 2, stableAfter)))
    }
}

extension CrashLoopRecord {
    /// - Returns: nil if the stream has no record, or one that this version cannot read.
    init?(of stream: StreamInfo) {
        guard let text = stream.crashLoop, let record = try? JSONCodec().decode(Self.self, from: text) else {
            return nil
        }
        self = record
    }
}
