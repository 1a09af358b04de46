public import JournalStore

/// What a ``CrashMatrix`` has tried.
public struct CrashReport: Hashable, Sendable, CustomStringConvertible {
    /// The number of moments at which the uncut run was killed.
    public var cuts = 0
    /// The number of further moments that leave the same as one that was tried.
    public var equalCuts = 0
    /// The number of moments at which it was killed a second time, during recovery or later.
    public var secondCuts = 0
    /// The number of further such moments that leave the same as one that was tried.
    public var equalSecondCuts = 0
    /// The entries of the uncut run.
    public var entries = 0
    /// The effects of the uncut run.
    public var effects = 0

    /// How many of them were still running at the end.
    public var unfinished = 0

    /// The report in one line.
    public var description: String {
        (unfinished > 0 ? "\(unfinished) effects never ended. " : "")
            + "\(entries) entries, \(effects) effects: killed at \(cuts) moments (\(equalCuts) more leave the same), "
            + "and a second time at \(secondCuts) (\(equalSecondCuts) more)"
    }
}

/// A cut after which the machine ended differently.
public struct CrashMatrixFailure: Error, Hashable, CustomStringConvertible {
    /// The machine's name.
    public var machine: String
    /// Where the process was killed: one moment, or two.
    public var cuts: [String]
    /// What differs from the uncut run, or violates a rule for every machine.
    public var differences: [String]

    /// The cuts and the differences, line by line.
    public var description: String {
        var lines = ["The machine '\(machine)' ended differently after a kill."]
        if cuts.isEmpty { lines = ["The machine '\(machine)' failed without any kill."] }
        for (index, cut) in cuts.enumerated() { lines.append((index == 0 ? "Killed " : "and again ") + cut) }
        return (lines + differences.map { "  " + $0 }).joined(separator: "\n")
    }
}

/// How a machine ended after one or two kills, if not as in the uncut run.
public struct CrashOutcome<State: Sendable>: Sendable {
    /// The last state.
    public var state: State
    /// The effects that were under way at a kill and may start at most once: the restart did not run them again.
    public var interrupted: [EffectRun]
}
