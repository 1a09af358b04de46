/// Steps that a fold reads ahead, with what else it needs to know of them.
///
/// All of it is read in one transaction. A pruning removes all of it together: if one part were read before it and another
/// after it, a step could count that does not.
struct StepPage<Steps: Sendable>: Sendable {
    var steps: Steps
    /// The steps of the bases among them, in order.
    var bases: [Int] = []
    /// The steps among them whose effects had been cancelled before their turn came.
    var cancelled: Set<Int> = []
}

/// Consecutive entries of a stream, or parts of them.
protocol ConsecutiveSteps: Sendable {
    var lastStep: Int? { get }
    /// Whether one of them counts only if its effect was still live.
    var hasProvisional: Bool { get }
}

extension RandomAccessCollection<Entry> {
    var lastStep: Int? { last?.step }
    var hasProvisional: Bool { contains(where: \.isProvisional) }
}

extension [Entry]: ConsecutiveSteps {}

extension StoredSteps: ConsecutiveSteps {
    var lastStep: Int? { last?.number }
}

extension JournalReader {
    /// A page of entries from a step on.
    func entryPage(in stream: StreamInfo, from step: Int, limit: Int) throws(JournalError) -> StepPage<[Entry]> {
        try page(in: stream, from: step) { database throws(DatabaseError) in
            try database.entries(
                of: stream.id, from: step, limit: limit, backwards: false, bytes: StoredSteps.enough)
        }
    }

    /// A page of the parts of entries that a fold needs, from a step on.
    func storedSteps(in stream: StreamInfo, from step: Int, limit: Int) throws(JournalError) -> StepPage<StoredSteps> {
        try page(in: stream, from: step) { database throws(DatabaseError) in
            try database.storedSteps(of: stream.id, from: step, limit: limit)
        }
    }

    private func page<Steps: ConsecutiveSteps>(
        in stream: StreamInfo, from step: Int,
        _ read: @Sendable (JournalDatabase) throws(DatabaseError) -> Steps
    ) throws(JournalError) -> StepPage<Steps> {
        try self.read("reading entries", stream: stream.name, step: step) {
            [id = stream.id] database throws(DatabaseError) in
            var page = StepPage(steps: try read(database))
            guard let last = page.steps.lastStep, last >= step else { return page }
            page.bases = try database.snapshotMarks(of: id, in: step...last).filter(\.isBase).map(\.step)
            if page.steps.hasProvisional { page.cancelled = Set(try database.cancelledSteps(of: id, in: step...last)) }
            return page
        }
    }

    /// Which of the actions in a range of steps count, as far as that is recorded.
    ///
    /// - Throws: also if one of the steps was pruned: its record is gone, too.
    func decisions(on stream: StreamInfo, in steps: ClosedRange<Int>) throws(JournalError) -> StepDecisions {
        let (pruned, decisions) = try read("reading the outcomes", of: stream.name) {
            database, id throws(DatabaseError) -> (Int, StepDecisions) in
            guard let now = try database.stream(id) else { return (0, StepDecisions()) }
            let cancelled = try database.cancelledSteps(of: id, in: steps)
            return (now.prunedStep, StepDecisions(step: now.settledStep, cancelled: Set(cancelled)))
        }
        if pruned >= steps.lowerBound { throw prunedSteps(pruned, steps.lowerBound, of: stream) }
        return decisions
    }
}
