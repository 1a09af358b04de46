import Foundation
import Testing

@testable import JournalStore

@Suite struct `Pure, interrupted calls` {
    /// A system call whose results are given: a number of bytes, or the negative of an error number.
    private final class Call {
        var results: [Int]
        var asked: [Int] = []
        init(_ results: [Int]) { self.results = results }

        func run(_ done: Int) -> Int {
            asked.append(done)
            let result = results.removeFirst()
            if result < 0 { errno = Int32(-result) }
            return max(-1, result)
        }
    }

    private static let interrupted = -Int(EINTR)

    @Test(
        arguments: [
            ([10], 10, [0]), ([4, 6], 10, [0, 4]),
            ([interrupted, 4, interrupted, interrupted, 6], 10, [0, 0, 4, 4, 4]),
            ([4, 0], 4, [0, 4]), ([0], 0, [0]), ([4, -Int(EIO)], nil, [0, 4]),
        ] as [([Int], Int?, [Int])])
    func `a transfer continues after a part or an interruption, and ends at the end of the file or an error`(
        _ results: [Int], _ transferred: Int?, _ asked: [Int]
    ) {
        let call = Call(results)
        #expect(Platform.transfer(10, call.run) == transferred)
        #expect(call.asked == asked)
        #expect(call.results.isEmpty)
    }

    @Test func `a transfer of nothing makes no call`() {
        #expect(Platform.transfer(0, Call([]).run) == 0)
    }

    @Test func `an interrupted call is repeated, and another error is not`() {
        let call = Call([Self.interrupted, Self.interrupted, 7])
        #expect(Platform.retrying { call.run(0) } == 7)
        let failing = Call([-Int(EIO), 7])
        #expect(Platform.retrying { failing.run(0) } == -1)
        #expect(failing.results == [7])
    }
}
