public import JournalStore

/// Asserts what a `StateMachine` executes in a state and where an event leads, without running anything.
///
/// ```swift
/// TestStateMachine(elevator)
///     .assertNoOutput(when: .open(persons: 0))
///     .assert(when: .open(persons: 5), on: .closeButtonWasPressed, transitionTo: .closing(persons: 5))
///     .assertNoTransition(when: .open(persons: 15), on: .closeButtonWasPressed)
///     .assert(when: .closing(persons: 1), execute: .close(speed: 2))
/// ```
///
/// A failure is an issue of the current test, at the line of the assertion.
public struct TestStateMachine<State: Equatable & Sendable, Event: Equatable & Sendable, Output: Equatable & Sendable> {
    private let machine: StateMachine<State, Event, Output>
    private let report: (TestStoreFailure) -> Void

    /// Creates assertions for a machine.
    ///
    /// - Parameters:
    ///   - machine: the machine.
    ///   - report: gets each failure; by default it becomes an issue of the current test.
    public init(
        _ machine: StateMachine<State, Event, Output>, report: @escaping (TestStoreFailure) -> Void = { $0.record() }
    ) {
        self.machine = machine
        self.report = report
    }

    /// Asserts the output that is executed when a state is entered.
    @discardableResult
    public func assert(
        when state: State, execute output: Output, fileID: String = #fileID, filePath: StaticString = #filePath,
        line: Int = #line, column: Int = #column
    ) -> Self {
        let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
        return check(
            machine.output(for: state), output, at: site,
            "The output in the state \(state)", nothing: "Nothing is executed in the state \(state)")
    }

    /// Asserts that nothing is executed when a state is entered.
    @discardableResult
    public func assertNoOutput(
        when state: State, fileID: String = #fileID, filePath: StaticString = #filePath, line: Int = #line,
        column: Int = #column
    ) -> Self {
        let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
        return check(machine.output(for: state), nil, at: site, "The output in the state \(state)", nothing: "")
    }

    /// Asserts where an event leads.
    @discardableResult
    public func assert(
        when state: State, on event: Event, transitionTo next: State, fileID: String = #fileID,
        filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
    ) -> Self {
        let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
        return check(
            machine.next(event, in: state), next, at: site, "The state after \(event) in the state \(state)",
            nothing: "The machine rejects \(event) in the state \(state)")
    }

    /// Asserts that the machine rejects an event.
    @discardableResult
    public func assertNoTransition(
        when state: State, on event: Event, fileID: String = #fileID, filePath: StaticString = #filePath,
        line: Int = #line,
        column: Int = #column
    ) -> Self {
        let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
        return check(
            machine.next(event, in: state), nil, at: site, "The state after \(event) in the state \(state)", nothing: ""
        )
    }

    private func check<Value: Equatable>(
        _ found: Value?, _ expected: Value?, at site: CallSite, _ what: String, nothing: String
    ) -> Self {
        if found == expected { return self }
        let message =
            switch (found, expected) {
            case (let found?, let expected?): "\(what) is not the expected one: expected \(expected), found \(found)."
            case (let found?, nil): "\(what) is \(found), and none is expected."
            case (nil, let expected): "\(nothing); expected \(expected.map { "\($0)" } ?? "")."
            }
        report(TestStoreFailure(message, at: site))
        return self
    }
}
