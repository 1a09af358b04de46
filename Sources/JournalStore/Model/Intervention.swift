/// What an operator did to an effect, or to a step that brings the app down.
public struct Intervention: Hashable, Sendable {
    /// What can be done.
    public enum Act: String, Hashable, Sendable, CaseIterable {
        /// Ends an effect. Nothing of it reaches the reducer any more.
        case cancel
        /// Runs an effect again that has failed, was cancelled, or waits for its next try. Whatever its author said of restarts: its
        /// body can run twice by that.
        case retry
        /// Lets an effect go that is asked or parked: it runs.
        case release
        /// Passes over a step whose reducer traps: the state stays as it was before it.
        case skip
    }

    /// What was done.
    public var act: Act
    /// The step, or the step of the effect.
    public var step: Int
    /// The effect's place among those of the step; nil where the step itself was passed over.
    public var ordinal: Int?
    /// When.
    public var time: Timestamp
    /// What the effect was until then.
    public var before: EffectRun.Status?
    /// Why, where somebody said so.
    public var reason: String?
}

extension EffectRun {
    /// What an act makes of it: a rule without a journal.
    ///
    /// - Parameters:
    ///   - act: the act.
    ///   - now: when it is done.
    ///   - file: the journal's, and the stream's name, for the error.
    /// - Throws: why it cannot be done.
    package func after(
        _ act: Intervention.Act, at now: Timestamp, file: String?, stream: String
    ) throws(JournalError) -> EffectRun {
        func refusal(_ what: String, _ advice: String) -> JournalError {
            JournalError(
                .notInThatState, "The effect '\(name)' (\(key)) \(what).", advice: advice, file: file, stream: stream,
                step: step)
        }
        var run = self
        switch act {
        case .cancel:
            guard !isMessage else {
                throw refusal("is a message to another machine", "It belongs to its step, and is never cancelled.")
            }
            guard !status.isFinal else {
                throw refusal("has ended (\(status.rawValue))", "There is nothing to cancel.")
            }
            run.end(as: .cancelled, at: now)
        case .release:
            guard status == .asked || status == .parked else {
                throw refusal("is \(status.rawValue)", "Only what is asked or parked can be let go.")
            }
            run.status = .waiting
        case .retry:
            guard status.isFinal || sends == nil else {
                throw refusal(
                    isMessage ? "is a message to another machine" : "is a timer", "It comes when its time has come.")
            }
            guard status != .completed, status != .orphaned else {
                throw refusal(
                    "is \(status.rawValue)",
                    status == .completed
                        ? "Its work is done." : "The code has no such effect: open it with code that has.")
            }
            run.status = .waiting
            run.ended = nil
        case .skip:
            throw refusal("is an effect", "Only a step can be passed over.")
        }
        run.notBefore = nil
        return run
    }

    var isMessage: Bool { described?.hasPrefix("{\"\(Message.name)\":") ?? false }
}

extension StreamInfo {
    /// Whether a step can be passed over: a rule without a journal.
    ///
    /// - Throws: why not.
    package func checkSkip(of step: Int, file: String?) throws(JournalError) {
        guard step >= 1, step <= headStep else {
            throw JournalError(
                .noSuchStep, "The stream ends at step \(headStep).", advice: "Name a step that is there.", file: file,
                stream: name, step: step)
        }
        guard step > settledStep else {
            throw JournalError(
                .notInThatState,
                "The outcome of this step is recorded (settled up to step \(settledStep)): later steps build on it.",
                advice: "Fork the journal before this step instead.", file: file, stream: name, step: step)
        }
    }
}

extension Journal {
    /// Does an operator's act on a stream that no store has open. It is recorded in the journal; the next opening goes by it.
    ///
    /// - Parameters:
    ///   - act: what to do with an effect.
    ///   - run: the effect.
    ///   - name: its stream.
    ///   - reason: why, for the record.
    /// - Returns: the effect as it is recorded now.
    /// - Throws: ``JournalError``: there is no such effect, it is not in a state for that, the stream is open.
    @discardableResult
    public func intervene(
        _ act: Intervention.Act, _ run: RunKey, in name: String, reason: String? = nil
    ) async throws(JournalError) -> EffectRun {
        try await writer.alone { state throws(JournalError) in
            try state.intervene(act, run, in: name, reason: reason)
        }
    }

    /// Passes over a step whose reducer brings the app down. Only a step can be passed over whose outcome is not recorded; for an older
    /// one, fork.
    ///
    /// - Parameters:
    ///   - step: the step.
    ///   - name: its stream, which no store has open.
    ///   - reason: why, for the record.
    /// - Throws: ``JournalError``: there is no such step, it is settled, the stream is open.
    public func skip(_ step: Int, in name: String, reason: String? = nil) async throws(JournalError) {
        try await writer.alone { state throws(JournalError) in try state.skip(step, in: name, reason: reason) }
    }
}
