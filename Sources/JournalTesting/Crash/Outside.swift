import JournalStore

/// The world outside of the process, for effect bodies in a ``CrashMatrix``: it survives kills, and is compared at the
/// end.
///
/// ```swift
/// let matrix = CrashMatrix(cart, actions: [.add("apple"), .pay]) { outside in
///     Shop { items, key in outside.call("charge", key: key) { _ in "a receipt for \(items.count)" } }
/// }
/// ```
public final class Outside: Sendable {
    /// Whether the current task replays a journal: then only a reducer can make a request.
    @TaskLocal static var isReplayed = false

    private let recorder: CrashRecorder
    private let executor: OneByOne

    /// - Parameter executor: that of the journal's tasks.
    init(_ recorder: CrashRecorder, _ executor: OneByOne) {
        (self.recorder, self.executor) = (recorder, executor)
    }

    /// A request to a service that recognizes repeated requests by their key. The process may be killed right before
    /// and right after it.
    ///
    /// - Parameters:
    ///   - name: the name of the request.
    ///   - key: the same for each attempt, such as `EffectContext.idempotencyKey`.
    ///   - answer: what the service does if it does not know the key yet. Its argument is the number of requests with
    ///     this key, including this one. If it throws, nothing was done, and the process may be killed before the error
    ///     arrives.
    /// - Returns: the answer for that key, from now or earlier.
    @discardableResult
    public func call<Answer: Sendable, Failure: Error>(
        _ name: String, key: String, answer: (_ times: Int) throws(Failure) -> Answer
    ) throws(Failure) -> Answer {
        if Self.isReplayed {
            recorder.change { $0.requestedInReplay(name) }
            return try answer(1)
        }
        cut("before the request '\(name)'")
        let request = Chronicle.Request(name: name, key: key)
        let known = recorder.change { chronicle in
            chronicle.requests[request, default: Chronicle.Answered()].times += 1
            return chronicle.requests[request]
        }
        let given: Answer
        // In two steps: a cast of no answer to an optional one would succeed.
        if let stored = known?.answer, let earlier = stored as? Answer {
            given = earlier
        } else {
            do throws(Failure) {
                given = try answer(known?.times ?? 1)
            } catch {
                cut("after the request '\(name)' failed, before its error arrived")
                throw error
            }
            // Wrapped: an answer that is nil is an answer.
            recorder.change { $0.requests[request]?.answer = .some(given as any Sendable) }
        }
        cut("after the request '\(name)', before its answer arrived")
        return given
    }

    /// The process could be killed now. A task that a body has started runs beside the tasks of the journal.
    private func cut(_ moment: String) {
        recorder.cut(moment, isAlone: executor.isRunningCaller)
    }

    /// A request whose answer does not matter.
    public func call(_ name: String, key: String) {
        call(name, key: key) { _ in true }
    }

    /// The number of keys for which that request was answered.
    public func count(of name: String) -> Int {
        recorder.change { $0.answered[name] ?? 0 }
    }
}
