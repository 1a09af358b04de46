import JournalStore

/// Advances the clock: it stands still as long as a task can run, and then moves to the next moment at which a task is
/// due.
final class CrashPace: Sendable {
    private struct Waiting {
        /// Nil to wait until no task sleeps any more.
        let until: Timestamp?
        let continuation: UnsafeContinuation<Void, any Error>
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    let clock: ManualClock
    private let limit: Int
    private let waiting = Watched<Waiting?>(nil)
    /// Why the script ends early.
    private let broken = Watched<(any Error)?>(nil)

    init(at start: Timestamp?, limit: Int) {
        clock = start.map { ManualClock(at: $0) } ?? ManualClock()
        self.limit = limit
    }

    var now: Timestamp { clock.wallClock() }

    /// Waits until every task that is due by then has run; nil for all tasks that will ever be due.
    func wait(until time: Timestamp?) async throws {
        try await withUnsafeThrowingContinuation { continuation in
            waiting.change { $0 = Waiting(until: time, continuation: continuation) }
            endWaitIfBroken()
        }
    }

    /// Nothing advances the clock any more: the script ends, and closes its journal.
    private func breakOff(_ error: any Error) {
        broken.change { $0 = error }
        endWaitIfBroken()
    }

    private func endWaitIfBroken() {
        guard let error = broken.read({ $0 }) else { return }
        waiting.change { $0.take() }?.continuation.resume(throwing: error)
    }

    /// Runs the script to its end.
    func run<Value: Sendable>(_ script: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let result = Watched<Result<Value, any Error>?>(nil)
        Task.detached(executorPreference: clock.stillness.executor) {
            do {
                let value = try await script()
                result.change { $0 = .success(value) }
            } catch {
                result.change { $0 = .failure(error) }
            }
        }
        var turns = 0
        while true {
            let isStill = await clock.stillness.wait(on: clock, changes: Self.mostChanges)
            if Task.isCancelled {
                breakOff(CancellationError())
                throw CancellationError()
            }
            if let result = result.read({ $0 }) { return try result.get() }
            guard isStill else {
                // The script goes on until it waits, and then closes its journal, which ends the effects.
                breakOff(Failure(description: Self.endless))
                continue
            }
            if let wait = waiting.change({ wait in
                defer { wait = nil }
                return wait
            }) {
                try goOn(wait, &turns)
            } else {
                // The script waits for the store.
                guard try turn(to: nil, &turns) else {
                    throw Failure(description: "A call of the store does not return, and no task can continue.")
                }
            }
        }
    }

    /// How much can happen while the clock stands still. Each commit is a moment to kill the machine at.
    private static let mostChanges = 1_000
    private static let endless =
        "Effects lead to each other for ever, and none of them sleeps: after \(mostChanges) commits, starts and ends of "
        + "bodies the clock has not moved. Let a body sleep on the clock of its context, or end."

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

    /// Advances the clock to the next moment at which a task is due, at most to `time`.
    ///
    /// - Returns: whether a task was woken.
    private func turn(to time: Timestamp?, _ turns: inout Int) throws -> Bool {
        let left = time.map { Duration.microseconds(max(0, $0.microseconds - now.microseconds)) }
        guard clock.moveToNextWake(within: left) else { return false }
        turns += 1
        guard turns <= limit else {
            throw Failure(
                description:
                    "The clock was advanced \(limit) times, and an effect still sleeps: an effect that "
                    + "never ends by itself needs a script that cancels it, a long timer a higher 'maximumTurns'.")
        }
        return true
    }
}
