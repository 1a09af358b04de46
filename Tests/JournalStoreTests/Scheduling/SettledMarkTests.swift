import Testing

@testable import JournalStore

@Suite struct `Scheduling, how far a stream is settled` {
    private let mark = SettledMark(5)

    @Test func `what was found is owed to nobody`() {
        #expect(!mark.isOwed)
        #expect(!mark.isStuck())
    }

    @Test func `a step that was reached is owed until it is noted`() {
        mark.reached = 6
        #expect(mark.isOwed)
        mark.noted = 6
        #expect(!mark.isOwed)
    }

    @Test func `it is stuck where nothing was noted between two looks`() {
        mark.reached = 6
        #expect(mark.isStuck())
        mark.noted = 6
        mark.reached = 7
        #expect(!mark.isStuck())
        #expect(mark.isStuck())
    }
}
