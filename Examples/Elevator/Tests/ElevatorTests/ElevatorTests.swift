import ElevatorMachine
import JournalTesting
import Testing

@Suite struct `The elevator` {
    @Test func `each state and event, without running anything`() {
        TestStateMachine(stateMachine)
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

    @Test func `no transition is hidden, and every sample is reached`() {
        let review = stateMachine.review(states: samples.states, events: samples.events)
        #expect(review.isClean, "\(review)")
    }

    @Test func `it ends the same wherever it is killed`() async throws {
        let report = try await CrashMatrix(
            machine(engine: Engine(delay: .zero)), actions: [.personsHaveEntered(persons: 3), .closeButtonWasPressed]
        ).run()
        #expect(report.effects == 1 && report.unfinished == 0, "\(report)")
    }
}
