import JournalStore

/// What a test expects of a step.
enum StepExpectation<State> {
    /// It is reduced, and the closure makes the expected state. Without a closure the state does not change.
    case reduced(((inout State) throws -> Void)?)
    /// It is rejected for this reason.
    case rejected(String)

    /// How a step differs from what is expected; nil if it does not.
    ///
    /// - Parameter isExhaustive: whether the closure gets the state before the step and must make all changes. If not,
    ///   it gets the state after the step and must change nothing.
    func failure<Action>(of step: Transition<Action, State>, isExhaustive: Bool) -> String? {
        let name = step.nameInTest
        switch (self, step.rejection) {
        case (.rejected(let expected), let found?):
            let diff = ValueDiff(from: expected, to: found)
            return diff.isEmpty ? nil : "The rejection of \(name) has another reason; expected → found:" + diff.indented
        case (.rejected(let expected), nil):
            return "Expected a rejection of \(name)\(Self.words(for: expected)), but it was reduced."
        case (.reduced, let reason?):
            return "The reducer rejected \(name)\(Self.words(for: reason)); if that is expected, pass `rejected:`."
        case (.reduced(nil), nil):
            let diff = ValueDiff(from: step.before, to: step.after)
            if diff.isEmpty || !isExhaustive { return nil }
            return "The state changed in \(name), and no change is expected; before → after:" + diff.indented
        case (.reduced(let change?), nil):
            do {
                return try Self.failure(of: step, name, change, isExhaustive)
            } catch {
                return "The closure for the state after \(name) threw an error: \(error)"
            }
        }
    }

    private static func failure<Action>(
        of step: Transition<Action, State>, _ name: String, _ change: (inout State) throws -> Void,
        _ isExhaustive: Bool
    ) throws -> String? {
        let start = isExhaustive ? step.before : step.after
        var expected = start
        try change(&expected)
        let diff = ValueDiff(from: expected, to: step.after)
        if !diff.isEmpty {
            return "The state after \(name) is not the expected one; expected → found:" + diff.indented
        }
        guard isExhaustive, ValueDiff(from: start, to: expected).isEmpty else { return nil }
        return "The closure for \(name) changes nothing, and neither did the step: remove the closure."
    }

    private static func words(for reason: String) -> String { reason.isEmpty ? "" : ": \(reason)" }
}

extension Transition {
    /// The step with the names of its action and of its cascade.
    var nameInTest: String {
        let names = cascade.map { StoredName.ofCase($0) }
        let cascade = names.isEmpty ? "" : ", then \(names.joined(separator: ", "))"
        return "step \(step) (\(StoredName.ofCase(action))\(cascade))"
    }
}

extension ValueDiff {
    /// Its lines below a headline.
    var indented: String { "\n  " + description.replacing("\n", with: "\n  ") }
}
