import Testing

@testable import JournalStore

@Suite struct `Pure, the snapshot policy` {
    @Test(
        arguments: [
            ("the first", 1000, 0, 1000), ("counted from the last, not from the start", 1000, 1500, 2500),
            ("every step", 1, 7, 8), ("an interval of 0 is every step", 0, 7, 8), ("never", nil, 0, nil),
            ("a negative interval is every step", -5, 7, 8), ("too far", .max, 2, nil),
        ] as [(String, Int?, Int, Int?)])
    func `a snapshot is due N steps after the last`(_ what: String, every: Int?, last: Int, next: Int?) {
        let policy = SnapshotPolicy(everySteps: every)
        #expect(policy.next(after: last) == next)
        // However large the state is.
        #expect(policy.next(after: last, distance: 1_000_000) == next)
        #expect(!policy.dependsOnEntries(stateBytes: .max))
    }

    @Test(arguments: [
        ("a small state", 100, 10), ("at the fewest steps", 1000, 10), ("in between", 2500, 25),
        ("at the most steps", 9000, 90), ("a huge state", 1 << 50, 90),
    ])
    func `a snapshot is due when the entries since the last one weigh as much as the state`(
        _ what: String, stateBytes: Int, due: Int
    ) {
        let policy = SnapshotPolicy(steps: 10...90)
        #expect(policy.next(after: 5, distance: StateWeight.entries(stateBytes, 0, in: 10)) == 5 + due)
        // Actions of 100 bytes double the weight of the entries.
        #expect(policy.next(after: 5, distance: StateWeight.entries(2 * stateBytes, 1000, in: 10)) == 5 + due)
        #expect(policy.dependsOnEntries(stateBytes: stateBytes) == (due > 10))
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

    @Test func `a snapshot is due after 250 to 100,000 steps and on close by default`() {
        #expect(SnapshotPolicy() == SnapshotPolicy(steps: 250...100_000, onClose: true))
    }

    @Test func `a snapshot is never due with the policy never`() {
        #expect(SnapshotPolicy.never.next(after: 0) == nil)
        #expect(!SnapshotPolicy.never.isDueOnClose(at: 1_000_000, last: 0))
    }
}
