import Synchronization
import Testing

@testable import JournalStore

@Suite struct `Scheduling, the worker pool` {
    /// A pool client that counts its turns.
    private final class Taker: PoolClient {
        let turns = Atomic(0)
        private let end: @Sendable (Int) -> DrainResult

        init(_ end: @escaping @Sendable (Int) -> DrainResult) {
            self.end = end
        }

        func drainOnce() -> DrainResult { end(turns.add(1, ordering: .relaxed).newValue) }
    }

    private let turns = WorkerPool(Journal.Options())

    @Test func `a client that always has more to do does not keep another one waiting`() async {
        let isOver = Lock(false)
        let busy = (0..<2 * WorkerPool.processors).map { _ in Taker { _ in isOver.withLock { $0 } ? .done : .more } }
        let met = Signal()
        let other = Taker { _ in
            met.send()
            return .done
        }
        turns.add(busy)
        turns.add([other])
        await met.wait()
        isOver.withLock { $0 = true }
    }

    @Test func `a client gets as many turns as it asks for, and none after that`() async {
        let done = Signal()
        let takers = (1...500).map { wanted in
            Taker { turn in
                if turn == wanted % 7 + 1 {
                    done.send()
                    return .done
                }
                return turn.isMultiple(of: 2) ? .more : .moreLater
            }
        }
        turns.add(takers)
        await done.wait(times: takers.count)
        #expect(takers.map { $0.turns.load(ordering: .relaxed) } == (1...500).map { $0 % 7 + 1 })
    }
}
