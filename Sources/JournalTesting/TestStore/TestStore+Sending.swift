import JournalStore

extension TestStore {
    /// Dispatches an action and asserts how its step changes the state. The cascade of `.next` belongs to the step.
    ///
    /// It fails without dispatching if an effect has sent an action that was not received.
    ///
    /// - Parameters:
    ///   - action: the action.
    ///   - id: the dispatch ID. If it was used before, nothing is appended and the state must not change.
    ///   - changes: changes the state before the step to the expected one. Without it the state must stay as it is.
    public func send(
        _ action: Action, id: String? = nil, changes: ((inout State) throws -> Void)? = nil,
        fileID: String = #fileID, filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
    ) async {
        let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
        await send(action, id: id, .reduced(changes), at: site)
    }

    /// Dispatches an action and asserts that the reducer rejects it for this reason. The state does not change then.
    @_disfavoredOverload  // Or the compiler takes a mistake in the closure of the other one for a wrong reason.
    public func send(
        _ action: Action, rejected reason: String,
        fileID: String = #fileID, filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
    ) async {
        let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
        await send(action, id: nil, .rejected(reason), at: site)
    }

    private func send(
        _ action: Action, id: String?, _ expectation: StepExpectation<State>, at site: CallSite
    ) async {
        guard await quiet(at: site) else { return }
        let name = StoredName.ofCase(action)
        if let failure = unreceived(before: "'\(name)' was not dispatched") { return fail(failure, at: site) }
        // What a test that is not exhaustive has not received is skipped.
        recorder.dropAll()
        do throws(JournalError) {
            let dispatched = try await store.dispatch(action, id: id)
            if let step = recorder.take(dispatched.step) {
                check(step, expectation, at: site)
            } else if case .reduced(nil) = expectation {
                // A repeated dispatch, as expected.
            } else {
                fail("'\(name)' was not appended: its dispatch ID belongs to step \(dispatched.step).", at: site)
            }
        } catch {
            fail("'\(name)' could not be dispatched: \(error.withoutFile)", at: site)
        }
        await quiet(at: site)
    }

    /// Compares a step with what the test expects; its state is the state that the test knows from now on.
    func check(_ step: Transition<Action, State>, _ expectation: StepExpectation<State>, at site: CallSite) {
        state = step.after
        if let failure = expectation.failure(of: step, isExhaustive: exhaustivity == .on) { fail(failure, at: site) }
    }

    /// What must be received first; nil if there is nothing, or the test is not exhaustive.
    func unreceived(before consequence: String) -> String? {
        let steps = exhaustivity == .on ? recorder.steps.read { $0 } : []
        guard !steps.isEmpty else { return nil }
        return "\(consequence), because the test has not received:" + lines(of: steps).map { "\n  " + $0 }.joined()
    }

    /// The first of these steps, a line for each, and how many more there are.
    func lines(of steps: [Transition<Action, State>], after words: String = "") -> [String] {
        let more = steps.count - Self.longestList
        return steps.prefix(Self.longestList).map { words + $0.lineInTest } + (more > 0 ? ["and \(more) more"] : [])
    }

    private static var longestList: Int { 20 }
}

extension Transition {
    /// The step, its whole action and where it came from.
    var lineInTest: String {
        "step \(step), from \(origin): " + "\(ValueDescription(of: action))".replacing("\n", with: "\n  ")
    }
}
