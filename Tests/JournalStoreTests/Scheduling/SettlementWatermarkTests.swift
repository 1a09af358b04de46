import Testing

@testable import JournalStore

@Suite struct `Scheduling, the settlement watermark` {
    private let mark = SettlementWatermark(5)

    @Test func `a watermark that was read from the disk is not owed`() {
        #expect(!(mark.reached > mark.noted))
        #expect(!mark.isStuck())
    }

    @Test func `a step that was reached is owed until it is written`() {
        mark.reached = 6
        #expect((mark.reached > mark.noted))
        mark.noted = 6
        #expect(!(mark.reached > mark.noted))
    }

    @Test func `a watermark is stuck if nothing was written between two checks`() {
        mark.reached = 6
        #expect(mark.isStuck())
        mark.noted = 6
        mark.reached = 7
        #expect(!mark.isStuck())
        #expect(mark.isStuck())
    }
}
