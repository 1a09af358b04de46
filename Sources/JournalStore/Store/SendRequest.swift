/// An action that a run, or another machine, wants committed.
final class SendRequest<Action: Sendable>: Sendable {
    /// What sends the action, and what that means for its run.
    enum Kind: Sendable {
        /// One of several that the body sends.
        case action(attempt: Int)
        /// The action that the body returned.
        case finalAction(attempt: Int)
        /// Sent by the restart policy instead of running the effect again.
        case restart
        /// Sent because the code has no such effect any more.
        case orphan
        /// Sent because the run has failed for good.
        case failure(String)
        /// Sent because the run was cancelled.
        case cancel
        /// Sent by a timer.
        case tick
        /// Sent by another machine.
        case message(Delivery)
    }

    let key: RunKey
    let kind: Kind
    let action: Action
    let text: String
    /// Called with the result, if the body waits for it.
    let reply: (@Sendable (Result<Void, any Error>) -> Void)?

    /// Whether it is committed later if the journal refuses it now. A message goes back to its sender, which waits: what is
    /// refused can be that stream's records.
    func waits(after error: JournalError) -> Bool {
        if case .message = kind { error.isTransient } else { error.allowsLater }
    }

    /// Whether the run sends nothing after it.
    var isLast: Bool {
        switch kind {
        // The run of a message belongs to the sender.
        case .action, .message: false
        case .finalAction, .restart, .orphan, .failure, .cancel, .tick: true
        }
    }

    /// Whether it completes its run, which an opening can then conclude from the entry alone.
    ///
    /// - Parameter timer: what the run is, if it is a timer.
    func completes(_ timer: TimerPlan?) -> Bool {
        switch kind {
        case .finalAction: true
        case .tick: timer?.interval == nil
        case .action, .restart, .orphan, .failure, .cancel, .message: false
        }
    }

    /// Whether it is one of the actions that a later attempt must not send again. A retry goes on after the report of a
    /// failure.
    private var isOfBody: Bool {
        switch kind {
        case .action, .finalAction, .tick: true
        case .restart, .orphan, .failure, .cancel, .message: false
        }
    }

    var origin: Origin {
        switch kind {
        case .restart, .orphan: .restart
        case .action, .finalAction, .failure, .cancel, .tick: .effect
        case .message: .machine
        }
    }

    /// The cause that is journaled.
    var cause: Cause {
        if case .message(let delivery) = kind { return delivery.cause }
        return Cause(step: key.step, run: key.ordinal)
    }

    /// Reports that the action was not committed.
    func fail(_ error: any Error) {
        if case .message(let delivery) = kind { return delivery.reply(.notTaken) }
        reply?(.failure(error))
    }

    init(
        key: RunKey, _ kind: Kind, action: Action, text: String,
        reply: (@Sendable (Result<Void, any Error>) -> Void)? = nil
    ) {
        self.key = key
        self.kind = kind
        self.action = action
        self.text = text
        self.reply = reply
    }

    /// The record of the run after this action, unless it is the tick of a timer.
    func record(after record: EffectRun, at now: Timestamp) -> EffectRun {
        if case .finalAction = kind { return record.completed(at: now) }
        var record = record
        if isOfBody { record.delivered += 1 }
        switch kind {
        case .action, .finalAction, .tick, .message: return record
        case .restart, .cancel: record.end(as: .cancelled, at: now)
        case .orphan:
            record.end(as: .cancelled, at: now, error: "The code returns no such effect; its orphan action was sent.")
        case .failure(let error): record.end(as: .failed, at: now, error: error)
        }
        return record
    }
}

extension EffectRun {
    /// The record after the final action of its body.
    func completed(at time: Timestamp) -> EffectRun {
        changed(self) { record in
            record.delivered += 1
            record.end(as: .completed, at: time)
        }
    }
}
