/// What the writer has done since the journal was opened.
struct TransactionCounters {
    var entries = 0
    var dispatched = 0
    var failed = 0
    var commitTimes = DurationHistogram()
}
