import Synchronization
import Testing

@testable import JournalStore

@Suite struct `Scheduling, the worker pool` {
    /// A pool client that counts its drains.
    private final class Client: PoolClient {
        let drains = Atomic(0)
        private let end: @Sendable (Int) -> DrainResult

        init(_ end: @escaping @Sendable (Int) -> DrainResult) {
            self.end = end
        }

        func drainOnce() -> DrainResult { end(drains.add(1, ordering: .relaxed).newValue) }
    }

    private let pool = WorkerPool(Journal.Options())

    @Test func `a client that always has more to do does not keep another one waiting`() async {
        let isOver = Lock(false)
        let busy = (0..<2 * WorkerPool.processors).map { _ in Client { _ in isOver.withLock { $0 } ? .empty : .more } }
        let met = Signal()
        let other = Client { _ in
            met.send()
            return .empty
        }
        pool.schedule(busy)
        pool.schedule([other])
        await met.wait()
        isOver.withLock { $0 = true }
    }

    /// A pool client that schedules another one when it is released.
    private final class Heir: PoolClient {
        let end: @Sendable () -> Void

        init(_ end: @escaping @Sendable () -> Void) { self.end = end }

        deinit { end() }

        func drainOnce() -> DrainResult { .empty }
    }

    @Test func `a client can schedule another one when it is released`() async {
        let met = Signal()
        let other = Client { _ in
            met.send()
            return .empty
        }
        // Once as the only client, and often enough that the queue is shortened meanwhile.
        for count in [1, 300] {
            pool.schedule((0..<count).map { _ in Heir { [pool] in pool.schedule([other]) } })
            await met.wait(times: count)
        }
    }

    @Test func `a client is drained as often as it asks for, and none after that`() async {
        let done = Signal()
        let clients = (1...500).map { wanted in
            Client { drain in
                if drain == wanted % 7 + 1 {
                    done.send()
                    return .empty
                }
                return drain.isMultiple(of: 2) ? .more : .moreLater
            }
        }
        pool.schedule(clients)
        await done.wait(times: clients.count)
        #expect(clients.map { $0.drains.load(ordering: .relaxed) } == (1...500).map { $0 % 7 + 1 })
    }
}
