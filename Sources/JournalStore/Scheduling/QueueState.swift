/// One queue: which runs hold a slot, and which wait in line for one. A rule without a clock.
///
/// A run's phase says whether it is in the line or in a slot. Only ``Scheduler/move(_:to:)`` changes either, so the two
/// agree.
struct QueueState: Sendable {
    /// The rule in force, and what else is stored of a queue.
    var record: QueueRecord
    /// How many runs belong to it, also those that are set aside.
    var runCount = 0
    /// The runs with a slot: running ones, and ones whose time has not come.
    private var slotted = TicketedRuns()
    private var slotTickets: [RunKey: Int] = [:]
    /// The tickets of the slots whose runs may start when their time comes.
    private var ready = ReadyRuns()
    /// The runs without a slot: first in, first out.
    private var line = TicketedRuns()
    /// Runs with a slot that were running before a restart.
    private var resumed: [RunKey] = []
    /// The last change that a further start may depend on.
    var decidedAt = 0
    /// When the queue is examined again.
    var wakesAt: Duration?
    /// How many of its runs wait for their records to be written before their bodies start.
    var startingCount = 0
    /// Whether a body starts soon, at a time that is not known yet. The queue's delay counts from that time.
    var awaitsStart: Bool { rule.delay != .zero && startingCount > 0 }

    init(_ record: QueueRecord) {
        self.record = record
    }

    var rule: QueueRule { record.rule }
    /// What depends on it.
    func need(at now: Duration) -> QueueNeed { QueueNeed(record, runCount: runCount, at: now) }
    var waitingCount: Int { line.count }
    /// The runs in the line, first in, first out.
    var waiting: [RunKey] { line.all }
    /// The runs with a slot, in the order they got it.
    var slots: [RunKey] { slotted.all }
    var slotCount: Int { slotted.count }
    /// Those among them that may start when their time comes.
    var readyRuns: [RunKey] { ready.tickets.compactMap { slotted[$0] } }
    var isEmpty: Bool { slotted.isEmpty && line.isEmpty }

    /// What happens to a new run.
    enum Admission: Hashable {
        case slot
        case line
        case discarded
    }

    /// Decides on a new run.
    ///
    /// - Parameter step: the run's step.
    /// - Returns: what happens to it, and which older runs the queue evicts for it, oldest first.
    mutating func admission(ofStep step: Int) -> (Admission, evicted: [RunKey]) {
        if rule.countsSteps { return admission(besideOthersThan: step) }
        let count = slotCount + waitingCount
        switch rule.policy {
        case .runNewest(let maxCount):
            let evicted = oldest(max(0, count - maxCount + 1))
            let leftInLine = waitingCount - max(0, evicted.count - slotCount)
            return (leftInLine == 0 ? .slot : .line, evicted)
        case .runOldest(let maxCount, let overflow):
            // A new run does not overtake those in the line, even if there is a slot for all of them.
            if count < maxCount { return (line.isEmpty ? .slot : .line, []) }
            return (overflow == .suspendNew ? .line : .discarded, [])
        }
    }

    /// Decides on a new run of a queue that runs the effects of one step at a time.
    private func admission(besideOthersThan step: Int) -> (Admission, evicted: [RunKey]) {
        switch rule.policy {
        // The first effect of a step has evicted those of the steps before. The others need not look at all of them.
        case .runNewest where slotted.areAll(ofStep: step) && line.areAll(ofStep: step): (.slot, [])
        case .runNewest: (.slot, (slots + waiting).filter { $0.step != step })
        case .runOldest where line.isEmpty && slotted.areAll(ofStep: step): (.slot, [])
        case .runOldest(_, .suspendNew): (.line, [])
        case .runOldest(_, .discardNew): (.discarded, [])
        }
    }

    private mutating func oldest(_ count: Int) -> [RunKey] {
        slotted.oldest(count) + line.oldest(count - slotCount)
    }

    /// A restored run takes its slot again even if the queue is full.
    mutating func takeSlot(_ key: RunKey) { slotTickets[key] = slotted.add(key) }

    mutating func leaveSlot(_ key: RunKey) {
        set(key, readyAt: nil)
        if let ticket = slotTickets.removeValue(forKey: key) { slotted.remove(ticket) }
    }

    /// Says when a run with a slot may start; nil if it runs, or is held. Only those that may start are visited.
    mutating func set(_ key: RunKey, readyAt tick: Duration?) {
        if let ticket = slotTickets[key] { ready.set(ticket, at: tick) }
    }

    mutating func noteResumed(_ key: RunKey) { resumed.append(key) }

    /// The runs that were running before a restart, and have not been asked for.
    mutating func takeResumed() -> [RunKey] {
        defer { resumed = [] }
        return resumed
    }

    /// The next run to visit, in the order of the slots: one that became ready, or whose time has come. One whose time
    /// has come is returned again until it has started or is held.
    mutating func nextReady(at now: Duration) -> RunKey? { ready.next(at: now).flatMap { slotted[$0] } }

    /// When the time of the next run comes that was visited before its time.
    mutating func nextTick() -> Duration? { ready.nextTick() }

    /// - Returns: the ticket that the run holds while it waits.
    mutating func joinLine(_ key: RunKey) -> Int { line.add(key) }

    mutating func leaveLine(_ ticket: Int) { line.remove(ticket) }

    /// The first run in the line, if there is a free slot for it.
    mutating func nextForSlot() -> RunKey? {
        guard let next = line.oldest(1).first else { return nil }
        if rule.countsSteps { return slotted.areAll(ofStep: next.step) ? next : nil }
        // Of a queue that runs none, known only by a run that was restored, each fails when it starts.
        return slotCount < rule.maxCount || !rule.policy.isValid ? next : nil
    }
}
