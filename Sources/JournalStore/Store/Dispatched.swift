/// What a dispatch came to: its step, and a hold on the effects it started.
public struct Dispatched<Action: Sendable>: Sendable {
    /// What became of the action.
    public typealias Outcome = DispatchOutcome

    /// The step it is, or was before.
    public let step: Int
    /// What became of it.
    public let outcome: Outcome
    let tracker: Tracker<Action>?
    /// Cancels what a step led to; all of a store share it.
    let cancelDispatch: @Sendable (Int) async throws(JournalError) -> Void

    /// Returns once its effects have ended; with `trackingFeedback` once everything has that they lead to. Also returns when the
    /// store ends, or the task is cancelled.
    public func completion() async { await tracker?.completion() }

    /// What its effects sent and threw, as it comes. An effect that fails does not end the others. One loop at a time; of what nobody
    /// takes the newest 1,024 are kept.
    public var results: AsyncStream<Result<Action, any Error>> {
        tracker?.results ?? AsyncStream { $0.finish() }
    }

    /// What its effects have thrown so far, for the last time.
    public var errors: [any Error] { tracker?.errors ?? [] }

    /// Cancels its effects, and everything they led to. Returns once that is committed: nothing of them reaches the reducer any more.
    ///
    /// - Throws: ``JournalError`` where the journal cannot write.
    public func cancel() async throws {
        try await cancelDispatch(step)
    }
}

/// What became of an action that was dispatched. The same for all machines, so that none has to look its type up.
public enum DispatchOutcome: Hashable, Sendable {
    /// It was reduced.
    case reduced
    /// The reducer refused it. It is in the journal, and nothing else happened.
    case rejected(reason: String)
    /// An action with the same dispatch ID was there before; this is its step.
    case repeated
}
