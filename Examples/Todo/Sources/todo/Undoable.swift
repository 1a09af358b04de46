import JournalStore

// Undo for any machine: the history is part of the state, and undoing is an action like any other. So it is journaled, and survives a crash.

/// A state with what came before it and what was undone.
struct Undoable<State: Codable & Sendable & Equatable>: Codable, Sendable, Equatable {
    var past: [State] = []
    var present: State
    var future: [State] = []
}

/// An action of the machine itself, or undoing and redoing.
enum UndoAction<Action: Codable & Sendable & Equatable>: Codable, Sendable, Equatable {
    case act(Action)
    case undo
    case redo
}

extension Reducer where Action: Codable & Equatable, State: Codable & Equatable & Sendable, Environment: Sendable {
    /// A reducer that can also undo and redo what this one did to the state. Effects that ran are not undone.
    ///
    /// - Parameter limit: how many states are kept.
    func undoable(limit: Int = 100) -> Reducer<UndoAction<Action>, Undoable<State>, Environment> {
        let acting = contramap(
            action: { (action: UndoAction<Action>) in if case .act(let inner) = action { inner } else { nil } },
            embed: { .act($0) }
        ).contramap(state: \Undoable<State>.present)
        return Reducer<UndoAction<Action>, Undoable<State>, Environment> { action, state, environment, step in
            switch action {
            case .act:
                let before = state.present
                let effect = acting.reduce(action, &state, environment, &step)
                if state.present != before {
                    state.past = (state.past + [before]).suffix(limit)
                    state.future = []
                }
                return effect
            case .undo:
                guard let last = state.past.popLast() else { return .reject("there is nothing to undo") }
                state.future.append(state.present)
                state.present = last
            case .redo:
                guard let next = state.future.popLast() else { return .reject("there is nothing to redo") }
                state.past.append(state.present)
                state.present = next
            }
            return .none
        }
    }
}
