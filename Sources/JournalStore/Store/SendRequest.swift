/// An action that a run wants to have in the journal.
final class SendRequest<Action: Sendable>: Sendable {
    /// What it means for the run.
    enum Word: Sendable {
        /// One of several that its body sends.
        case more(attempt: Int)
        /// What its body ended with.
        case last(attempt: Int)
        /// What a restart tells the machine instead of running it again.
        case restart
        /// What the machine is told as the code has no such effect any more.
        case orphan
        /// What the machine is told as it has failed for good.
        case failure(String)
        /// What a timer sends.
        case tick
        /// What another machine sends to this one.
        case message(Delivery)
    }

    let key: RunKey
    let word: Word
    let action: Action
    let text: String
    /// Told what became of it, where somebody waits for that.
    let reply: (@Sendable (Result<Void, any Error>) -> Void)?

    /// Whether something follows of the run.
    var isLast: Bool {
        switch word {
        case .more: false
        case .last, .restart, .orphan, .failure, .tick, .message: true
        }
    }

    var origin: Origin {
        switch word {
        case .restart, .orphan: .restart
        case .more, .last, .failure, .tick: .effect
        case .message: .machine
        }
    }

    /// The version its text was written by, where that is another machine's business.
    var version: Int? {
        if case .message(let delivery) = word { delivery.message.version } else { nil }
    }

    /// What is journaled as its cause.
    var cause: Cause {
        if case .message(let delivery) = word { return delivery.cause }
        return Cause(step: key.step, run: key.ordinal)
    }

    /// Nothing comes of it.
    func fail(_ error: any Error) {
        if case .message(let delivery) = word { return delivery.reply(.notTaken) }
        reply?(.failure(error))
    }

    init(
        key: RunKey, _ word: Word, action: Action, text: String,
        reply: (@Sendable (Result<Void, any Error>) -> Void)? = nil
    ) {
        self.key = key
        self.word = word
        self.action = action
        self.text = text
        self.reply = reply
    }

    /// What the record of the run is once this is in the journal, where that does not depend on anything else.
    func record(after record: EffectRun, at now: Timestamp) -> EffectRun {
        var record = record
        if origin == .effect { record.delivered += 1 }
        switch word {
        case .more, .tick, .message: return record
        case .last: record.end(as: .completed, at: now)
        case .restart: record.end(as: .cancelled, at: now)
        case .orphan:
            record.end(as: .cancelled, at: now, error: "The code had no such effect any more; the machine was told.")
        case .failure(let error): record.end(as: .failed, at: now, error: error)
        }
        return record
    }
}
