import Synchronization

/// Up to which step a stream is settled, where there is nothing else to be recorded: the writer notes it with the stream's own next
/// entry, in the same row. A record of its own is only needed where no such entry comes.
final class SettledMark: Sendable {
    private let reachedStep: Atomic<Int>
    private let notedStep: Atomic<Int>
    /// What was noted when somebody last asked whether it is stuck.
    private let seenStep: Atomic<Int>

    init(_ step: Int) {
        reachedStep = Atomic(step)
        notedStep = Atomic(step)
        seenStep = Atomic(step)
    }

    /// Up to where nothing is missing on the disk but this number. Set by the stream's store.
    var reached: Int {
        get { reachedStep.load(ordering: .relaxed) }
        set { reachedStep.store(newValue, ordering: .relaxed) }
    }

    /// What the disk has. Set by the writer.
    var noted: Int {
        get { notedStep.load(ordering: .relaxed) }
        set { notedStep.store(newValue, ordering: .relaxed) }
    }

    var isOwed: Bool { reached > noted }

    /// Whether something is owed, and nothing was noted since this was asked for the last time.
    func isStuck() -> Bool {
        let noted = noted
        return seenStep.exchange(noted, ordering: .relaxed) == noted && isOwed
    }
}
