import JournalStore

// The elevator of AsyncStateMachine's introduction. Two aliases keep its names; `StateMachine` must have its types.

typealias DSLCompatible = Codable & Hashable & Sendable
private typealias Transition = Move

enum Elevator {
    enum State: DSLCompatible {
        case open(persons: Int)
        case closing(persons: Int)
        case closed
    }

    enum Event: DSLCompatible {
        case personsHaveEntered(persons: Int)
        case closeButtonWasPressed
        case doorHasLocked
    }

    enum Output: DSLCompatible {
        case close(speed: Int)
    }

    static let stateMachine = StateMachine<State, Event, Output>(initial: State.open(persons: 0)) {
        When(state: State.open(persons:)) { _ in
            Execute.noOutput
        } transitions: { persons in
            On(event: Event.personsHaveEntered(persons:)) { newPersons in
                Transition(to: State.open(persons: persons + newPersons))
            }

            On(event: Event.closeButtonWasPressed) {
                Guard(predicate: persons < 10)
            } transition: {
                Transition(to: State.closing(persons: persons))
            }
        }

        When(state: State.closing(persons:)) { persons in
            Execute(output: Output.close(speed: persons > 5 ? 1 : 2))
        } transitions: { _ in
            On(event: Event.doorHasLocked) {
                Transition(to: State.closed)
            }
        }
    }

    /// The engine of the door.
    struct Engine: Sendable {
        var close: @Sendable (_ speed: Int, _ key: String) async throws -> Void = { _, _ in }
    }

    static func machine(
        _ engine: Engine = Engine(), strategy: SideEffectStrategy<State> = .continueWhenAnyState
    ) -> Machine<Event, State, Void> {
        let runtime = Runtime<State, Event, Output>().map(
            output: Output.close(speed:),
            with: { speed, context in
                try await engine.close(speed, context.idempotencyKey)
                return .doorHasLocked
            }, strategy: strategy)
        return Machine("elevator", stateMachine, runtime: runtime)
    }
}
