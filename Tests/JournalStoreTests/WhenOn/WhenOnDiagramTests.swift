import Testing

@testable import JournalStore

@Suite struct `Diagrams and reviews of a When/On machine` {
    private let states: [Elevator.State] = [.open(persons: 0), .open(persons: 10), .closing(persons: 1), .closed]
    private let events: [Elevator.Event] = [.personsHaveEntered(persons: 1), .closeButtonWasPressed, .doorHasLocked]

    private enum Light: Sendable, Equatable, CaseIterable { case red, green, broken }
    private enum Change: Sendable, Equatable, CaseIterable { case next, fail }

    private static let light = StateMachine<Light, Change, Int>(initial: .red) {
        When(state: .red) {
            Execute.noOutput
        } transitions: {
            On(event: .next) {
                Guard("not \"broken\"", predicate: true)
            } transition: {
                Move(to: .green)
            }
            On(event: .next) { Move(to: .broken) }
        }
        When(
            states: OneOf {
                Light.green; Light.red
            }
        ) { _ in
            Execute.noOutput
        } transitions: {
            On(event: .next) { Move(to: .red) }
            On(event: .fail) {
                Guard("off", predicate: false)
            } transition: {
                Move(to: .broken)
            }
        }
        When(states: OneOf("never", where: { _ in false })) { _ in Execute.noOutput }
    }

    @Test func `a diagram has an arrow for each transition, with the cases, the event and the guard`() {
        #expect(
            Elevator.stateMachine.diagram(.mermaid, states: states, events: events) == """
                stateDiagram-v2
                    state "open" as s0
                    state "closing" as s1
                    state "closed" as s2
                    s0 --> s0: personsHaveEntered
                    s0 --> s1: closeButtonWasPressed [guard]
                    s1 --> s2: doorHasLocked

                """)
        #expect(
            Self.light.diagram(.graphviz) == """
                digraph {
                    "red" -> "green" [label="next [not \\"broken\\"]"];
                    "green" -> "red" [label="next"];
                }

                """)
    }

    @Test func `a review reports unreachable states, hidden transitions, and what matches nothing`() {
        let review = Self.light.review()
        #expect(
            review.description == """
                unreachable: broken
                shadowed: row 0: When red On next
                matches nothing: row 2: When [never]
                matches nothing: row 1: When red, the On at 1
                """)
        #expect(!review.isClean)
        #expect(review.unreachableStates == [.broken])
    }

    @Test func `a review of the elevator is clean`() {
        let review = Elevator.stateMachine.review(states: states.dropLast(), events: events)
        #expect(review.isClean, "\(review)")
    }
}
