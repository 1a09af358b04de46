/// The state for everybody to see, and those who want to see each one.
///
/// `@unchecked`: `current` and `listeners` are touched only while the lock is held. They stand beside what the lock owns, as what
/// depends on the machine would make each use of the lock slow.
final class StateBroadcast<State: Sendable>: @unchecked Sendable {
    private var current: State
    private var listeners: [Int: AsyncStream<State>.Continuation] = [:]
    /// What the listeners are still to be given.
    private var untold: [State] = []
    /// Whether there is something. For the one that publishes alone, who can ask without the lock.
    private var mustTell = false
    private let held: Watched<PublishedStep>

    init(_ state: State, step: Int) {
        current = state
        held = Watched(PublishedStep(step: step))
    }

    var state: State { held.read { _ in current } }
    var step: Int { held.read { $0.step } }
    var newest: (state: State, step: Int) { held.read { (current, $0.step) } }

    /// Called by one at a time, who also calls ``tell()``.
    func publish(_ state: State, step: Int) {
        held.change { held in
            current = state
            held.step = step
            if held.isHeard { keep(state) }
        }
    }

    private func keep(_ state: State) {
        untold.append(state)
        mustTell = true
        if untold.count >= 64 { tellAll() }
    }

    /// Gives the listeners what came since the last time. Not each state at once: to wake a listener costs more than a step.
    func tell() {
        guard mustTell else { return }
        mustTell = false
        held.read { _ in tellAll() }
    }

    /// Under the lock.
    private func tellAll() {
        for state in untold {
            for listener in listeners.values { listener.yield(state) }
        }
        untold.removeAll(keepingCapacity: true)
    }

    /// There will be no other state.
    func end() {
        let last = held.change { held in
            tellAll()
            held.isOver = true
            defer { listeners = [:] }
            return listeners
        }
        for listener in last.values { listener.finish() }
    }

    /// The present state, and then each later one; for a listener that does not keep up only the newest of them.
    func states(buffering count: Int) -> AsyncStream<State> {
        AsyncStream(bufferingPolicy: .bufferingNewest(max(1, count))) { continuation in
            let id: Int? = held.change { held in
                // Who comes now has the present state from the beginning on, and must not be given it again.
                tellAll()
                continuation.yield(current)
                guard !held.isOver else { return nil }
                defer { held.nextID += 1 }
                listeners[held.nextID] = continuation
                held.isHeard = true
                return held.nextID
            }
            guard let id else { return continuation.finish() }
            continuation.onTermination = { [weak self] _ in
                self?.forget(id)
            }
        }
    }

    private func forget(_ listener: Int) {
        held.change { held in
            listeners[listener] = nil
            held.isHeard = listeners.count > 0
        }
    }

    /// Waits for a step behind this one.
    ///
    /// - Returns: the newest step; nil when there will be none, or the task was cancelled.
    func wait(after step: Int) async -> Int? {
        await held.wait { $0.step > step ? .some($0.step) : $0.isOver ? .some(nil) : nil } ?? nil
    }
}

private struct PublishedStep {
    var step: Int
    var isOver = false
    var nextID = 0
    /// Whether somebody listens.
    var isHeard = false
}
