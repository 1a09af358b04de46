/// What a machine answers to an input: the transition it made, or that it refused.
public enum Reply<Action: Sendable, State: Sendable>: Sendable {
    /// The input was reduced.
    case success(Action, from: State, to: State)
    /// The input was rejected: no row of the table matches, or the reducer returned `.reject`. The reason is nil if the
    /// step did not count: an operator skipped it, or its effect was cancelled in the same transaction.
    case failure(Action, from: State, reason: String?)

    /// The input.
    public var input: Action {
        switch self {
        case .success(let input, _, _), .failure(let input, _, _): input
        }
    }

    /// The state before the input.
    public var from: State {
        switch self {
        case .success(_, let from, _), .failure(_, let from, _): from
        }
    }

    /// The state after the input; nil if it was rejected.
    public var to: State? {
        if case .success(_, _, let to) = self { to } else { nil }
    }
}

extension Reply: Equatable where Action: Equatable, State: Equatable {}

extension Reply: CustomStringConvertible {
    /// The names of the input and of the transition it made, `login: loggedOut → loggingIn`, or where and why it was
    /// rejected.
    public var description: String {
        let (input, from) = (StoredName.ofCase(input), StoredName.ofCase(from))
        return switch self {
        case .success(_, _, let to): "\(input): \(from) → \(StoredName.ofCase(to))"
        case .failure(_, _, let reason?): "\(input) rejected in \(from): \(JSONOutput.safe(reason))"
        case .failure(_, _, nil): "\(input) did not count in \(from)"
        }
    }
}

extension Reply {
    /// The reply that a step gave. A step whose action did not count is a failure without a reason.
    public init(_ step: Transition<Action, State>) {
        self.init(step, rejection: step.rejection)
    }

    /// The reply that a step gave.
    ///
    /// - Parameter rejection: why it was rejected at the time; nil if it was not. Not used if the step did not count.
    init(_ step: Transition<Action, State>, rejection: String?) {
        self =
            rejection == nil && !step.isSkipped
            ? .success(step.action, from: step.before, to: step.after)
            : .failure(step.action, from: step.before, reason: step.isSkipped ? nil : rejection)
    }
}
