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

/// The result that a blocked thread waits for.
final class AnswerBox<Value: Sendable>: Sendable {
    private let result = Lock<Result<Value, JournalError>?>(nil)
    private let isThere = DispatchSemaphore(value: 0)

    /// Puts the result in, and does not wake the thread. When this returns, nothing else has the result: the thread may
    /// release it, and expect that it was the last owner.
    func fill(_ body: @concurrent @Sendable () async throws(JournalError) -> Value) async {
        do throws(JournalError) {
            let value = try await body()
            result.withLock { $0 = .success(value) }
        } catch {
            result.withLock { $0 = .failure(error) }
        }
    }

    func fill(_ result: Result<Value, JournalError>) { self.result.withLock { $0 = result } }

    func wake() { isThere.signal() }

    func wait() throws(JournalError) -> Value {
        while true {
            if let result = result.withLock({ $0.take() }) { return try result.get() }
            isThere.wait()
        }
    }
}

/// Blocks a thread until another one has the result.
enum Waiting<Value: Sendable> {
    static func `for`(
        _ body: (@escaping @Sendable (Result<Value, JournalError>) -> Void) -> Void
    ) throws(JournalError) -> Value {
        let answer = AnswerBox<Value>()
        body { result in
            answer.fill(result)
            answer.wake()
        }
        return try answer.wait()
    }
}
