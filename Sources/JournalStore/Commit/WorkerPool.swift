/// Something with an inbox that the worker pool drains.
protocol PoolClient: AnyObject, Sendable {
    /// Processes what is in the inbox at this moment, and no more.
    func drainOnce() -> DrainResult
}

/// How a drain ended.
enum DrainResult {
    /// The inbox is empty: the next item that is added schedules the client again.
    case empty
    /// Drain it again.
    case more
    /// Drain it again, but let the callers that were answered run first: what they submit next is drained together.
    case moreLater
}

/// Drains clients on as many tasks as there are processors. A transaction may have results for each of many streams,
/// and waking a thread costs more than most reducers.
final class WorkerPool: Sendable {
    private struct State {
        /// It is not the last owner of a client that it gave out: a client may schedule others when it is released, and
        /// that takes the lock.
        var waiting = Line<any PoolClient>()
        var workers = 0
    }

    static let processors = Platform.processors
    private let state = Lock(State())
    private let options: JournalOptions

    init(_ options: JournalOptions) {
        self.options = options
    }

    func schedule(_ clients: [any PoolClient]) {
        let workers = state.withLock { state in
            state.waiting.add(contentsOf: clients)
            let workers = min(clients.count, Self.processors - state.workers)
            state.workers += workers
            return workers
        }
        for _ in 0..<workers { _ = options.spawn { await self.work() } }
    }

    private func work() async {
        var drains = 0
        while let client = next() {
            drains += 1
            switch client.drainOnce() {
            case .empty: break
            case .more: scheduleAgain(client)
            case .moreLater:
                scheduleAgain(client)
                await Task.yield()
                continue
            }
            // Threads that dispatch without a pause must not keep this task's thread from the other tasks of the pool.
            if drains.isMultiple(of: 16) { await Task.yield() }
        }
    }

    /// - Returns: nil if no client waits; the worker is not counted any more.
    private func next() -> (any PoolClient)? {
        state.withLock { state in
            let next = state.waiting.next()
            if next == nil { state.workers -= 1 }
            return next
        }
    }

    /// After the others, so that a busy client does not keep them waiting.
    private func scheduleAgain(_ client: any PoolClient) {
        state.withLock { $0.waiting.add(client) }
    }
}
