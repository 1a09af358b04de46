/// Runs in the order in which they came. Each draws a ticket, and tickets are drawn in order, so to remove a run moves
/// no other.
struct TicketedRuns: Sendable {
    private var runs: [Int: RunKey] = [:]
    /// How many of them each step has.
    private var countByStep: [Int: Int] = [:]
    /// No ticket below this one is in use.
    private var first = 0
    private var next = 0

    var count: Int { runs.count }
    var isEmpty: Bool { runs.isEmpty }
    /// All runs, oldest first.
    var all: [RunKey] { runs.sorted { $0.key < $1.key }.map(\.value) }

    /// Whether there is no run of another step.
    func areAll(ofStep step: Int) -> Bool {
        countByStep.isEmpty || countByStep.count == 1 && countByStep[step] != nil
    }

    /// - Returns: the ticket of the run.
    mutating func add(_ key: RunKey) -> Int {
        defer { next += 1 }
        runs[next] = key
        countByStep[key.step, default: 0] += 1
        return next
    }

    mutating func remove(_ ticket: Int) {
        guard let key = runs.removeValue(forKey: ticket) else { return }
        let left = (countByStep[key.step] ?? 1) - 1
        countByStep[key.step] = left > 0 ? left : nil
        if runs.isEmpty { first = next }
    }

    subscript(ticket: Int) -> RunKey? { runs[ticket] }

    /// So many of the oldest runs, or all.
    mutating func oldest(_ count: Int) -> [RunKey] {
        guard count > 0, !runs.isEmpty else { return [] }
        while runs[first] == nil { first += 1 }
        if count >= runs.count { return all }
        var found: [RunKey] = []
        var ticket = first
        while found.count < count {
            if let key = runs[ticket] { found.append(key) }
            ticket += 1
        }
        return found
    }
}
