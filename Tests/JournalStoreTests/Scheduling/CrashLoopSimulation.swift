@testable import JournalStore

/// A stream whose process ends again and again, from outside or because of a guilty effect.
struct CrashLoopSimulation {
    /// One process: when things happen, counted from its start.
    struct Life {
        /// The opening makes its plan.
        var planned = Duration.zero
        /// The opening's record is on the disk, and its hold begins.
        var recorded = Duration.zero
        /// Effects can start.
        var ready = Duration.zero
        /// It is killed from outside.
        var killed: Duration
    }

    /// An effect that crashes the process so long after its start.
    struct Guilty {
        var key: RunKey
        var after: Duration
    }

    private(set) var record: CrashLoopRecord?
    private(set) var parked: [RunKey] = []
    /// How many processes have ended early.
    private(set) var deaths = 0
    /// The sizes of the groups that the last opening has started.
    private(set) var groups: [Int] = []
    private var now = Timestamp(microseconds: 1_000_000_000)
    private var lastSeen: Timestamp?

    /// One opening, which restores runs.
    ///
    /// - Returns: whether it became stable.
    @discardableResult
    mutating func open(_ runs: [RunKey], _ life: Life, guilty: [Guilty] = [], randomPart: Double = 0) -> Bool {
        groups = []
        guard life.killed > life.recorded else { return die(at: life.killed) }
        let plan = CrashLoopRecord.plan(
            after: record, lastSeen: lastSeen, now: now.advanced(by: life.planned), randomPart: randomPart)
        if let found = plan.parked { parked.append(found) }
        var left = plan.record
        var end = life.killed
        let guilty = guilty.filter { !parked.contains($0.key) }
        var quiet = life.ready
        if let duration = plan.hold {
            (quiet, end) = start(runs, life, CrashLoopHold(plan, hold: duration, now: life.recorded), guilty, &left)
        } else {
            for effect in guilty where runs.contains(effect.key) { end = min(end, life.ready + effect.after) }
        }
        record = left
        // The process says after 1, 2, 4 … milliseconds that it is alive.
        var seen = Duration.zero
        var next = Duration.milliseconds(1)
        while next <= end - life.recorded, seen < CrashLoopRecord.stableAfter {
            seen = next
            next *= 2
        }
        lastSeen = now.advanced(by: life.recorded + seen)
        guard end >= max(quiet, life.recorded + CrashLoopRecord.stableAfter) else { return die(at: end) }
        record = nil
        now = now.advanced(by: end)
        return true
    }

    /// Starts held runs in groups, as an engine does.
    ///
    /// - Returns: when nothing is held back or watched any more, and when the process ends.
    private mutating func start(
        _ runs: [RunKey], _ life: Life, _ hold: CrashLoopHold, _ guilty: [Guilty], _ left: inout CrashLoopRecord
    ) -> (quiet: Duration, end: Duration) {
        var hold = hold
        var held = Set(runs).subtracting(parked)
        var (tick, end) = (life.ready, life.killed)
        while tick < end {
            switch hold.next(now: tick, held: held, attempt: { _ in .running }) {
            case .wait(let until): tick = until
            case .start(let keys, _):
                held.subtract(keys)
                groups.append(keys.count)
                hold.watch(keys, now: tick, in: &left)
                for effect in guilty where keys.contains(effect.key) { end = min(end, tick + effect.after) }
            case .rest:
                left.clear()
                return (tick, end)
            }
        }
        return (.seconds(1_000_000), end)
    }

    private mutating func die(at end: Duration) -> Bool {
        deaths += 1
        now = now.advanced(by: end + .milliseconds(50))
        return false
    }
}
