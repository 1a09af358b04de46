public import JournalStore

extension TestStore {
    /// Dispatches an action and asserts how its step changes the state. The cascade of `.next` belongs to the step.
    ///
    /// It fails without dispatching if an effect has sent an action that was not received.
    ///
    /// - Parameters:
    ///   - action: the action.
    ///   - id: the dispatch ID. If it was used before, nothing is appended and the state must not change.
    ///   - cancelID: an ID that cancels all effects of this dispatch and all that they lead to.
    ///   - priority: the priority of its effects, unless an effect has its own.
    ///   - changes: changes the state before the step to the expected one. Without it the state must stay as it is.
    /// - Returns: the dispatch, whose effects can be cancelled; nil if it failed, and so did the test.
    @discardableResult
    public func send(
        _ action: Action, id: String? = nil, cancelID: (any EffectID)? = nil, priority: TaskPriority? = nil,
        changes: ((inout State) throws -> Void)? = nil,
        fileID: String = #fileID, filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
    ) async -> Dispatched<Action>? {
        let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
        return await send(action, .reduced(changes), at: site) { store throws(JournalError) in
            try await store.dispatch(action, id: id, cancelID: cancelID, priority: priority)
        }
    }

    /// Dispatches an action and asserts that the reducer rejects it for this reason. The state does not change then.
    @_disfavoredOverload  // Or the compiler takes a mistake in the closure of the other one for a wrong reason.
    public func send(
        _ action: Action, rejected reason: String,
        fileID: String = #fileID, filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
    ) async {
        let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
        await send(action, .rejected(reason), at: site) { store throws(JournalError) in
            try await store.dispatch(action)
        }
    }

    @discardableResult
    private func send(
        _ action: Action, _ expectation: StepExpectation<State>, at site: CallSite,
        _ dispatch: (Store<Action, State>) async throws(JournalError) -> Dispatched<Action>
    ) async -> Dispatched<Action>? {
        guard await quiet(at: site) else { return nil }
        let name = StoredName.ofCase(action)
        if let failure = unreceived(before: "'\(name)' was not dispatched") {
            fail(failure, at: site)
            return nil
        }
        // What a test that is not exhaustive has not received is skipped.
        if exhaustivity == .off { recorder.dropAll() }
        var result: Dispatched<Action>?
        do throws(JournalError) {
            let dispatched = try await dispatch(store)
            result = dispatched
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
        return result
    }

    /// Compares a step with what the test expects; its state is the state that the test knows from now on.
    func check(_ step: Transition<Action, State>, _ expectation: StepExpectation<State>, at site: CallSite) {
        state = step.after
        asserted = step
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
