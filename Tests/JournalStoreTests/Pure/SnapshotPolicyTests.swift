import Testing

@testable import JournalStore

@Suite struct `Pure, the snapshot policy` {
    @Test(
        arguments: [
            ("before the first is due", 1000, 999, 0, false),
            ("the first is due", 1000, 1000, 0, true),
            ("later than due", 1000, 1001, 0, true),
            ("right after one", 1000, 1001, 1000, false),
            ("just not due", 1000, 1999, 1000, false),
            ("due again", 1000, 2000, 1000, true),
            ("counted from the last, not from the start", 1000, 2000, 1500, false),
            ("every step", 1, 8, 7, true),
            ("every step, but not twice", 1, 7, 7, false),
            ("an interval of 0 is every step", 0, 8, 7, true),
            ("an interval of 0, but not twice", 0, 7, 7, false),
            ("a step before the last", 1, 6, 7, false),
            ("never", nil, .max, 0, false),
        ] as [(String, Int?, Int, Int, Bool)])
    func `a snapshot is due N steps after the last`(_ what: String, every: Int?, step: Int, last: Int, isDue: Bool) {
        #expect(SnapshotPolicy(everySteps: every).isDue(at: step, last: last) == isDue)
    }

    @Test(arguments: [
        ("new steps", true, 8, 7, true), ("no new steps", true, 7, 7, false),
        ("no steps at all", true, 0, 0, false), ("new steps, switched off", false, 8, 7, false),
    ])
    func `a snapshot is due on close if there are new steps`(
        _ what: String, onClose: Bool, step: Int, last: Int, isDue: Bool
    ) {
        #expect(SnapshotPolicy(onClose: onClose).isDueOnClose(at: step, last: last) == isDue)
        // The two rules are independent.
        #expect(SnapshotPolicy(everySteps: nil, onClose: onClose).isDueOnClose(at: step, last: last) == isDue)
    }

    @Test func `a snapshot is due every 1,000 steps and on close by default`() {
        #expect(SnapshotPolicy() == SnapshotPolicy(everySteps: 1000, onClose: true))
    }

    @Test func `a snapshot is never due with the policy never`() {
        #expect(!SnapshotPolicy.never.isDue(at: 1_000_000, last: 0))
        #expect(SnapshotPolicy(everySteps: .max).next(after: 2) == nil)
        #expect(!SnapshotPolicy.never.isDueOnClose(at: 1_000_000, last: 0))
    }
}
