public import JournalStore

extension TestStore {
    /// Waits for the next action that was not dispatched by the test, and asserts that it is this one and how its step
    /// changes the state.
    ///
    /// Such actions come from effects, timers, restart policies and other machines.
    ///
    /// - Parameters:
    ///   - action: the expected action.
    ///   - changes: changes the state before the step to the expected one. Without it the state must stay as it is.
    public func receive(
        _ action: Action, changes: ((inout State) throws -> Void)? = nil,
        fileID: String = #fileID, filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
    ) async {
        let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
        await receive(.action(action), .reduced(changes), at: site)
    }

    /// Waits for the next action, and asserts that it is this one and is rejected for this reason.
    public func receive(
        _ action: Action, rejected reason: String,
        fileID: String = #fileID, filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
    ) async {
        let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
        await receive(.action(action), .rejected(reason), at: site)
    }

    /// Waits for the next action, and asserts that it has this case.
    public func receive<Value>(
        _ path: CasePath<Action, Value>, changes: ((inout State) throws -> Void)? = nil,
        fileID: String = #fileID, filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
    ) async {
        let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
        await receive(.condition { path.extract(from: $0) != nil }, .reduced(changes), at: site)
    }

    /// Waits for the next action, and asserts that it meets a condition.
    public func receive(
        where condition: @escaping (Action) -> Bool, changes: ((inout State) throws -> Void)? = nil,
        fileID: String = #fileID, filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
    ) async {
        let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
        await receive(.condition(condition), .reduced(changes), at: site)
    }

    private func receive(
        _ expected: ActionExpectation<Action>, _ expectation: StepExpectation<State>, at site: CallSite
    ) async {
        guard await quiet(at: site) else { return }
        let isExhaustive = exhaustivity == .on
        let found = await recorder.steps.wait(atMost: timeLimit) { steps in
            isExhaustive ? steps.first : steps.first { expected.failure(of: $0) == nil }
        }
        if let found {
            recorder.drop(through: found.step)
            if let failure = expected.failure(of: found) {
                state = found.after
                fail(failure, at: site)
            } else {
                check(found, expectation, at: site)
            }
        } else {
            fail(await nothingReceived(expected), at: site)
        }
        await quiet(at: site)
    }

    private func nothingReceived(_ expected: ActionExpectation<Action>) async -> String {
        var lines = ["Expected to receive \(expected), but no such action came within \(timeLimit)."]
        if let asserted, asserted.cascade.contains(where: expected.isMet(by:)) {
            lines.append(
                "It was reduced as a part of step \(asserted.step): the actions that `.next` adds are not received.")
        }
        lines += self.lines(of: recorder.steps.read { $0 }, after: "not received: ")
        let effects = await unfinishedEffects()
        lines += effects
        if !effects.isEmpty { lines += whenNextIsDue }
        return lines.joined(separator: "\n  ")
    }
}
