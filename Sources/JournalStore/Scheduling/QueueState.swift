/// One queue: who has a slot, who waits for one. A rule without a clock.
struct QueueState: Sendable {
    var rule: QueueRule
    /// The queue's stored name; nil where it is not known.
    var name: String?
    /// Runs with a slot, in the order they got it: those that run, and those whose time has not come.
    private(set) var slots: [RunKey] = []
    /// Runs without, first in first out.
    private var line: [RunKey] = []
    private var gone: Set<RunKey> = []
    private var first = 0
    /// When it last started something.
    var lastStart: Moment?
    /// The last change that a further start may depend on.
    var decidedAt = 0
    /// When it is to be looked at again.
    var wakesAt: Duration?

    init(rule: QueueRule, name: String?) {
        self.rule = rule
        self.name = name
    }

    var waitingCount: Int { line.count - first - gone.count }
    var isEmpty: Bool { slots.isEmpty && waitingCount == 0 }

    /// What becomes of a new run.
    enum Place: Hashable {
        case slot
        case line
        case nowhere
    }

    /// Takes a new run in.
    ///
    /// - Returns: its place, and which older runs have to go for it, the oldest first.
    mutating func add(_ key: RunKey) -> (place: Place, evicted: [RunKey]) {
        switch rule.policy {
        case .runNewest(let count):
            var evicted: [RunKey] = []
            while slots.count + waitingCount >= count {
                if let oldest = slots.first {
                    slots.removeFirst()
                    evicted.append(oldest)
                } else if let oldest = nextInLine() {
                    evicted.append(oldest)
                }
            }
            if waitingCount == 0 {
                slots.append(key)
                return (.slot, evicted)
            }
            line.append(key)
            return (.line, evicted)
        case .runOldest(let count, let overflow):
            if slots.count + waitingCount < count, waitingCount == 0 {
                slots.append(key)
                return (.slot, [])
            }
            // Those who wait are before it, also when there is room for all.
            guard overflow == .suspendNew || slots.count + waitingCount < count else { return (.nowhere, []) }
            line.append(key)
            return (.line, [])
        }
    }

    /// A run that came back from the journal: what had a slot has it again, past any maximum.
    mutating func restore(_ key: RunKey, hasSlot: Bool) {
        if hasSlot { slots.append(key) } else { line.append(key) }
    }

    /// Gives free slots to those who wait.
    mutating func promote() -> [RunKey] {
        var promoted: [RunKey] = []
        while slots.count < rule.maxCount, let key = nextInLine() {
            slots.append(key)
            promoted.append(key)
        }
        return promoted
    }

    /// A run has ended.
    mutating func remove(_ key: RunKey, isWaiting: Bool) {
        if isWaiting {
            gone.insert(key)
            // Where more have gone than wait, the line is made anew.
            if gone.count > 64, gone.count > waitingCount {
                line = line[first...].filter { !gone.contains($0) }
                gone = []
                first = 0
            }
        } else if let index = slots.firstIndex(of: key) {
            slots.remove(at: index)
        }
    }

    private mutating func nextInLine() -> RunKey? {
        while first < line.count {
            let key = line[first]
            first += 1
            // Not at each step, so that a long line is not moved up again and again.
            if first > 64, first * 2 > line.count {
                line.removeFirst(first)
                first = 0
            }
            if gone.remove(key) == nil { return key }
        }
        return nil
    }
}
