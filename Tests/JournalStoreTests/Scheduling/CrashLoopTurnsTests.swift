import Testing

@testable import JournalStore

@Suite struct `The turns of streams in a crash loop` {
    private let first = StreamID(rawValue: 1)
    private let second = StreamID(rawValue: 2)
    private let third = StreamID(rawValue: 3)

    /// Calls that change the turns are made outside of the macros.
    private final class Turns {
        var turns = CrashLoopTurns()
        func begin(_ stream: StreamID, alone: Bool = false) -> Bool { turns.begin(stream, alone: alone) }
    }

    @Test func `streams watch together`() {
        let turns = Turns()
        #expect(turns.begin(first))
        #expect(turns.begin(second))
        #expect(turns.begin(first))
    }

    @Test func `a stream that watches alone waits for the others, and no other one begins meanwhile`() {
        let turns = Turns()
        #expect(turns.begin(first))
        #expect(!turns.begin(second, alone: true))
        #expect(!turns.begin(third))
        // Its next group waits as well.
        #expect(!turns.begin(first))
        #expect(turns.begin(second, alone: true))
        #expect(!turns.begin(third))
        #expect(!turns.begin(third, alone: true))
        turns.turns.end(second)
        #expect(!turns.begin(first))
        #expect(turns.begin(third, alone: true))
        turns.turns.end(third)
        #expect(turns.begin(first))
    }

    @Test func `a stream that ends while it waits holds up no other one`() {
        let turns = Turns()
        #expect(turns.begin(first))
        #expect(!turns.begin(second, alone: true))
        turns.turns.end(second)
        #expect(turns.begin(third))
    }

    @Test func `a stream that watched alone can go on with the others`() {
        let turns = Turns()
        #expect(turns.begin(first, alone: true))
        #expect(turns.begin(first))
        #expect(turns.begin(second))
    }
}
