import Dispatch

/// Runs a task and replies with its result.
func inTask<Value: Sendable>(
    _ reply: @escaping @Sendable (Result<Value, JournalError>) -> Void,
    _ body: @escaping @concurrent @Sendable () async throws(JournalError) -> Value
) {
    Task.detached {
        do throws(JournalError) { reply(.success(try await body())) } catch { reply(.failure(error)) }
    }
}

/// Blocks a thread until another one has the result.
enum Waiting<Value: Sendable> {
    static func `for`(
        _ body: (@escaping @Sendable (Result<Value, JournalError>) -> Void) -> Void
    ) throws(JournalError) -> Value {
        let answered = DispatchSemaphore(value: 0)
        let answer = Lock<Result<Value, JournalError>?>(nil)
        body { result in
            answer.withLock { $0 = result }
            answered.signal()
        }
        while true {
            if let result = answer.withLock({ $0 }) { return try result.get() }
            answered.wait()
        }
    }
}
