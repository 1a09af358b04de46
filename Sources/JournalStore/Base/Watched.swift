/// A value guarded by a lock; tasks can wait until it meets a condition.
package final class Watched<Value: Sendable>: Sendable {
    private struct Held {
        var value: Value
        var nextID = 0
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    }

    private let held: Lock<Held>

    package init(_ value: Value) {
        held = Lock(Held(value: value))
    }

    package func read<Result: Sendable>(_ body: (Value) -> Result) -> Result {
        held.withLock { body($0.value) }
    }

    /// Changes the value and wakes all waiting tasks, so that they check it again.
    @discardableResult
    package func change<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
        let (result, waiting) = held.withLock { held in
            let result = body(&held.value)
            if held.waiting.isEmpty { return (result, held.waiting) }
            defer { held.waiting = [:] }
            return (result, held.waiting)
        }
        // Outside the lock, because a resumed task may call this object at once.
        for continuation in waiting.values { continuation.resume() }
        return result
    }

    /// Changes a part of the value that no task waits for, and wakes none.
    @discardableResult
    package func changeQuietly<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
        held.withLock { body(&$0.value) }
    }

    /// Wakes all waiting tasks, after a change that did not.
    package func wake() { change { _ in } }

    /// Waits until `answer` returns a value.
    ///
    /// - Returns: that value; nil if the task was cancelled first.
    package func wait<Answer: Sendable>(for answer: (Value) -> Answer?) async -> Answer? {
        let id = held.withLock { held in
            defer { held.nextID += 1 }
            return held.nextID
        }
        while true {
            if let found = held.withLock({ answer($0.value) }) { return found }
            if Task.isCancelled { return nil }
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let waits = held.withLock { held in
                        // Checked again: a change since the check above found no continuation to resume.
                        guard answer(held.value) == nil, !Task.isCancelled else { return false }
                        held.waiting[id] = continuation
                        return true
                    }
                    if !waits { continuation.resume() }
                }
            } onCancel: {
                held.withLock { $0.waiting.removeValue(forKey: id) }?.resume()
            }
        }
    }
}
