extension Scheduler {
    /// The records of all runs, each with the time before which it does not start if nothing else happens: they tell
    /// when a stream that is closed is needed again.
    ///
    /// In a queue that pauses between two starts, a run is not due when its own delay is over, as its record says.
    func recordsToWake(at now: Moment) -> some Sequence<EffectRun> {
        let next = nextWake.map { now.date(at: $0) }
        return runs.values.lazy.map { run in
            guard let next, case .queue = run.target, let due = run.record.notBefore, due < next else {
                return run.record
            }
            return changed(run.record) { $0.notBefore = next }
        }
    }
}
