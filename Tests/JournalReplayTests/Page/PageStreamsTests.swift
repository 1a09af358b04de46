import Testing

@testable import JournalReplayKit
@testable import JournalStore

@Suite struct `The streams of a page` {
    private func stream(_ id: Int64 = 1, _ name: String = "cart", head: Int, pruned: Int = 0) -> StreamInfo {
        StreamInfo(
            id: StreamID(rawValue: id), name: name, machine: "cart", created: Timestamp(microseconds: 0),
            headStep: head, headDigest: Digest(high: 0, low: 0), settledStep: head, prunedStep: pruned, seed: [])
    }

    /// A stream, the positions of its entries by step, the last position of the page, and how many steps come after it.
    struct Case: CustomTestStringConvertible {
        var testDescription: String
        var head: Int
        var pruned = 0
        var positions: [Int: Int]
        var last: Int
        var late: Int
    }

    @Test(arguments: [
        Case(testDescription: "a stream without steps", head: 0, positions: [:], last: 5, late: 0),
        Case(testDescription: "all steps are earlier", head: 2, positions: [1: 4, 2: 5], last: 5, late: 0),
        Case(testDescription: "the newest step is later", head: 2, positions: [1: 5, 2: 6], last: 5, late: 1),
        Case(testDescription: "all steps are later", head: 2, positions: [1: 6, 2: 9], last: 5, late: 2),
        Case(testDescription: "pruned steps do not count", head: 3, pruned: 2, positions: [3: 9], last: 5, late: 1),
        Case(testDescription: "nothing but pruned steps", head: 3, pruned: 3, positions: [2: 9], last: 5, late: 0),
        Case(testDescription: "the newest step cannot be read", head: 2, positions: [1: 6], last: 5, late: 0),
        Case(testDescription: "an older step cannot be read", head: 3, positions: [1: 6, 3: 8], last: 5, late: 1),
    ])
    func `steps after the last position of the page are late, from the newest one back`(_ test: Case) {
        let late = PageStreams.late(of: stream(head: test.head, pruned: test.pruned), after: test.last) {
            test.positions[$0]
        }
        #expect(late == test.late)
    }

    @Test func `the initial effect is shown with the first step of the stream`() {
        let boot = EffectRun(
            stream: StreamID(rawValue: 1), step: 0, ordinal: 0, rootStep: 0, name: "boot", status: .failed)
        var streams = PageStreams(
            [stream(1, "whole", head: 3), stream(2, "newest steps", head: 3), stream(3, "new", head: 0)])
        for step in 1...3 { streams.add(step, of: 0) }
        for step in 2...3 { streams.add(step, of: 1) }
        #expect(streams.rows.map { $0.shows(boot) } == [true, false, true])
    }

    @Test func `late steps are not left out as too old, and all others before the first one shown are`() {
        var streams = PageStreams([
            stream(1, "shown", head: 10), stream(2, "pruned", head: 10, pruned: 6), stream(3, "new", head: 2),
            stream(4, "old", head: 7),
        ])
        for step in 4...10 { streams.add(step, of: 0) }
        for step in 8...10 { streams.add(step, of: 1) }
        streams.setLate(2, of: 2)
        #expect(streams.omitted == 3 + 1 + 0 + 7)
        streams.setLate(1, of: 3)
        #expect(streams.omitted == 3 + 1 + 0 + 6)
    }
}
