/// The state for everybody to see, and those who want to see each one.
///
/// `@unchecked`: `current` is touched only while the lock is held. It stands beside what the lock owns, as a value of unknown size
/// inside of it would make each use of the lock slow.
final class Published<State: Sendable>: @unchecked Sendable {
    private struct Held {
        var step: Int
        var isOver = false
        var nextID = 0
        var listeners: [Int: AsyncStream<State>.Continuation] = [:]
    }

    /// For those who wait: how far it has come.
    private struct Progress {
        var step: Int
        var isOver = false
    }

    private var current: State
    private let held: Lock<Held>
    private let progress: Watched<Progress>

    init(_ state: State, step: Int) {
        current = state
        held = Lock(Held(step: step))
        progress = Watched(Progress(step: step))
    }

    var state: State { held.withLock { _ in current } }
    var step: Int { held.withLock { $0.step } }
    var newest: (state: State, step: Int) { held.withLock { (current, $0.step) } }

    /// Called by one at a time.
    func publish(_ state: State, step: Int) {
        let listeners = held.withLock { held in
            current = state
            held.step = step
            return held.listeners
        }
        progress.change { $0.step = step }
        if listeners.isEmpty { return }
        for listener in listeners.values { listener.yield(state) }
    }

    /// There will be no other state.
    func end() {
        let listeners = held.withLock { held in
            held.isOver = true
            defer { held.listeners = [:] }
            return held.listeners
        }
        progress.change { $0.isOver = true }
        for listener in listeners.values { listener.finish() }
    }

    /// The present state, and then each later one; for a listener that does not keep up only the newest of them.
    func states(buffering count: Int) -> AsyncStream<State> {
        AsyncStream(bufferingPolicy: .bufferingNewest(max(1, count))) { continuation in
            let id: Int? = held.withLock { held in
                continuation.yield(current)
                guard !held.isOver else { return nil }
                defer { held.nextID += 1 }
                held.listeners[held.nextID] = continuation
                return held.nextID
            }
            guard let id else { return continuation.finish() }
            continuation.onTermination = { [weak self] _ in
                self?.held.withLock { held in held.listeners[id] = nil }
            }
        }
    }

    /// Waits for a step behind this one.
    ///
    /// - Returns: the newest step; nil when there will be none, or the task was cancelled.
    func wait(after step: Int) async -> Int? {
        await progress.wait { $0.step > step ? .some($0.step) : $0.isOver ? .some(nil) : nil } ?? nil
    }
}
