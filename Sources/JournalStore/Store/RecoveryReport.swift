/// What opening a store found and did.
public struct RecoveryReport: Hashable, Sendable, CustomStringConvertible {
    /// The step of the snapshot that was used; 0 where there was none.
    public var snapshotStep = 0
    /// The snapshots that could not be read, newest first.
    public var skippedSnapshots: [JournalError] = []
    /// How many steps were reduced to have the state.
    public var replayedSteps = 0
    /// How many of them had not been settled: their outcomes were recorded now.
    public var unsettledSteps = 0
    /// How many of them an older version of the machine had written, and this one reduced.
    public var olderSteps = 0
    /// The step that the last process was reducing when it ended, where its outcome is not known.
    public var diedReducing: Int?
    /// Whether effects that come back start one after the other, as openings before this one have ended early.
    public var isCareful = false
    /// The step at which a base was written, as this version opens the stream for the first time.
    public var baseStep: Int?
    /// Effects that run again, or go on waiting.
    public var resumed: [EffectRun] = []
    /// Effects that were cancelled, as their authors wished, or told to the machine.
    public var cancelled: [EffectRun] = []
    /// Effects that wait for the app's word.
    public var asked: [EffectRun] = []
    /// Effects that are set aside because they seem to bring the process down, until they are released or cancelled.
    public var parked: [EffectRun] = []
    /// Effects that the code does not return any more.
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

    /// All of it in a few words, and a line for each effect that does not simply go on.
    public var description: String {
        var parts = [snapshotStep == 0 ? "from the beginning" : "from the snapshot of step \(snapshotStep)"]
        parts.append("\(replayedSteps) steps replayed")
        if unsettledSteps > 0 { parts.append("\(unsettledSteps) settled") }
        if olderSteps > 0 { parts.append("\(olderSteps) of an older version") }
        if isCareful { parts.append("careful") }
        if let baseStep { parts.append("base written at step \(baseStep)") }
        for (count, word) in [
            (resumed.count, "resumed"), (cancelled.count, "cancelled"), (asked.count, "asked"),
            (parked.count, "parked"),
            (orphaned.count, "orphaned"), (skippedSnapshots.count, "snapshots skipped"),
        ] where count > 0 { parts.append("\(count) \(word)") }
        var lines = [parts.joined(separator: ", ")]
        for (runs, word) in [(cancelled, "cancelled"), (asked, "asked"), (parked, "parked"), (orphaned, "orphaned")] {
            lines += runs.prefix(20).map { "  \(word): '\($0.name)' of step \($0.step)" }
            if runs.count > 20 { lines.append("  … and \(runs.count - 20) more \(word)") }
        }
        return lines.joined(separator: "\n")
    }
}
