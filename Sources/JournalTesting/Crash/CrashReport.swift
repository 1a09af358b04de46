public import JournalStore

/// What a ``CrashMatrix`` has tried.
public struct CrashReport: Hashable, Sendable, CustomStringConvertible {
    /// The number of moments at which the machine was killed.
    public var cuts = 0
    /// The number of further moments at which a kill leaves the same files as at one of those.
    public var equalCuts = 0
    /// The number of moments at which it was killed a second time, during the recovery or later.
    public var secondCuts = 0
    /// The number of further moments at which a second kill leaves the same files as at one of those.
    public var equalSecondCuts = 0
    /// The number of entries of the run without a kill.
    public var entries = 0
    /// The number of effects of the run without a kill.
    public var effects = 0

    /// How many effects were still running at its end, those without a record (`.ephemeral`) included.
    public var unfinished = 0
    /// How many of its effects have failed.
    public var failed = 0
    /// How many of its entries were rejected.
    public var rejected = 0

    /// Under how many keys each request to the ``Outside`` was answered in the run without a kill, by the name of the
    /// request. The matrix compares other runs with this one: whether this one is right, the test must say.
    public var requests: [String: Int] = [:]

    /// Whether no kill after the record of a body's start was tried. With these records the machine ends differently
    /// without a kill, because the script does not wait for effects which begin: let it wait with
    /// ``CrashStep/finish`` or ``CrashStep/advance(_:)``.
    public var skipsRecordedStarts = false

    /// The report in a few words.
    public var description: String {
        let unfinished = unfinished > 0 ? "\(unfinished.counted("effect", "effects")) never ended. " : ""
        let rejections = rejected > 0 ? " (\(rejected) rejected)" : ""
        let failures = failed > 0 ? " (\(failed) failed)" : ""
        let run =
            "\(entries.counted("entry", "entries"))\(rejections), \(effects.counted("effect", "effects"))\(failures)"
        let moments = cuts.counted("moment", "moments")
        let skipped =
            skipsRecordedStarts
            ? ". Not killed after the record of a body's start, because the script does not wait for effects which "
                + "begin: let it wait with 'finish' or 'advance'"
            : ""
        return "\(unfinished)\(run): killed at \(moments) (\(equalCuts) more leave the same), "
            + "and a second time at \(secondCuts) (\(equalSecondCuts) more)\(skipped)"
    }
}

/// A kill after which the machine ended in another way than without one.
public struct CrashMatrixFailure: Error, Hashable, CustomStringConvertible {
    /// The machine's name.
    public var machine: String
    /// Where the process was killed: one moment, or two.
    public var cuts: [String]
    /// What differs from the run without a kill, or violates a rule for every machine.
    public var differences: [String]

    /// The cuts and the differences, line by line.
    public var description: String {
        var lines = ["The machine '\(machine)' ended differently after a kill."]
        if cuts.isEmpty { lines = ["The machine '\(machine)' failed without any kill."] }
        for (index, cut) in cuts.enumerated() { lines.append((index == 0 ? "Killed " : "and again ") + cut) }
        return (lines + differences.map { "  " + $0 }).joined(separator: "\n")
    }
}

/// How a machine ended after one or two kills, if it ended in another way than without a kill.
public struct CrashOutcome<State: Sendable>: Sendable {
    /// The last state.
    public var state: State
    /// The effects that were under way at a kill and may start at most once: the restart did not run them again.
    public var interrupted: [EffectRun]
}
