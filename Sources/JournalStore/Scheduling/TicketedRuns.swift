/// Runs in the order in which they came. Each draws a ticket, and tickets are drawn in order, so to remove a run moves no other.
struct TicketedRuns: Sendable {
    private var runs: [Int: RunKey] = [:]
    /// No ticket below this one is in use.
    private var first = 0
    private var next = 0

    var count: Int { runs.count }
    var isEmpty: Bool { runs.isEmpty }
    /// All runs, oldest first.
    var all: [RunKey] { runs.sorted { $0.key < $1.key }.map(\.value) }

    func allSatisfy(_ condition: (RunKey) -> Bool) -> Bool { runs.values.allSatisfy(condition) }

    /// - Returns: the ticket of the run.
    mutating func add(_ key: RunKey) -> Int {
        defer { next += 1 }
        runs[next] = key
        return next
    }

    mutating func remove(_ ticket: Int) {
        runs[ticket] = nil
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
