/// How many openings of a stream in a row have ended too early, and what they were doing. It is stored with the stream.
/// It distinguishes an effect that crashes the process from a process that is killed for other reasons.
///
/// An opening that becomes stable, or is closed, removes the record. After three openings that did neither, the next
/// one holds back restored effects for much longer than any of those openings lasted, and then starts one after
/// another. If the process is killed from outside, that also happens during the hold, and no effect is suspected. If it
/// survives the hold and ends right after the start of an effect, the next opening parks that effect.
struct CrashLoopRecord: Codable, Hashable, Sendable {
    /// How many openings in a row ended early. The present one counts until it is stable.
    var openings = 0
    /// When the present opening began, in microseconds.
    var began: Int64 = 0
    /// How long the longest of them lasted.
    var longest: Int64 = 0
    /// The effect that was started last, alone.
    var suspect: Suspect?

    struct Suspect: Codable, Hashable, Sendable {
        var step: Int
        var ordinal: Int

        var key: RunKey { RunKey(step: step, ordinal: ordinal) }
    }

    /// An opening that lasts this long is stable.
    static let stableAfter = Duration.seconds(10)

    /// What a new opening does, and what it leaves until it is stable.
    struct Plan: Hashable, Sendable {
        var record: CrashLoopRecord
        /// The effect that is parked.
        var parked: RunKey?
        /// How long no restored effect starts; nil if they all start at once.
        var hold: Duration?
        /// How long each effect runs before the next one starts.
        var trial: Duration
    }

    /// - Parameters:
    ///   - earlier: what the previous opening left; nil if it was stable.
    ///   - lastSeen: when the process of that opening was last known to be alive.
    ///   - now: the wall clock.
    ///   - tolerated: how many openings may end early before effects are held back; nil for any number.
    static func plan(
        after earlier: CrashLoopRecord?, lastSeen: Timestamp?, now: Timestamp, tolerated: Int? = 3
    ) -> Plan {
        var record = earlier ?? CrashLoopRecord()
        // An end after the start of a suspect says nothing about the length of other openings.
        if let earlier, let lastSeen, earlier.suspect == nil {
            // The heartbeats are twice as far apart each.
            let lived = max(0, lastSeen.microseconds.subtractingSaturating(earlier.began)).multipliedSaturating(by: 2)
            record.longest = max(record.longest, lived)
        }
        let parked = record.suspect?.key
        record.suspect = nil
        // A file can hold any number.
        record.openings = min(max(record.openings, 0), 1_000_000) + 1
        record.began = now.microseconds
        let isLoop = tolerated.map { record.openings > $0 } ?? false
        let longest = Duration.microseconds(min(record.longest, stableAfter.inMicroseconds))
        return Plan(
            record: record, parked: parked,
            hold: isLoop ? max(.milliseconds(100), min(longest * 4, stableAfter)) : nil,
            trial: max(.milliseconds(100), min(longest * 2, stableAfter)))
    }
}

/// Holds back restored effects during a crash loop, then admits one after another.
struct CrashLoopHold: Sendable {
    enum Command: Hashable, Sendable {
        /// Do nothing until then.
        case wait(Duration)
        /// Record this run as the suspect, then start it.
        case admit(RunKey)
        /// Do nothing until something changes.
        case rest
    }

    private let trial: Duration
    private var until: Duration
    private var current: RunKey?
    private var isDelayed = false

    init(hold: Duration, trial: Duration, now: Duration) {
        self.trial = trial
        until = now + hold
    }

    /// - Parameters:
    ///   - now: the time.
    ///   - first: the first run that is held back.
    ///   - isLive: whether a run has not ended.
    ///   - isStarted: whether a run's body was started.
    mutating func next(
        now: Duration, first: RunKey?, isLive: (RunKey) -> Bool, isStarted: (RunKey) -> Bool = { _ in true }
    ) -> Command {
        if let run = current {
            if !isLive(run) {
                // The run has ended, and the process has not.
                current = nil
                until = now
            } else if isDelayed || !isStarted(run) {
                // Its queue, or a full disk, delays it: its trial begins with its start.
                until = now + trial
                isDelayed = !isStarted(run)
            }
        }
        if now < until { return .wait(until) }
        current = nil
        guard let first else { return .rest }
        current = first
        isDelayed = false
        until = now + trial
        return .admit(first)
    }
}
