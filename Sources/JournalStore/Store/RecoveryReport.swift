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
    /// Effects that run again, or go on waiting.
    public var resumed: [EffectRun] = []
    /// Effects that were cancelled, as their authors wished, or told to the machine.
    public var cancelled: [EffectRun] = []
    /// Effects that wait for the app's word.
    public var asked: [EffectRun] = []
    /// Effects that the code does not return any more.
    public var orphaned: [EffectRun] = []

    /// All of it in a few words.
    public var description: String {
        var parts = [snapshotStep == 0 ? "from the beginning" : "from the snapshot of step \(snapshotStep)"]
        parts.append("\(replayedSteps) steps replayed")
        if unsettledSteps > 0 { parts.append("\(unsettledSteps) settled") }
        for (count, word) in [
            (resumed.count, "resumed"), (cancelled.count, "cancelled"), (asked.count, "asked"),
            (orphaned.count, "orphaned"), (skippedSnapshots.count, "snapshots skipped"),
        ] where count > 0 { parts.append("\(count) \(word)") }
        return parts.joined(separator: ", ")
    }
}
