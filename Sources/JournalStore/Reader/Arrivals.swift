/// Wakes those who wait for new entries.
final class Arrivals: Sendable {
    private struct State {
        var position = 0
        var isOver = false
        var nextID = 0
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Lock(State())

    /// New entries are committed.
    func announce(_ position: Int) {
        wake { $0.position = max($0.position, position) }
    }

    /// There will be none any more.
    func end() {
        wake { $0.isOver = true }
    }

    private func wake(_ change: (inout State) -> Void) {
        let waiting = state.withLock { state in
            change(&state)
            defer { state.waiting = [:] }
            return state.waiting
        }
        // Not under the lock: whoever wakes may come straight back.
        for continuation in waiting.values { continuation.resume() }
    }

    /// Waits until there is something behind the position.
    ///
    /// - Returns: false when there will never be, or the task was cancelled.
    func wait(after position: Int) async -> Bool {
        let id = state.withLock { state in
            defer { state.nextID += 1 }
            return state.nextID
        }
        while true {
            let known = state.withLock { ($0.position, $0.isOver) }
            if known.0 > position { return true }
            if known.1 || Task.isCancelled { return false }
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let waits = state.withLock { state in
                        // A cancellation that came before this finds nobody to wake, so it is asked for again here.
                        guard state.position <= position, !state.isOver, !Task.isCancelled else { return false }
                        state.waiting[id] = continuation
                        return true
                    }
                    if !waits { continuation.resume() }
                }
            } onCancel: {
                state.withLock { $0.waiting.removeValue(forKey: id) }?.resume()
            }
        }
    }
}
