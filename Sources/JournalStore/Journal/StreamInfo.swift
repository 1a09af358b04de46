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
    package var seed: [UInt8]

    /// What stands in for the entry of a step 0: time and chance of what the machine begins with.
    var birth: Appended.Stamp {
        Appended.Stamp(time: created, digest: .genesis(name: name, machine: machine, seed: seed))
    }
}
