import Synchronization

/// Up to which step every outcome of a stream is on the disk: what its store has computed, and what the database says.
///
/// The writer notes it with the stream's next entry, in the same row. A write of its own is needed only if no entry
/// follows.
final class SettlementWatermark: Sendable {
    private let reachedStep: Atomic<Int>
    private let notedStep: Atomic<Int>
    /// The noted step when ``isStuck()`` was last called.
    private let seenStep: Atomic<Int>
    private let blocked = Atomic(false)
    private let late = Atomic(false)

    /// - Parameter step: the stored watermark; -1 if the machine's initial effect is not settled either.
    init(_ step: Int) {
        reachedStep = Atomic(step)
        notedStep = Atomic(step)
        seenStep = Atomic(step)
    }

    /// The step up to which all outcomes are on the disk. This number itself may not be there yet. Set by the stream's
    /// store.
    var reached: Int {
        get { reachedStep.load(ordering: .relaxed) }
        set { reachedStep.store(newValue, ordering: .relaxed) }
    }

    /// Whether records of the stream could not be written. Further records build on them, so they are refused until
    /// those are.
    var isBlocked: Bool {
        get { blocked.load(ordering: .relaxed) }
        set { blocked.store(newValue, ordering: .relaxed) }
    }

    /// Whether records could not be written the last time that this was tried, for whatever reason.
    var isLate: Bool {
        get { late.load(ordering: .relaxed) }
        set { late.store(newValue, ordering: .relaxed) }
    }

    /// What the database says. Set by the writer.
    var noted: Int {
        get { notedStep.load(ordering: .relaxed) }
        set { notedStep.store(newValue, ordering: .relaxed) }
    }

    /// Whether the database lags behind, and has not moved since the last call.
    func isStuck() -> Bool {
        let noted = noted
        return seenStep.exchange(noted, ordering: .relaxed) == noted && (reached > noted || isBlocked)
    }
}
