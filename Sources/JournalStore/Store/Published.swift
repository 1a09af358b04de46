/// The state for everybody to see, and those who want to see each one.
final class Published<State: Sendable>: Sendable {
    private struct Held {
        var state: State
        var step: Int
        var isOver = false
        var nextID = 0
        var listeners: [Int: AsyncStream<State>.Continuation] = [:]
    }

    private let held: Watched<Held>

    init(_ state: State, step: Int) {
        held = Watched(Held(state: state, step: step))
    }

    var state: State { held.read { $0.state } }
    var step: Int { held.read { $0.step } }
    var newest: (state: State, step: Int) { held.read { ($0.state, $0.step) } }

    /// Called by one at a time.
    func publish(_ state: State, step: Int) {
        let listeners = held.change { held in
            held.state = state
            held.step = step
            return held.listeners
        }
        for listener in listeners.values { listener.yield(state) }
    }

    /// There will be no other state.
    func end() {
        let listeners = held.change { held in
            held.isOver = true
            defer { held.listeners = [:] }
            return held.listeners
        }
        for listener in listeners.values { listener.finish() }
    }

    /// The present state, and then each later one; for a listener that does not keep up only the newest of them.
    func states(buffering count: Int) -> AsyncStream<State> {
        AsyncStream(bufferingPolicy: .bufferingNewest(max(1, count))) { continuation in
            let id: Int? = held.change { held in
                continuation.yield(held.state)
                guard !held.isOver else { return nil }
                defer { held.nextID += 1 }
                held.listeners[held.nextID] = continuation
                return held.nextID
            }
            guard let id else { return continuation.finish() }
            continuation.onTermination = { [weak self] _ in
                self?.held.change { held in held.listeners[id] = nil }
            }
        }
    }

    /// Waits for a step behind this one.
    ///
    /// - Returns: the newest step; nil when there will be none, or the task was cancelled.
    func wait(after step: Int) async -> Int? {
        await held.wait { held -> Int?? in held.step > step ? .some(held.step) : held.isOver ? .some(nil) : nil } ?? nil
    }
}
