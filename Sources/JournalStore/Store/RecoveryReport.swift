/// What opening a store found and did.
public struct RecoveryReport: Hashable, Sendable, CustomStringConvertible {
    /// The step of the snapshot that the fold began with; 0 if it began with the initial state.
    public var snapshotStep = 0
    /// The errors of the snapshots that could not be read, newest first.
    public var skippedSnapshots: [JournalError] = []
    /// How many steps were reduced to compute the state.
    public var replayedSteps = 0
    /// How many of them were not settled before. This opening has recorded their outcomes.
    public var unsettledSteps = 0
    /// How many of them were written by an older version of the machine.
    public var olderSteps = 0
    /// How many of these are no messages. A message has the version that its sender knew, so an older one may be new to
    /// this version's stream.
    var olderActions = 0
    /// The step that the last process was reducing when it ended, unless that step is settled or skipped.
    public var diedReducing: Int?
    /// Whether a crash loop was detected, so that restored effects start in groups.
    public var isCrashLoop = false
    /// The step at which a base was written, because this version opens the stream for the first time.
    public var baseStep: Int?
    /// Effects that run again or continue to wait.
    public var resumed: [EffectRun] = []
    /// Effects that their restart policy or the options cancelled, also those that dispatch an action instead.
    public var cancelled: [EffectRun] = []
    /// Effects that wait until the app releases or cancels them.
    public var asked: [EffectRun] = []
    /// Effects that seem to crash the process, set aside until they are released or cancelled.
    public var parked: [EffectRun] = []
    /// Effects that the code does not return any more, or has no handler for.
    public var orphaned: [EffectRun] = []

    enum Decision { case resumed, cancelled, asked }

    mutating func add(_ run: EffectRun, _ decision: Decision) {
        switch decision {
        case .resumed: resumed.append(run)
        case .cancelled: cancelled.append(run)
        case .asked where run.status == .parked: parked.append(run)
        case .asked: asked.append(run)
        }
    }

    /// A summary in one line, then a line for each effect that was not resumed.
    public var description: String {
        var parts = [snapshotStep == 0 ? "from the beginning" : "from the snapshot of step \(snapshotStep)"]
        parts.append(replayedSteps.counted("step", "steps") + " replayed")
        if unsettledSteps > 0 { parts.append("\(unsettledSteps) settled") }
        if olderSteps > 0 { parts.append("\(olderSteps) of an older version") }
        if isCrashLoop { parts.append("crash loop") }
        if let baseStep { parts.append("base written at step \(baseStep)") }
        for (count, word) in [
            (resumed.count, "resumed"), (cancelled.count, "cancelled"), (asked.count, "asked"),
            (parked.count, "parked"), (orphaned.count, "orphaned"),
        ] where count > 0 { parts.append("\(count) \(word)") }
        if !skippedSnapshots.isEmpty {
            parts.append(skippedSnapshots.count.counted("snapshot", "snapshots") + " skipped")
        }
        var lines = [parts.joined(separator: ", ")]
        for (runs, word) in [(cancelled, "cancelled"), (asked, "asked"), (parked, "parked"), (orphaned, "orphaned")] {
            lines += runs.prefix(20).map { "  \(word): '\($0.name)' of step \($0.step)" }
            if runs.count > 20 { lines.append("  … and \(runs.count - 20) more \(word)") }
        }
        return lines.joined(separator: "\n")
    }
}

/// A report in as little memory as it needs: a process can have many stores open, and most openings find nothing but a
/// snapshot and steps.
struct KeptReport: Sendable {
    private let snapshotStep: Int
    private let replayedSteps: Int
    /// Nil if it says nothing else.
    private let rest: Boxed<RecoveryReport>?

    init(_ report: RecoveryReport) {
        (snapshotStep, replayedSteps) = (report.snapshotStep, report.replayedSteps)
        let rest = changed(report) { ($0.snapshotStep, $0.replayedSteps) = (0, 0) }
        self.rest = rest == RecoveryReport() ? nil : Boxed(rest)
    }

    var whole: RecoveryReport {
        changed(rest?.value ?? RecoveryReport()) {
            ($0.snapshotStep, $0.replayedSteps) = (snapshotStep, replayedSteps)
        }
    }
}

extension RecoveryReport {
    /// The first orphan that does not end by an action of its own: rather one that nobody was asked about.
    var lastingOrphan: EffectRun? {
        orphaned.first { $0.sendsOrphanAction && $0.onOrphan == nil } ?? orphaned.first { !$0.sendsOrphanAction }
    }

    /// What to report if snapshots could not be read: why the newest one could not, and how many others there are.
    var skippedSnapshotsError: JournalError? {
        guard let newest = skippedSnapshots.first else { return nil }
        let others = skippedSnapshots.count - 1
        let which = others == 0 ? "" : others == 1 ? " and an older one" : " and \(others) older ones"
        let start = snapshotStep == 0 ? "from the beginning" : "from the snapshot of step \(snapshotStep) on"
        return changed(newest) {
            $0.message += " So this snapshot\(which) did not count, and the steps were reduced \(start)."
            guard newest.code == .corrupt, let stream = newest.stream else { return }
            // The state was computed without it.
            $0.advice = ErrorLocation(file: newest.file, stream: stream, step: newest.step).damagedCache.advice
        }
    }

    /// What to report if a new version of the machine has decided what steps of an older one have led to.
    ///
    /// Without a new base too: older code that crosses the base of this version adds steps after it.
    func olderStepsError(of location: ErrorLocation) -> JournalError? {
        guard olderActions > 0 || baseStep != nil && olderSteps > 0 else { return nil }
        let steps = olderSteps.counted("step", "steps")
        let result = "If it reduces them to another state, that one counts. "
        guard skippedSnapshots.isEmpty else {
            return location.error(
                .noUsableSnapshot,
                "The new version has reduced \(steps) of an older version, because it cannot read the later snapshots.",
                advice: result
                    + "The notice `snapshot-skipped` says why it cannot. `journal-replay verify`, with the new "
                    + "version, finds such a snapshot before an opening does.")
        }
        return location.error(
            .noUsableSnapshot,
            "The new version has reduced \(steps) of an older version, because there was no later snapshot.",
            advice: result
                + "Close the store, the host or the journal with the old version before a new one is started: that "
                + "saves the states of open streams.")
    }
}
