import JournalStore

/// The journal of a test store: a file in a temporary folder, with the test's clock and seed. Its tasks run one after
/// the other.
struct TestJournal: Sendable {
    let clock: ManualClock
    private let seed: UInt64
    private let folder: JournalFolder

    init(clock: ManualClock, seed: UInt64) throws {
        (self.clock, self.seed) = (clock, seed)
        folder = try JournalFolder()
    }

    func open<Action, State>(recording recorder: StepRecorder<Action, State>) throws -> Journal {
        var options = Journal.Options()
        // No test needs to survive a power loss.
        options.durability = .normal
        options.follow(clock)
        options.checksCoding = true
        // A snapshot of each step, so that the verification at the end compares each state.
        options.snapshots = SnapshotPolicy(everySteps: 1)
        options.retention = Retention(everySteps: 1)
        options.streamSeed = { [seed] in Self.seed(of: seed) }
        // A test need not host the receivers of messages, also if it takes more than ten seconds.
        options.report = { notice in if notice.kind != .messagesWaiting { recorder.report(notice) } }
        return try Journal(path: folder.journal, options: options)
    }

    /// The seed of a stream.
    static func seed(of number: UInt64) -> [UInt8] {
        [UInt8](repeating: 0, count: 8) + (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    }
}
