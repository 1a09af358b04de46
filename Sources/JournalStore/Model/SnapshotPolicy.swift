/// When snapshots are taken. They only save time: without any, the state is folded from the first entry.
public struct SnapshotPolicy: Hashable, Sendable {
    /// The fewest and the most steps from one snapshot to the next; nil for never.
    public var steps: ClosedRange<Int>?
    /// Whether a snapshot is taken when a stream is closed.
    public var onClose: Bool

    /// Takes a snapshot when the entries since the last one are as long as the state, and when the stream is closed.
    ///
    /// So the snapshots of a large state do not cost more than the entries themselves.
    ///
    /// - Parameters:
    ///   - steps: the fewest and the most steps from one snapshot to the next; nil for never.
    ///   - onClose: whether a snapshot is taken when a stream is closed.
    public init(steps: ClosedRange<Int>? = 250...100_000, onClose: Bool = true) {
        self.steps = steps
        self.onClose = onClose
    }

    /// Takes a snapshot after this number of steps, whatever the size of the state; nil for none while the stream is
    /// open.
    public init(everySteps: Int?, onClose: Bool = true) {
        self.init(steps: everySteps.map { $0...$0 }, onClose: onClose)
    }

    /// Never takes a snapshot by itself.
    public static let never = SnapshotPolicy(steps: nil, onClose: false)

    /// The step at which the next snapshot is due; nil if none ever is.
    ///
    /// - Parameters:
    ///   - last: the step of the last snapshot.
    ///   - distance: how many entries are as long as the state.
    func next(after last: Int, distance: Int = 0) -> Int? {
        guard let steps else { return nil }
        let (next, isTooFar) = last.addingReportingOverflow(max(1, StateWeight.clamp(distance, to: steps)))
        return isTooFar ? nil : next
    }

    /// Whether the length of the entries matters for a state of this length.
    func dependsOnEntries(stateBytes: Int) -> Bool {
        guard let steps else { return false }
        return steps.lowerBound < steps.upperBound && StateWeight.mostEntries(stateBytes) > steps.lowerBound
    }

    /// - Parameter steps: how many steps a snapshot on close must save.
    func isDueOnClose(at step: Int, last: Int, saving steps: Int = 1) -> Bool {
        onClose && step - last >= steps
    }
}
