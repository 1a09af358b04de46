import Foundation

/// Somebody whose mailbox has to be worked off.
protocol TurnTaker: AnyObject, Sendable {
    /// Works off what waits, until nothing does.
    func takeTurns() async
}

/// Those whose turn has come, and the tasks that see to it: as many as there are processors, not one for each. With many streams a
/// transaction has something for each of them, and to wake a thread costs more than most reducers.
final class Turns: Sendable {
    private struct State {
        var waiting: [any TurnTaker] = []
        /// Those before have been taken.
        var next = 0
        var workers = 0
    }

    static let processors = max(1, ProcessInfo.processInfo.activeProcessorCount)
    private let state = Lock(State())
    private let options: Journal.Options

    init(_ options: Journal.Options) {
        self.options = options
    }

    func add(_ takers: [any TurnTaker]) {
        let workers = state.withLock { state in
            state.waiting += takers
            let workers = min(takers.count, Self.processors - state.workers)
            state.workers += workers
            return workers
        }
        for _ in 0..<workers { _ = options.spawn { await self.work() } }
    }

    private func work() async {
        while let taker = next() { await taker.takeTurns() }
    }

    /// - Returns: nil where nobody waits: the worker is not counted any more.
    private func next() -> (any TurnTaker)? {
        state.withLock { state in
            guard state.next < state.waiting.count else {
                state = State(workers: state.workers - 1)
                return nil
            }
            defer { state.next += 1 }
            return state.waiting[state.next]
        }
    }
}
