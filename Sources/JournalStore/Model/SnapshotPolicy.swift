/// When a state is kept. It only saves time: without any snapshot the state is folded from the first entry.
public struct SnapshotPolicy: Hashable, Sendable {
    /// After how many steps since the last one; nil for never.
    public var everySteps: Int?
    /// Whether one is taken when a stream is closed.
    public var onClose: Bool

    /// Every 1,000 steps and on close.
    public init(everySteps: Int? = 1000, onClose: Bool = true) {
        self.everySteps = everySteps
        self.onClose = onClose
    }

    /// No snapshot by itself.
    public static let never = SnapshotPolicy(everySteps: nil, onClose: false)

    func isDue(at step: Int, last: Int) -> Bool {
        next(after: last).map { step >= $0 } ?? false
    }

    /// The step at which one is due after another one; nil where none ever is.
    func next(after last: Int) -> Int? {
        guard let everySteps else { return nil }
        let (next, isTooFar) = last.addingReportingOverflow(max(1, everySteps))
        return isTooFar ? nil : next
    }

    func isDueOnClose(at step: Int, last: Int) -> Bool {
        onClose && step > last
    }
}
