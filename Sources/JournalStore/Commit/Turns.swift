import Foundation

/// Somebody whose mailbox has to be worked off.
protocol TurnTaker: AnyObject, Sendable {
    /// Works off what waits at this moment, and no more.
    func takeTurn() -> TurnEnd
}

/// How a turn ended.
enum TurnEnd {
    /// Nothing waits: whatever comes next asks for another turn.
    case done
    /// Another turn is needed.
    case more
    /// The same, but those who were answered should get to run first: what they hand in next goes into the same turn.
    case moreLater
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
        var turns = 0
        while let taker = next() {
            turns += 1
            switch taker.takeTurn() {
            case .done: break
            case .more: again(taker)
            case .moreLater:
                again(taker)
                await Task.yield()
                continue
            }
            // Threads that dispatch without a pause must not keep this one from the others of its pool.
            if turns.isMultiple(of: 16) { await Task.yield() }
        }
    }

    /// - Returns: nil where nobody waits: the worker is not counted any more.
    private func next() -> (any TurnTaker)? {
        state.withLock { state in
            guard state.next < state.waiting.count else {
                state = State(workers: state.workers - 1)
                return nil
            }
            if state.next >= 64, state.next * 2 > state.waiting.count {
                state.waiting.removeFirst(state.next)
                state.next = 0
            }
            defer { state.next += 1 }
            return state.waiting[state.next]
        }
    }

    /// Behind the others: one that always has something to do must not keep them waiting.
    private func again(_ taker: any TurnTaker) {
        state.withLock { $0.waiting.append(taker) }
    }
}
