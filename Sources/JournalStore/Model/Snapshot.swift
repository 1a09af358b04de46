/// The state of a stream after a step.
public struct Snapshot: Hashable, Sendable {
    /// The step after which this was the state.
    public var step: Int
    /// The version of the machine that wrote it.
    public var version: Int
    /// When it was taken.
    public var time: Timestamp
    /// Whether it is a base: later states are computed from it, and not from the entries before it.
    public var isBase: Bool
    /// The digest of the entry at ``step``.
    public var digest: Digest
    /// The state as it is stored: the text that the machine's codec wrote, which usually is JSON.
    public var state: String
}

extension Snapshot: CustomStringConvertible {
    /// The step, the version of the machine, the time, and the length of the state.
    public var description: String {
        "\(isBase ? "base" : "snapshot") of step \(step), version \(version), at \(time): "
            + state.utf8.count.counted("byte", "bytes")
    }
}

/// A snapshot without its state.
package struct SnapshotMark: Hashable, Sendable {
    package var step: Int
    package var isBase: Bool
    /// The version of the machine that wrote it.
    package var version: Int
    /// The length of its state.
    package var stateBytes: Int
    /// Whether its row was changed: the snapshot cannot be used.
    package var isDamaged = false

    package init(step: Int, isBase: Bool = false, version: Int = 1, stateBytes: Int = 0) {
        (self.step, self.isBase, self.version, self.stateBytes) = (step, isBase, version, stateBytes)
    }
}

/// What decides whether a snapshot can be dropped. Does no I/O.
struct DropFacts: Hashable, Sendable {
    /// The snapshot; nil if there is none of the step.
    var mark: SnapshotMark?
    /// The step up to which the stream was pruned.
    var prunedStep: Int
    /// Whether the entry after it is there.
    var isFollowed: Bool

    /// The snapshot, if it is only a cache.
    func cache(_ location: ErrorLocation) throws(JournalError) -> SnapshotMark {
        guard let mark else {
            throw location.error(
                .noSuchStep, "There is no snapshot of this step.", advice: "`journal-replay snapshots` lists them.")
        }
        let advice = "Keep it; others can be dropped."
        guard !mark.isBase else {
            throw location.error(
                .notInThatState, "The snapshot is a base: its state cannot be computed from the entries before it.",
                advice: advice)
        }
        // Each range of entries that pruning kept before its base begins after a snapshot.
        guard mark.step > prunedStep || mark.isDamaged && !isFollowed else {
            throw location.error(
                .notInThatState,
                "The entries after the snapshot were kept by a pruning: without it their states could not be computed.",
                advice: advice)
        }
        return mark
    }
}
