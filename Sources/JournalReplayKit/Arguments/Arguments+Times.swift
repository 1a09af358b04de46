import JournalStore

extension Arguments {
    /// The times between which a list is limited.
    func times(
        _ since: Option<Timestamp>, _ until: Option<Timestamp>
    ) throws(UsageError) -> (since: Timestamp?, until: Timestamp?) {
        let times = (since: self[since], until: self[until])
        if let since = times.since, let until = times.until, since > until {
            throw UsageError("'--since' \(since) is after '--until' \(until).")
        }
        return times
    }
}
