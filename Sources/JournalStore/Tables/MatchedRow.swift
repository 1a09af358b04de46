/// A row as the index holds it: only the tests that the cases do not decide, and its effect in the queue of the table.
final class MatchedRow<Action: Sendable, State: Sendable, Environment>: Sendable {
    let input: TransitionPattern<Action>
    let state: TransitionPattern<State>
    /// Nil if the case decides.
    private let inputTest: (@Sendable (Action) -> Bool)?
    private let stateTest: (@Sendable (State) -> Bool)?
    let move: @Sendable (inout State, Action) -> Void
    let effect: (@Sendable (Action, Environment) -> Effect<Action>)?

    init(_ row: TransitionRow<Action, State, Environment>, queue: StrategyQueue?) {
        (input, state) = (row.input, row.state)
        inputTest = row.input.isDecidedByCase() ? nil : row.input.test
        stateTest = row.state.isDecidedByCase() ? nil : row.state.test
        move =
            switch row.target {
            case .value(let next): { state, _ in state = next }
            case .function(let function): { state, _ in state = function(state) }
            case .functionOfInput(let function): { state, input in state = function(input, state) }
            }
        effect =
            switch row.effect {
            case .none: nil
            case .value(let effect): { [effect = effect.queued(in: queue)] _, _ in effect }
            case .function(let effect): { effect($0, $1).queued(in: queue) }
            }
    }

    func matches(_ input: Action, _ state: State) -> Bool {
        (inputTest?(input) ?? true) && (stateTest?(state) ?? true)
    }
}

extension TransitionPattern {
    /// Whether a value of the right case always matches: there is nothing else to compare.
    ///
    /// - Parameter value: a value of the right case, if the index looks for the cases of constructors too.
    func isDecidedByCase(of value: Value? = nil) -> Bool {
        switch kind {
        case .any: true
        case .values(let values): cases != nil && values.allSatisfy(isWithoutPayload)
        case .predicate: false
        case .enumCase(let isDecided): value.map(isDecided) ?? false
        // The index of a table lists such a row under every case, so its test is needed.
        case .oneOf(let patterns): value != nil && patterns.allSatisfy { $0.isDecidedByCase(of: value) }
        }
    }

    private func isWithoutPayload(_ value: Value) -> Bool {
        // Without the compiler's notes, a value with a payload has no children either.
        EnumFields(of: Value.self) != nil && !(value is any CustomReflectable)
            && Mirror(reflecting: value).children.isEmpty
    }
}
