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
    /// The state as it is stored: JSON.
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

extension SnapshotMark {
    /// The error that states could not be computed without the snapshot.
    package func cannotBeDropped(from stream: String, file: String?) -> JournalError {
        ErrorLocation(file: file, stream: stream, step: step).error(
            .notInThatState,
            isBase
                ? "The snapshot is a base: its state cannot be computed from the entries before it."
                : "The entries after the snapshot were kept by a pruning: without it their states could not be computed.",
            advice: "Keep it; others can be dropped.")
    }
}
