/// One machine instance in a journal: its row.
public struct StreamInfo: Hashable, Sendable {
    package var id: StreamID
    /// The stream's name.
    public var name: String
    /// The machine it belongs to.
    public var machine: String
    /// When it was made.
    public var created: Timestamp
    /// The newest step; 0 where there is none.
    public var headStep: Int
    /// The digest of the newest entry.
    public var headDigest: Digest
    /// Up to which step the outcomes are recorded.
    public var settledStep: Int
    /// Up to which step the entries were pruned; 0 where none were.
    public var prunedStep: Int
    /// Where its chance came from at the beginning, and what its chain begins with. For a step's own chance ask ``seed(at:)``.
    package var seed: [UInt8]
    /// Where its chance comes from later on, oldest first: one for each fork and each detached copy it went through.
    package var laterSeeds: [LaterSeed] = []

    /// Where the chance of a step comes from.
    package func seed(at step: Int) -> [UInt8] {
        laterSeeds.last { $0.step < step }?.seed ?? seed
    }

    /// Up to here the history is also that of another journal, which goes on by itself: what these steps started runs there.
    var sharedStep: Int? { laterSeeds.last?.step }

    /// What stands in for the entry of a step 0: time and chance of what the machine begins with.
    var birth: Appended.Stamp {
        Appended.Stamp(time: created, digest: .genesis(name: name, machine: machine, seed: seed))
    }
}

/// Chance that began anew in the middle of a stream.
package struct LaterSeed: Hashable, Sendable {
    /// The steps behind this one take their chance from here.
    package var step: Int
    package var seed: [UInt8]
}
