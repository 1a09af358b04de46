import JournalStore
import Testing
import TortureKit

/// The short form of `make torture`.
@Suite struct `Crashes` {
    @Test func `a process killed at random moments loses nothing that it acknowledged`() throws {
        let result = try Kills(rounds: 40, seed: 20_26).run()
        #expect(result.problems.isEmpty)
        #expect(result.lost == 0)
        #expect(result.rounds == 40)
        #expect(result.acknowledged > 100)
    }

    @Test func `a shop killed at random moments charges each order once and settles every step`() async throws {
        let result = try await Payments(rounds: 50, seed: 20_26).run()
        #expect(result.problems.isEmpty)
        #expect(result.rounds == 50)
        #expect(result.resumed > 0)
        #expect(result.looks > 0)
    }

    @Test func `under FULL a power cut loses nothing that was acknowledged`() async throws {
        let result = try await PowerCuts(rounds: 30, seed: 20_26, durability: .full).run()
        #expect(result.problems.isEmpty)
        #expect(result.lost == 0)
        #expect(result.cuts == 60)
        #expect(result.acknowledged > 100)
    }

    @Test func `under NORMAL a power cut loses at most the newest entries, and the journal is sound`() async throws {
        let result = try await PowerCuts(rounds: 30, seed: 20_26, durability: .normal).run()
        #expect(result.problems.isEmpty)
        #expect(result.cuts == 60)
        // Otherwise the test has not tested a loss.
        #expect(result.lost > 0)
    }
}
