/// Finds the dispatches that led to entries by way of effects.
///
/// The record of an effect says it. An ephemeral effect has none, and then the entry of its step leads further back. A
/// chain of such effects can be as long as the history, so what was found for an entry is kept for the entries that it
/// led to.
struct ChainStarts: Sendable {
    /// The dispatch at the start, and what its effects inherit.
    struct Start: Equatable, Sendable {
        var root: Int
        var priority: TaskPriority?
        var cancelID: String?
    }

    /// By the steps of the entries that something caused.
    private var known: [Int: Start] = [:]

    /// The start of the chain to an entry. Call it with the entries of a stream in their order.
    ///
    /// - Parameters:
    ///   - run: reads the record of an effect; nil if there is none.
    ///   - entry: reads the entry of a step; nil if it was pruned.
    mutating func start(
        of last: Entry, run: (RunKey) throws(JournalError) -> EffectRun?,
        entry: (Int) throws(JournalError) -> Entry?
    ) throws(JournalError) -> Start {
        var place = last
        while let step = place.causeStep, place.causeStream == nil {
            if let ordinal = place.causeOrdinal, let run = try run(RunKey(step: step, ordinal: ordinal)) {
                return keep(Start(root: run.rootStep, priority: run.taskPriority, cancelID: run.cancelID), of: last)
            }
            if let start = known[step] { return keep(start, of: last) }
            guard step < place.step, let cause = try entry(step) else { return keep(Start(root: step), of: last) }
            place = cause
        }
        return keep(Start(root: place.step, cancelID: place.cancelID), of: last)
    }

    private mutating func keep(_ start: Start, of entry: Entry) -> Start {
        if entry.causeStep != nil, entry.causeStream == nil { known[entry.step] = start }
        return start
    }
}
