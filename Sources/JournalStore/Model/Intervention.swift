/// An operator's act on an effect, or on a step that crashes the app.
public struct Intervention: Hashable, Sendable {
    /// The kinds of intervention. More can be added: a `switch` needs `@unknown default`.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Act: String, Hashable, Sendable, CaseIterable {
        /// Ends an effect. It sends no further action to the reducer but that of `onCancel`.
        case cancel
        /// Runs an effect again that has failed, or was cancelled, also by its queue; or starts one at once that waits: for
        /// its next attempt, its delay, or a decision. Its restart policy is ignored, so its body can run twice.
        case retry
        /// Runs an effect that is asked or parked.
        case release
        /// Skips a step whose reducer traps, or whose action cannot be decoded: the state stays as it was before the
        /// step.
        case skip
    }

    /// The kind of intervention.
    public var act: Act
    /// The step, or the step of the effect.
    public var step: Int
    /// The ordinal of the effect in its step; nil if the step itself was skipped.
    public var ordinal: Int?
    /// When it was done.
    public var time: Timestamp
    /// The status of the effect before it.
    public var before: EffectRun.Status?
    /// The operator's reason, if one was given.
    public var reason: String?
    /// The operator: what the app has passed as `user`, or the name on the computer of the user who has called
    /// `journal-replay`. Nil for a call without a name.
    public var user: String?

    /// Whether the effect has joined the line of its queue again by it: it had ended, or was set aside.
    var joinsQueueAgain: Bool {
        guard act == .retry || act == .release else { return false }
        return switch before {
        case .waiting, .delayed, .running: false
        default: true
        }
    }

    package init(
        act: Act, step: Int, ordinal: Int? = nil, time: Timestamp, before: EffectRun.Status? = nil,
        _ remarks: Remarks = Remarks()
    ) {
        (self.act, self.step, self.ordinal) = (act, step, ordinal)
        (self.time, self.before, reason, user) = (time, before, remarks.reason, remarks.user)
    }

    /// Who did it, and why.
    package struct Remarks: Hashable, Sendable {
        package var reason: String?
        package var user: String?

        package init(reason: String? = nil, user: String? = nil) {
            (self.reason, self.user) = (reason, user)
        }
    }
}

extension EffectRun {
    /// The run after an intervention. Does no I/O.
    ///
    /// - Parameters:
    ///   - act: the kind of intervention.
    ///   - isUnderWay: whether a process makes an attempt at it now, or may: then it is not retried.
    ///   - now: the time of the intervention.
    ///   - file: the journal's file; like the stream's name, for the error.
    /// - Throws: ``JournalError`` if the run is not in a status that allows it.
    package func after(
        _ act: Intervention.Act, isUnderWay: @autoclosure () -> Bool = false, at now: Timestamp, file: String?,
        stream: String
    ) throws(JournalError) -> EffectRun {
        func refusal(_ what: String, _ advice: String) -> JournalError {
            ErrorLocation(file: file, stream: stream, step: step).error(
                .notInThatState, "The effect '\(name)' (\(key)) \(what).", advice: advice)
        }
        var run = self
        switch act {
        case .cancel:
            guard !isMessage else {
                throw refusal("is a message to another machine", "It is part of its step and is never cancelled.")
            }
            guard !status.isFinal else {
                throw refusal("has ended (\(status.rawValue))", "There is nothing to cancel.")
            }
            guard status != .cancelling else {
                throw refusal(
                    "is cancelled already",
                    "Its cancel action is sent as soon as the stream is open and can be written.")
            }
            run.cancel(at: now)
        case .release:
            guard status.waitsForDecision else {
                throw refusal(
                    "is \(status.rawValue)",
                    "Only an effect that waits for a decision (asked) or is parked can be released.")
            }
            run.status = .waiting
        case .retry:
            guard status.isFinal || sends == nil else {
                throw refusal(
                    isMessage ? "is a message to another machine" : "is a timer",
                    status == .asked ? "It waits for a decision: release it." : "It is sent when it is due.")
            }
            guard status != .completed, status != .orphaned, status != .cancelling else {
                throw refusal(
                    "is \(status.rawValue)",
                    status == .completed
                        ? "There is nothing to retry."
                        : status == .cancelling
                            ? "Retry it when its cancel action is sent."
                            : "Open the stream with code that still returns this effect.")
            }
            guard !isUnderWay() else { throw refusal("is running", "Cancel it first, or let it end.") }
            if let ended, attempts > 0 { run.noteEnd(error: status == .failed ? error : nil, at: ended) }
            run.status = .waiting
            run.ended = nil
        case .skip:
            throw refusal("is an effect", "Only a step can be skipped.")
        }
        if !isTimer { run.notBefore = nil }
        return run
    }

    /// The acts that its status permits. Whether its body runs, which forbids a retry, only its process knows.
    package var possibleActs: [Intervention.Act] {
        [Intervention.Act.release, .retry, .cancel].filter { act in
            (try? after(act, at: .now(), file: nil, stream: "")) != nil
        }
    }

    /// The key under which the record of a message is encoded. No type has this name.
    static let messageKey = "message"

    package var isMessage: Bool { described?.hasPrefix("{\"\(Self.messageKey)\":") ?? false }

    package var isTimer: Bool { sends != nil && !isMessage }

    /// Whether it has failed before an attempt: it cannot be stored, has no handler, or its queue refuses it.
    package var couldNotStart: Bool { status == .failed && attempts == 0 && !isMessage }
}

extension StreamInfo {
    /// Checks that a step can be skipped. Does no I/O.
    ///
    /// - Parameter record: the record of that step.
    /// - Throws: ``JournalError`` if there is no such step, or its outcome is recorded.
    package func checkSkip(of step: Int, record: StepRecord?, file: String?) throws(JournalError) {
        let location = ErrorLocation(file: file, stream: name, step: step)
        guard step >= 1, step <= headStep else {
            throw location.endsBefore(headStep, advice: "Name an existing step.")
        }
        guard step > prunedStep else {
            throw location.error(
                .noSuchStep, "The entry was pruned, up to step \(prunedStep).",
                advice: "Use a backup of the journal that has it.")
        }
        if record?.outcome == .skipped {
            throw location.error(
                .notInThatState, "The step is skipped already.", advice: "`journal-replay interventions` tells by whom."
            )
        }
        guard step > settledStep else {
            throw location.error(
                .notInThatState,
                "The outcome of this step is recorded (settled up to step \(settledStep)): later steps depend on it.",
                advice: step > 1
                    ? "Fork the journal before this step instead."
                    : "There is nothing before it to fork: use another stream.")
        }
    }
}
