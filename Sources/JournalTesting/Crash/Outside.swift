import JournalStore

/// The world outside of the process, for the bodies of a machine in a ``CrashMatrix``: it stays when the process is killed, and is
/// compared at the end.
///
/// ```swift
/// let matrix = CrashMatrix(cart, actions: [.add("apple"), .pay]) { outside in
///     Shop { items, key in outside.call("charge", key: key) { _ in "a receipt for \(items.count)" } }
/// }
/// ```
public final class Outside: Sendable {
    private let recorder: CrashRecorder

    init(_ recorder: CrashRecorder) {
        self.recorder = recorder
    }

    /// A request to a service that can tell a repeated one from a new one by its key. Right before it and right after it the process
    /// may be killed.
    ///
    /// - Parameters:
    ///   - name: what is asked for.
    ///   - key: the same for each try, ``JournalStore/EffectContext/idempotencyKey`` say.
    ///   - answer: what the service does when it does not know the key yet. It is given how often it was asked under this key, this time
    ///     included. Where it throws, nothing was done.
    /// - Returns: what it did for that key, now or earlier.
    @discardableResult
    public func call<Answer: Sendable, Failure: Error>(
        _ name: String, key: String, answer: (_ times: Int) throws(Failure) -> Answer
    ) throws(Failure) -> Answer {
        recorder.cut("before the request '\(name)'")
        let request = Chronicle.Request(name: name, key: key)
        let known = recorder.change { chronicle in
            chronicle.requests[request, default: Chronicle.Answered()].times += 1
            return chronicle.requests[request]
        }
        let given: Answer
        if let earlier = known?.answer as? Answer {
            given = earlier
        } else {
            given = try answer(known?.times ?? 1)
            recorder.change { $0.requests[request]?.answer = given }
        }
        recorder.cut("after the request '\(name)', its answer unheard")
        return given
    }

    /// The same for a service whose answer does not matter.
    public func call(_ name: String, key: String) {
        call(name, key: key) { _ in true }
    }

    /// Under how many keys there was an answer to that request.
    public func count(of name: String) -> Int {
        recorder.change { $0.answered[name] ?? 0 }
    }
}
