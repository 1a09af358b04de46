/// The current state of a store, and the streams that deliver each new state.
///
/// `@unchecked`: all variables but `mustTell` are used only while the lock is held. They are stored next to it, because
/// a lock over a value whose layout depends on the machine is slow.
package final class StateBroadcast<State: Sendable>: @unchecked Sendable {
    private var current: State
    private var listeners: [Int: AsyncStream<State>.Continuation] = [:]
    /// States that are not delivered to the listeners yet.
    private var untold: [State] = []
    /// Whether there are any. Used only by the thread that publishes, without the lock.
    private var mustTell = false
    private let held: Watched<PublishedStep>

    init(_ state: State, step: Int) {
        current = state
        held = Watched(PublishedStep(step: step))
    }

    var state: State { held.read { _ in current } }
    var step: Int { held.read { $0.step } }
    package var newest: (state: State, step: Int) { held.read { (current, $0.step) } }

    /// Call on one thread at a time; call ``tell()`` afterwards.
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

    /// Delivers the new states together, because waking a listener costs more than a step.
    func tell() {
        guard mustTell else { return }
        mustTell = false
        held.read { _ in tellAll() }
    }

    /// Call while the lock is held.
    private func tellAll() {
        for state in untold {
            for listener in listeners.values { listener.yield(state) }
        }
        untold.removeAll(keepingCapacity: true)
    }

    /// Delivers the last states and ends the streams.
    func end() {
        let last = held.change { held in
            tellAll()
            held.isOver = true
            defer { listeners = [:] }
            return listeners
        }
        for listener in last.values { listener.finish() }
    }

    /// The current state, then each later one. A listener that falls behind gets only the newest of those that wait.
    func states(buffering count: Int) -> AsyncStream<State> {
        AsyncStream(bufferingPolicy: .bufferingNewest(max(1, count))) { continuation in
            let id: Int? = held.change { held in
                // The new listener begins with the current state, so earlier states must not be delivered to it.
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

    /// Waits for a step after this one.
    ///
    /// - Returns: the newest step; nil if the store has ended or the task was cancelled.
    package func wait(after step: Int) async -> Int? {
        await held.wait { $0.step > step ? .some($0.step) : $0.isOver ? .some(nil) : nil } ?? nil
    }
}

private struct PublishedStep {
    var step: Int
    var isOver = false
    var nextID = 0
    /// Whether there are listeners.
    var isHeard = false
}
