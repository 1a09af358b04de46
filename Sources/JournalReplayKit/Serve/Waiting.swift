import Dispatch
import JournalStore

/// Waiting across tasks and threads that may block.
enum Waiting {
    /// Runs a body that blocks on a thread that no task runs on.
    static func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "journal-replay.waiting").async {
                continuation.resume(with: Swift.Result { try body() })
            }
        }
    }

    /// Waits for a task on a thread that no task runs on.
    static func run(_ work: @escaping @Sendable () async throws -> Void) throws {
        let done = DispatchSemaphore(value: 0)
        let result = Failure()
        Task {
            do { try await work() } catch { result.error.withLock { $0 = error } }
            done.signal()
        }
        done.wait()
        if let error = result.error.withLock({ $0 }) { throw error }
    }

    private final class Failure: Sendable {
        let error = Lock<(any Error)?>(nil)
    }
}
