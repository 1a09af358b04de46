public import JournalStore

/// How the elevator is.
public enum State: Codable, Hashable, Sendable {
    /// The door is open.
    case open(persons: Int)
    /// The door closes.
    case closing(persons: Int)
    /// The door is closed.
    case closed
}

/// What happens to the elevator.
public enum Event: Codable, Hashable, Sendable {
    /// Persons have entered.
    case personsHaveEntered(persons: Int)
    /// The button was pressed.
    case closeButtonWasPressed
    /// The door has locked.
    case doorHasLocked
}

/// What the elevator does.
public enum Output: Codable, Hashable, Sendable {
    /// Closes the door at a speed.
    case close(speed: Int)
}

/// The elevator, without side effects.
public let stateMachine = StateMachine<State, Event, Output>(initial: State.open(persons: 0)) {
    When(state: State.open(persons:)) { _ in
        Execute.noOutput
    } transitions: { persons in
        On(event: Event.personsHaveEntered(persons:)) { newPersons in
            Move(to: State.open(persons: persons + newPersons))
        }

        On(event: Event.closeButtonWasPressed) {
            Guard("fewer than 10", predicate: persons < 10)
        } transition: {
            Move(to: State.closing(persons: persons))
        }
    }

    When(state: State.closing(persons:)) { persons in
        Execute(output: Output.close(speed: persons > 5 ? 1 : 2))
    } transitions: { _ in
        On(event: Event.doorHasLocked) {
            Move(to: State.closed)
        }
    }
}

/// States and events for diagrams and reviews: one of each case, and a full elevator.
public let samples = (
    states: [State.open(persons: 0), .open(persons: 10), .closing(persons: 1), .closed],
    events: [Event.personsHaveEntered(persons: 1), .closeButtonWasPressed, .doorHasLocked]
)
