// What the code in docs/when-on.md presupposes. It is only type-checked.

import JournalStore
import JournalTesting

enum State: Codable, Hashable, Sendable { case open(persons: Int), closing(persons: Int), closed }

enum Event: Codable, Hashable, Sendable {
    case personsHaveEntered(persons: Int), closeButtonWasPressed, doorHasLocked, timeIsUp
}

enum Output: Codable, Hashable, Sendable { case close(speed: Int) }

let stateMachine = StateMachine<State, Event, Output>(initial: .closed) {
    When(state: .closed) {
        Execute.noOutput
    }
}

let runtime = Runtime<State, Event, Output>()

let journal: Journal = { fatalError("Only type-checked.") }()

@Sendable func close<Event>(speed: Int) async throws -> Event { fatalError("Only type-checked.") }
