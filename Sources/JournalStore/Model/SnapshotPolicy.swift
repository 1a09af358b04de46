/// When snapshots are taken. They only save time: without any, the state is folded from the first entry.
public struct SnapshotPolicy: Hashable, Sendable {
    /// The number of steps from one snapshot to the next; nil for never.
    public var everySteps: Int?
    /// Whether a snapshot is taken when a stream is closed.
    public var onClose: Bool

    /// Every 1,000 steps and on close.
    public init(everySteps: Int? = 1000, onClose: Bool = true) {
        self.everySteps = everySteps
        self.onClose = onClose
    }

    /// Never takes a snapshot by itself.
    public static let never = SnapshotPolicy(everySteps: nil, onClose: false)

    func isDue(at step: Int, last: Int) -> Bool {
        next(after: last).map { step >= $0 } ?? false
    }

    /// The step at which the next snapshot after the one at `last` is due; nil if none ever is.
    func next(after last: Int) -> Int? {
        guard let everySteps else { return nil }
        let (next, isTooFar) = last.addingReportingOverflow(max(1, everySteps))
        return isTooFar ? nil : next
    }

    func isDueOnClose(at step: Int, last: Int) -> Bool {
        onClose && step > last
    }
}
