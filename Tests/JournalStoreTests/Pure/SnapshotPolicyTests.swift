import Testing

@testable import JournalStore

@Suite struct `Pure, the snapshot policy` {
    @Test(
        arguments: [
            ("before the first is due", 1000, 999, 0, false),
            ("the first", 1000, 1000, 0, true),
            ("later than due", 1000, 1001, 0, true),
            ("right after one", 1000, 1001, 1000, false),
            ("just not due", 1000, 1999, 1000, false),
            ("due again", 1000, 2000, 1000, true),
            ("counted from the last, not from the start", 1000, 2000, 1500, false),
            ("every step", 1, 8, 7, true),
            ("every step, but not twice", 1, 7, 7, false),
            ("every none is every one", 0, 8, 7, true),
            ("every none is not twice", 0, 7, 7, false),
            ("a step before the last", 1, 6, 7, false),
            ("never", nil, .max, 0, false),
        ] as [(String, Int?, Int, Int, Bool)])
    func `one is due so many steps after the last`(_ what: String, every: Int?, step: Int, last: Int, isDue: Bool) {
        #expect(SnapshotPolicy(everySteps: every).isDue(at: step, last: last) == isDue)
    }

    @Test(arguments: [
        ("something new", true, 8, 7, true), ("nothing new", true, 7, 7, false),
        ("nothing at all", true, 0, 0, false), ("something new, not wanted", false, 8, 7, false),
    ])
    func `on close one is due where there is something new`(
        _ what: String, onClose: Bool, step: Int, last: Int, isDue: Bool
    ) {
        #expect(SnapshotPolicy(onClose: onClose).isDueOnClose(at: step, last: last) == isDue)
        // The one rule has nothing to do with the other.
        #expect(SnapshotPolicy(everySteps: nil, onClose: onClose).isDueOnClose(at: step, last: last) == isDue)
    }

    @Test func `by default every 1,000 steps and on close`() {
        #expect(SnapshotPolicy() == SnapshotPolicy(everySteps: 1000, onClose: true))
    }

    @Test func `never is never`() {
        #expect(!SnapshotPolicy.never.isDue(at: 1_000_000, last: 0))
        #expect(SnapshotPolicy(everySteps: .max).next(after: 2) == nil)
        #expect(!SnapshotPolicy.never.isDueOnClose(at: 1_000_000, last: 0))
    }
}
