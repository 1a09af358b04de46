import JournalStore

/// Which action a test expects to receive.
enum ActionExpectation<Action: Sendable>: CustomStringConvertible {
    case action(Action)
    case condition((Action) -> Bool)

    /// How the action of a step differs from the expected one; nil if it does not.
    func failure<State>(of step: Transition<Action, State>) -> String? {
        switch self {
        case .action(let expected):
            let diff = ValueDiff(from: expected, to: step.action)
            return diff.isEmpty ? nil : "Another action than expected was received; expected → found:" + diff.indented
        case .condition(let condition):
            return condition(step.action)
                ? nil : "The received action does not meet the condition:\n  \(step.lineInTest)"
        }
    }

    func isMet(by action: Action) -> Bool {
        switch self {
        case .action(let expected): ValueDiff(from: expected, to: action).isEmpty
        case .condition(let condition): condition(action)
        }
    }

    var description: String {
        switch self {
        case .action(let action): "\(ValueDescription(of: action))"
        case .condition: "an action that meets the condition"
        }
    }
}
