import JournalStore
import JournalTesting
import Testing

@Suite struct `Assertions for a When/On machine` {
    @Test func `the elevator`() {
        TestStateMachine(Elevator.stateMachine)
            .assertNoOutput(when: .open(persons: 0))
            .assert(
                when: .open(persons: 0),
                on: .personsHaveEntered(persons: 1),
                transitionTo: .open(persons: 1)
            )
            .assert(
                when: .open(persons: 5),
                on: .closeButtonWasPressed,
                transitionTo: .closing(persons: 5)
            )
            .assertNoTransition(when: .open(persons: 15), on: .closeButtonWasPressed)
            .assert(when: .closing(persons: 1), execute: .close(speed: 2))
            .assert(
                when: .closing(persons: 1),
                on: .doorHasLocked,
                transitionTo: .closed
            )
            .assertNoOutput(when: .closed)
    }

    @Test func `each assertion that fails says what it found`() {
        var messages: [String] = []
        TestStateMachine(Elevator.stateMachine) { messages.append($0.message) }
            .assertNoOutput(when: .closing(persons: 1))
            .assert(when: .closing(persons: 1), execute: .close(speed: 1))
            .assert(when: .closed, execute: .close(speed: 1))
            .assert(when: .open(persons: 5), on: .closeButtonWasPressed, transitionTo: .closed)
            .assert(when: .closed, on: .doorHasLocked, transitionTo: .closed)
            .assertNoTransition(when: .open(persons: 5), on: .closeButtonWasPressed)
        #expect(
            messages == [
                "The output in the state closing(persons: 1) is close(speed: 2), and none is expected.",
                "The output in the state closing(persons: 1) is not the expected one: expected close(speed: 1), found close(speed: 2).",
                "Nothing is executed in the state closed; expected close(speed: 1).",
                "The state after closeButtonWasPressed in the state open(persons: 5) is not the expected one: "
                    + "expected closed, found closing(persons: 5).",
                "The machine rejects doorHasLocked in the state closed; expected closed.",
                "The state after closeButtonWasPressed in the state open(persons: 5) is closing(persons: 5), and none is expected.",
            ])
    }

    @Test func `a failure is an issue at the line of the assertion`() {
        let line = #line + 4
        withKnownIssue {
            TestStateMachine(Elevator.stateMachine)
                .assertNoOutput(when: .closed)
                .assertNoOutput(when: .closing(persons: 1))
                .assertNoOutput(when: .open(persons: 0))
        } matching: { issue in
            issue.sourceLocation?.line == line && issue.sourceLocation?.fileID == #fileID
        }
    }
}
