/// A stream's row: one machine instance in a journal.
public struct StreamInfo: Hashable, Sendable {
    package var id: StreamID
    /// The stream's name.
    public var name: String
    /// The machine it belongs to.
    public var machine: String
    /// When it was created.
    public var created: Timestamp
    /// The newest step; 0 if there is none.
    public var headStep: Int
    /// The digest of the newest entry.
    public var headDigest: Digest
    /// The settlement watermark: the step up to which the outcomes are recorded.
    public var settledStep: Int
    /// The step up to which the entries were pruned; 0 if none were.
    public var prunedStep: Int
    /// Its first random seed, with which its digest chain begins. For the seed of a step call ``seed(at:)``.
    package var seed: StreamSeed
    /// The seeds that replaced it, oldest first: one for each fork and each detached copy it went through.
    package var laterSeeds: [LaterSeed] = []
    /// Whether the initial effect is settled.
    package var hasBegun = true
    /// What openings left that ended before they were stable: a ``CrashLoopRecord`` as JSON.
    package var crashLoop: String?
    /// The row digests of its records.
    package var records = RecordsDigest()

    /// The settlement watermark; -1 if the initial effect is not settled either.
    var watermark: Int { hasBegun || settledStep > 0 ? settledStep : -1 }

    /// A step after the one that ``JournalReader/decidedStep(of:)`` returns.
    func undecided(_ step: Int, _ location: ErrorLocation) -> JournalError {
        location.at(step).error(
            .noSuchStep,
            "It is not known yet whether this step counts: its action was committed together with earlier ones, which "
                + "may have cancelled its effect.",
            advice: "An app that has the stream open finds out at once; otherwise the next opening does.")
    }

    /// The random seed of a step.
    package func seed(at step: Int) -> StreamSeed {
        laterSeeds.last { $0.step < step }?.seed ?? seed
    }

    /// The last step shared with the journal that this one was copied from. Effects of steps up to it run there.
    var sharedStep: Int? { laterSeeds.last?.step }

    /// The time and digest of step 0, the machine's beginning, which has no entry.
    var birth: Appended.Stamp {
        Appended.Stamp(time: created, digest: .genesis(name: name, machine: machine, seed: seed.bytes))
    }
}

extension StreamInfo: CustomStringConvertible {
    /// The stream, its machine and its newest step.
    public var description: String {
        JSONOutput.safe("stream '\(name)' of the machine '\(machine)', step \(headStep)")
    }
}

/// A random seed that replaces the stream's seed from a step on.
package struct LaterSeed: Hashable, Sendable {
    /// The steps after this one use the seed.
    package var step: Int
    package var seed: StreamSeed
}
