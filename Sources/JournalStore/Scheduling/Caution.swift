/// What openings of a stream leave that ended before they were stable: a rule that tells an effect that brings the process down from a
/// process that is ended for other reasons.
///
/// An opening that is stable, or closed, leaves nothing. After three that were neither, an opening is careful: for a
/// while that is much longer than any of those openings lived, no effect starts that came back; then one after the other does. Whoever ends the process for
/// other reasons does so in the first part as well, and nobody is blamed. An effect after whose start the process ends, though it had
/// outlived the first part, is parked by the next opening.
struct Caution: Codable, Hashable, Sendable {
    /// How many openings in a row ended early, the present one included as long as it is not stable.
    var openings = 0
    /// When the present one began, in microseconds.
    var began: Int64 = 0
    /// The longest that one of them lived, in microseconds.
    var longest: Int64 = 0
    /// The effect that was started last, alone.
    var suspect: Suspect?

    struct Suspect: Codable, Hashable, Sendable {
        var step: Int
        var ordinal: Int

        var key: RunKey { RunKey(step: step, ordinal: ordinal) }
    }

    /// An opening is stable so long after its recovery.
    static let stable = Duration.seconds(10)

    /// What a new opening has to do, and what it leaves as long as it is not stable.
    struct Plan: Hashable, Sendable {
        var caution: Caution
        /// The effect that is parked.
        var parked: RunKey?
        /// How long no effect starts that came back; nil where they may all start at once.
        var hold: Duration?
        /// How long each is looked at alone.
        var trial: Duration
    }

    /// - Parameters:
    ///   - earlier: what the opening before this one left; nil where it was stable.
    ///   - lastSeen: when the process of that opening was seen alive last.
    ///   - now: the time of day.
    ///   - tolerated: so many openings may end early before one is careful; nil for any number.
    static func plan(
        after earlier: Caution?, lastSeen: Timestamp?, now: Timestamp, tolerated: Int? = 3
    ) -> Plan {
        var caution = earlier ?? Caution()
        // An end behind the start of a suspect explains itself.
        if let earlier, let lastSeen, earlier.suspect == nil {
            // It was seen at times that are twice as far from the beginning each.
            let lived = max(0, lastSeen.microseconds.addingSaturating(-earlier.began)).multipliedSaturating(by: 2)
            caution.longest = max(caution.longest, lived)
        }
        let parked = caution.suspect?.key
        caution.suspect = nil
        caution.openings += 1
        caution.began = now.microseconds
        let isCareful = tolerated.map { caution.openings > $0 } ?? false
        let longest = Duration.microseconds(min(caution.longest, stable.inMicroseconds))
        return Plan(
            caution: caution, parked: parked,
            hold: isCareful ? max(.milliseconds(100), min(longest * 4, stable)) : nil,
            trial: max(.milliseconds(100), min(longest * 2, stable)))
    }
}

/// A careful opening at work: holds back what came back, then has one after the other start.
struct Probation: Sendable {
    enum Command: Hashable, Sendable {
        /// Nothing until then.
        case wait(Duration)
        /// Starts one, after it is recorded as the suspect.
        case admit(RunKey)
        /// Nothing until something changes.
        case rest
    }

    private let trial: Duration
    private var until: Duration
    private var current: RunKey?

    init(hold: Duration, trial: Duration, now: Duration) {
        self.trial = trial
        until = now + hold
    }

    /// - Parameters:
    ///   - now: the time.
    ///   - first: the first of the effects that are held back.
    ///   - isRunning: whether an effect still runs.
    mutating func next(now: Duration, first: RunKey?, isRunning: (RunKey) -> Bool) -> Command {
        if let running = current, !isRunning(running) {
            // It has ended, and the process has not.
            current = nil
            until = now
        }
        if now < until { return .wait(until) }
        current = nil
        guard let first else { return .rest }
        current = first
        until = now + trial
        return .admit(first)
    }
}
