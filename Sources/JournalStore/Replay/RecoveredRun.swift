/// A recorded run that has not ended, with the effect that the code returns for it.
struct RecoveredRun<Action: Sendable>: Sendable {
    var record: EffectRun
    let run: Effect<Action>.Run
    /// The time and digest of its step's entry.
    let entry: Appended.Stamp
    /// Whether its step has several effects with the same name and ID, so that this can be another one of them.
    let isAmbiguous: Bool
    /// Whether the step has recorded another number of them than the code returns: then their order says nothing.
    let isMiscounted: Bool
    /// Whether the last code did not return its effect.
    let wasOrphan: Bool
    /// Whether an operator has decided that it runs, and it was not started since.
    var isReleased = false
    /// Whether the record must be written, because the recovery changed it.
    var isChanged = false

    /// - Parameter record: the record as it is stored.
    init(
        _ record: EffectRun, _ run: Effect<Action>.Run, _ entry: Appended.Stamp, isAmbiguous: Bool = false,
        isMiscounted: Bool = false
    ) {
        (self.record, self.run, self.entry) = (record.notOrphaned, run, entry)
        wasOrphan = record.status == .orphaned
        isChanged = wasOrphan
        (self.isAmbiguous, self.isMiscounted) = (isAmbiguous, isMiscounted)
    }

    func with(_ record: EffectRun) -> RecoveredRun {
        changed(self) { ($0.record, $0.isChanged) = (record, true) }
    }

    /// Whether its body was started, so that its restart policy applies.
    var wasStarted: Bool { record.status == .running || record.status == .delayed && record.attempts > 0 }

    /// Whether it can have been released without having begun since. Its queue can delay its start.
    var mayBeReleased: Bool { record.status == .waiting || record.status == .delayed && record.attempts == 0 }

    /// Whether it was set aside as an orphan after its body had begun: it was running then, or an operator had retried it,
    /// and it waited for its next start.
    var mayHaveWaited: Bool { wasOrphan && record.status == .running }

    /// Whether it has a body that an opening may start, and so can crash the process: then openings are counted, and a
    /// crash loop holds it back. What its restart policy decides comes later.
    var canCrashProcess: Bool { run.canBeHeldBack && record.status.continuesAfterRestart }
}

extension EffectRun {
    /// The record for a run whose effect was found: an orphan is running again, or waits if its body had not started or
    /// a retry is planned.
    fileprivate var notOrphaned: EffectRun {
        changed(self) {
            guard $0.status == .orphaned else { return }
            $0.status = $0.attempts == 0 ? .waiting : $0.notBefore == nil ? .running : .delayed
        }
    }
}
