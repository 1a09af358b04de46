/// The result of a dispatch: its step and outcome, and access to the effects it started.
public struct Dispatched<Action: Sendable>: Sendable {
    /// What became of the action: reduced, rejected with a reason, or a repeated dispatch.
    public typealias Outcome = DispatchOutcome

    /// The step of the action; for a repeated dispatch the step of the first one.
    public let step: Int
    /// What became of the action: reduced, rejected with a reason, or a repeated dispatch.
    public let outcome: Outcome
    /// For a repeated dispatch: why the first one was rejected or skipped, by its record.
    let firstRejection: String?
    let tracker: Tracker<Action>?
    /// Shared by all results of a request.
    let canceller: DispatchCanceller

    /// Why the action was rejected: now or, for a repeated dispatch, when it was first dispatched. Empty if the reducer
    /// gave no reason.
    ///
    /// Nil if it was reduced. For a repeated dispatch, "An operator has skipped the step." if that has happened to the
    /// first one's step, and nil if it was pruned and its outcome is not known any more.
    public var rejection: String? {
        switch outcome {
        case .reduced: nil
        case .rejected(let reason): reason
        case .repeated: firstRejection
        }
    }

    /// Returns once the effects of the dispatch have ended; with `trackingFeedback`, also all effects they lead to
    /// in its stream.
    /// Returns early if the store ends or the task is cancelled.
    public func completion() async { await tracker?.completion() }

    /// The actions that its effects send and the errors with which they fail, as they come. A failed effect does not end
    /// the sequence. Iterate in one task at a time: each result is delivered once, to whichever sequence asks first. The
    /// newest 1,024 results are buffered. The results of a repeated
    /// dispatch do not include actions that were sent before.
    public var results: AsyncStream<Result<Action, any Error>> {
        guard let tracker else { return AsyncStream { $0.finish() } }
        // It refers to the tracker: a host keeps the stream open for its reader.
        return AsyncStream(unfolding: { await tracker.nextResult() })
    }

    /// The errors of its effects that have failed so far, each from the last attempt; the newest 1,024 of them.
    ///
    /// For a repeated dispatch also those of the first one's own effects that had failed before: each of these is an
    /// ``EffectFailure`` with the text that the journal has, unless the result of the first dispatch is still in use.
    public var errors: [any Error] { tracker?.errors ?? [] }

    /// Whether one of its effects was cancelled before it ended, running or waiting: by ``cancel()``, its ID, a
    /// condition, the dispatch's cancel ID, the app, or its queue in favour of a newer effect. With `trackingFeedback`,
    /// effects that they lead to count too.
    ///
    /// An effect that its queue discards never runs, and does not count. Neither does one that fails, whatever the
    /// error. The end of the store cancels no effect: the next opening continues them. It becomes true when the store
    /// fences the effect, shortly before that is committed. For a repeated dispatch, effects that were cancelled before
    /// count too.
    public var isCancelled: Bool { tracker?.isCancelled ?? false }

    /// Cancels its effects and all effects they led to. When it returns, this is committed, and none of their actions
    /// reaches the reducer any more but those of `onCancel`.
    ///
    /// - Throws: ``JournalError`` if the store has ended or the journal cannot write. If the machine has a host and the
    ///   stream was closed, the host opens it again.
    @concurrent public func cancel() async throws(JournalError) {
        try await canceller.cancel(step)
    }
}

extension Dispatched: CustomStringConvertible {
    /// The step and its outcome: `step 17, reduced`, or `step 17, rejected: The cart is empty.`
    public var description: String {
        var words = ["step \(step)"]
        if outcome == .repeated { words.append("repeated") }
        if let rejection {
            words.append(rejection.isEmpty ? "rejected" : "rejected: \(JSONOutput.safe(rejection))")
        } else if outcome == .reduced {
            words.append("reduced")
        }
        return words.joined(separator: ", ")
    }
}

// Not nested in a generic type, which avoids generic metadata lookups.
/// The outcome of a dispatched action.
public enum DispatchOutcome: Hashable, Sendable {
    /// It was reduced.
    case reduced
    /// The reducer rejected it. It is in the journal, but the state is unchanged and no effect was started.
    case rejected(reason: String)
    /// An action with the same dispatch ID is in the journal already. Nothing was appended. ``Dispatched/rejection``
    /// tells whether it was rejected.
    case repeated
}
