/// What depends on a queue. While something does, its row is kept; then the row is deleted.
enum QueueNeed: Hashable, Sendable {
    /// Runs belong to it that have not ended.
    case runs
    /// A run that comes before this time must wait until then.
    case delay(until: Duration)
    case nothing

    /// The one rule for how long a queue is remembered: as long as runs belong to it, and until the longest delay after
    /// its last start is over. Its rule alone is not needed: the next effect brings an instance, and that counts.
    ///
    /// - Parameters:
    ///   - runCount: how many runs belong to it that have not ended, also those that are set aside.
    ///   - now: the time on the store's clock.
    init(_ record: QueueRecord, runCount: Int, at now: Duration) {
        let end = record.lastStart.map { $0.tick + record.rule.delay.range.upperBound }
        self = if runCount > 0 { .runs } else if let end, end > now { .delay(until: end) } else { .nothing }
    }
}
