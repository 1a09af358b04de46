import JournalStore

/// Who turns the clock: it stands still as long as anything happens by itself, and then goes on to the next moment at which somebody
/// wants to be woken.
final class CrashPace: Sendable {
    private struct Waiting {
        /// Nil: until nobody wants to be woken any more.
        let until: Timestamp?
        let continuation: UnsafeContinuation<Void, any Error>
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    let executor = OneByOne()
    let clock: ManualClock
    private let limit: Int
    private let waiting = Watched<Waiting?>(nil)

    init(at start: Timestamp?, limit: Int) {
        clock = start.map { ManualClock(at: $0) } ?? ManualClock()
        self.limit = limit
    }

    var now: Timestamp { clock.wallClock() }

    /// Waits until all that is due then has happened; nil for all that will ever happen by itself.
    func wait(until time: Timestamp?) async throws {
        try await withUnsafeThrowingContinuation { continuation in
            waiting.change { $0 = Waiting(until: time, continuation: continuation) }
        }
    }

    /// Runs the script to its end.
    func run<Value: Sendable>(_ script: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let result = Watched<Result<Value, any Error>?>(nil)
        Task.detached(executorPreference: executor) {
            do {
                let value = try await script()
                result.change { $0 = .success(value) }
            } catch {
                result.change { $0 = .failure(error) }
            }
        }
        var turns = 0
        while true {
            await executor.quiet()
            if let result = result.read({ $0 }) { return try result.get() }
            if let wait = waiting.change({ wait in
                defer { wait = nil }
                return wait
            }) {
                try goOn(wait, &turns)
            } else {
                // It waits for the store.
                guard try turn(to: nil, &turns) else {
                    throw Failure(description: "A call of the store does not return, and nothing happens any more.")
                }
            }
        }
    }

    private func goOn(_ wait: Waiting, _ turns: inout Int) throws {
        do {
            if try turn(to: wait.until, &turns) {
                waiting.change { $0 = wait }
            } else {
                wait.continuation.resume()
            }
        } catch {
            wait.continuation.resume(throwing: error)
        }
    }

    /// Turns the clock to the next moment at which somebody wants to be woken, and no further than to `time`.
    ///
    /// - Returns: whether somebody was woken.
    private func turn(to time: Timestamp?, _ turns: inout Int) throws -> Bool {
        let wake = clock.nextWake
        let left = time.map { Duration.microseconds(max(0, $0.microseconds - now.microseconds)) }
        guard let wake, left.map({ wake <= $0 }) ?? true else {
            if let left { clock.advance(by: left) }
            return false
        }
        turns += 1
        guard turns <= limit else {
            throw Failure(
                description:
                    "The clock was turned \(limit) times, and somebody still wants to be woken: an effect that "
                    + "never ends by itself needs a script that cancels it.")
        }
        clock.advance(by: wake)
        return true
    }
}
