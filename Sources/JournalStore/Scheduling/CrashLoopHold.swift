/// Holds back restored effects during a crash loop, then starts them in groups and watches each: first the suspects,
/// one half after the other, then the others in groups of 1, 2, 4, 8 and so on.
///
/// So thousands of effects start in a few groups. If a process ends while a group is watched, the next opening halves
/// that group, until only one effect is suspected. Suspects that outlive their watch are started like all others.
struct CrashLoopHold: Sendable {
    enum Command: Hashable, Sendable {
        /// Do nothing until then.
        case wait(Duration)
        /// Start these runs together, in their order. ``watch(_:now:in:)`` gets those that were started.
        ///
        /// If `alone`, no other stream may watch effects meanwhile: if the process ends, these have been suspected as
        /// often as it takes to park one.
        case start([RunKey], alone: Bool)
        /// Do nothing until something changes.
        case rest
    }

    /// What a run's attempt is doing.
    enum Attempt: Hashable, Sendable {
        /// Its body waits for its record to be written.
        case starting
        case running
        /// It has ended, whatever the run waits for now.
        case over
    }

    let watchTime: Duration
    /// The group that was watched when the previous processes ended, and how many of them in a row.
    private let suspects: CrashLoopRecord.Suspects?
    private let earlierSuspicions: Int
    private var until: Duration
    /// How many suspects are started together: half of those that were left at first.
    private var suspectGroupSize = 1
    /// How many of the others the next group has.
    private var groupSize = 1
    /// The group that is watched.
    private var watched: [RunKey] = []
    /// Only this many runs at the beginning of the group can be starting still. So each call of `next` goes on where
    /// the last one stopped.
    private var startingCount = 0
    /// Only this many runs at the beginning of the group can be live still.
    private var liveCount = 0

    init(_ plan: CrashLoopRecord.Plan, hold: Duration, now: Duration) {
        (watchTime, suspects) = (plan.watchTime, plan.record.suspects)
        earlierSuspicions = plan.earlierSuspicions
        until = now + hold
    }

    /// What to do now.
    ///
    /// - Parameters:
    ///   - now: the time.
    ///   - held: the runs that are held back.
    ///   - attempt: what a run that was started is doing.
    mutating func next(
        now: Duration, held: @autoclosure () -> Set<RunKey>, attempt: (RunKey) -> Attempt
    ) -> Command {
        if liveCount > 0 {
            // The watch begins with the start of the last body.
            if startingCount > 0 { until = now + watchTime }
            while startingCount > 0, attempt(watched[startingCount - 1]) != .starting { startingCount -= 1 }
            while liveCount > 0, attempt(watched[liveCount - 1]) == .over { liveCount -= 1 }
            // The group has ended, and the process has not.
            if liveCount == 0 { until = now }
        }
        if now < until { return .wait(until) }
        (watched, startingCount, liveCount) = ([], 0, 0)
        let held = held()
        if let suspects, case let left = held.filter(suspects.contains), !left.isEmpty {
            suspectGroupSize = max(suspectGroupSize, (left.count + 1) / 2)
            let isLast = earlierSuspicions + 1 >= CrashLoopRecord.suspicionsToPark
            return .start(Array(left.sorted().prefix(suspectGroupSize)), alone: isLast)
        }
        if held.isEmpty { return .rest }
        // The queues can delay some of them, which are then held back again.
        defer { groupSize = min(groupSize * 2, 1 << 30) }
        return .start(Array(held.sorted().prefix(groupSize)), alone: false)
    }

    /// Watches the runs of a group that were started: they are the suspects from now on.
    ///
    /// - Parameter record: what the next opening is to find. It must be on the disk before a body starts.
    mutating func watch(_ started: [RunKey], now: Duration, in record: inout CrashLoopRecord) {
        guard let first = started.first, let last = started.last else { return }
        watched = started
        (startingCount, liveCount) = (started.count, started.count)
        until = now + watchTime
        let areSuspects = suspects.map { $0.contains(first) && $0.contains(last) } ?? false
        record.suspects = CrashLoopRecord.Suspects(first, last)
        record.suspicions = areSuspects ? earlierSuspicions + 1 : 1
    }

    /// Ends the watch of a group that has outlived it. Until the next group is watched, an end of the process says
    /// nothing about the effects of this stream. Suspects that are still held stay suspects.
    ///
    /// - Returns: whether that changes the record. It must be written before another stream may begin to watch.
    func endWatch(held: Set<RunKey>, in record: inout CrashLoopRecord) -> Bool {
        guard record.suspicions > 0 else { return false }
        let areLeft = suspects.map { held.contains(where: $0.contains) } ?? false
        (record.suspects, record.suspicions) = (areLeft ? suspects : nil, 0)
        return true
    }
}
