/// One queue: which runs hold a slot, and which wait in line for one. A rule without a clock.
///
/// A run's phase says whether it is in the line or in a slot. Only ``Scheduler/move(_:to:)`` changes either, so the two agree.
struct QueueState: Sendable {
    /// The rule in force, and what else is stored of a queue.
    var record: QueueRecord
    /// How many runs belong to it, also those that are set aside.
    var runCount = 0
    /// The runs with a slot, in the order they got it: running ones, and ones whose time has not come.
    private(set) var slots: [RunKey] = []
    /// The runs without a slot, by ticket. Tickets are drawn in order, so the line is first in, first out.
    private var line: [Int: RunKey] = [:]
    /// No ticket below this one is in the line.
    private var firstTicket = 0
    private var nextTicket = 0
    /// The last change that a further start may depend on.
    var decidedAt = 0
    /// When the queue is examined again.
    var wakesAt: Duration?

    init(_ record: QueueRecord) {
        self.record = record
    }

    var rule: QueueRule { record.rule }
    var waitingCount: Int { line.count }
    /// The runs in the line, first in, first out.
    var waiting: [RunKey] { line.sorted { $0.key < $1.key }.map(\.value) }
    var isEmpty: Bool { slots.isEmpty && line.isEmpty }

    /// What happens to a new run.
    enum Admission: Hashable {
        case slot
        case line
        case discarded
    }

    /// Decides on a new run.
    ///
    /// - Returns: what happens to it, and which older runs the queue evicts for it, oldest first.
    func admission() -> (Admission, evicted: [RunKey]) {
        let count = slots.count + waitingCount
        switch rule.policy {
        case .runNewest(let maxCount):
            let evicted = oldest(max(0, count - maxCount + 1))
            let leftInLine = line.count - max(0, evicted.count - slots.count)
            return (leftInLine == 0 ? .slot : .line, evicted)
        case .runOldest(let maxCount, let overflow):
            // A new run does not overtake those in the line, even if there is a slot for all of them.
            if count < maxCount { return (line.isEmpty ? .slot : .line, []) }
            return (overflow == .suspendNew ? .line : .discarded, [])
        }
    }

    private func oldest(_ count: Int) -> [RunKey] {
        if count <= slots.count { return Array(slots.prefix(count)) }
        return slots + waiting.prefix(count - slots.count)
    }

    /// A restored run takes its slot again even if the queue is full.
    mutating func takeSlot(_ key: RunKey) { slots.append(key) }

    mutating func leaveSlot(_ key: RunKey) {
        if let index = slots.firstIndex(of: key) { slots.remove(at: index) }
    }

    /// - Returns: the ticket that the run holds while it waits.
    mutating func joinLine(_ key: RunKey) -> Int {
        defer { nextTicket += 1 }
        line[nextTicket] = key
        return nextTicket
    }

    mutating func leaveLine(_ ticket: Int) { line[ticket] = nil }

    /// The first run in the line, if there is a free slot for it.
    mutating func nextForSlot() -> RunKey? {
        guard slots.count < rule.maxCount, !line.isEmpty else { return nil }
        while line[firstTicket] == nil { firstTicket += 1 }
        return line[firstTicket]
    }
}
