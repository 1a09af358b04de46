public import JournalStore

/// What a ``CrashMatrix`` has tried.
public struct CrashReport: Hashable, Sendable, CustomStringConvertible {
    /// How often the process was killed in a run that nothing had disturbed before.
    public var cuts = 0
    /// How many more moments there are that leave the same behind as one that was tried.
    public var equalCuts = 0
    /// How often it was killed again, while it recovered or after that.
    public var secondCuts = 0
    /// How many more of those there are that leave the same behind as one that was tried.
    public var equalSecondCuts = 0
    /// The entries of the uncut run.
    public var entries = 0
    /// The effects of the uncut run.
    public var effects = 0

    /// How many of them had not ended when nothing happened any more.
    public var unfinished = 0

    /// All of it in one line.
    public var description: String {
        (unfinished > 0 ? "\(unfinished) effects never ended. " : "")
            + "\(entries) entries, \(effects) effects: killed at \(cuts) moments (\(equalCuts) more leave the same), "
            + "and a second time at \(secondCuts) (\(equalSecondCuts) more)"
    }
}

/// A cut after which the machine did not come to the same end.
public struct CrashMatrixFailure: Error, Hashable, CustomStringConvertible {
    /// The machine's name.
    public var machine: String
    /// Where the process was killed: one moment, or two.
    public var cuts: [String]
    /// What is otherwise than in the uncut run, or must not be at all.
    public var differences: [String]

    /// Where it was killed, and what differs, line by line.
    public var description: String {
        var lines = ["The machine '\(machine)' did not come to the same end."]
        if cuts.isEmpty { lines = ["The machine '\(machine)' did not come to a good end, without any cut."] }
        for (index, cut) in cuts.enumerated() { lines.append((index == 0 ? "Killed " : "and again ") + cut) }
        return (lines + differences.map { "  " + $0 }).joined(separator: "\n")
    }
}

/// How a machine ended after one or two kills, where that is not as in the uncut run.
public struct CrashOutcome<State: Sendable>: Sendable {
    /// The last state.
    public var state: State
    /// The effects that were under way at a kill and may run once at the most: the restart did not run them again.
    public var interrupted: [EffectRun]
}
