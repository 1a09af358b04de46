import JournalStore

// Undo for any machine: the history is part of the state, and undoing is an action like any other. So it is journaled,
// and survives a crash.

/// A state with what came before it and what was undone.
struct Undoable<State: Codable & Sendable>: Codable, Sendable {
    /// The states before, oldest first.
    var past: [State] = []
    var present: State
    /// What was undone, the newest last.
    var future: [State] = []
    /// The step that added the newest state of the past.
    var newest = 0
}

extension Undoable: Equatable where State: Equatable {}

/// An action of the machine itself, or undoing and redoing.
enum UndoAction<Action: Codable & Sendable>: Codable, Sendable {
    case act(Action)
    case undo
    case redo
}

extension UndoAction: Equatable where Action: Equatable {}

extension Reducer where Action: Codable, State: Codable & Sendable, Environment: Sendable {
    /// A reducer that can also undo and redo what this one did to the state. What `.next` adds to an action is undone
    /// with it. Effects that ran are not undone, and effects that run go on.
    ///
    /// - Parameters:
    ///   - limit: how many states of the past are kept. They are part of each snapshot.
    ///   - counts: whether an action can be undone. What other actions change goes if an older action is undone.
    ///   - isChange: whether a state is another one: if not, there is nothing to undo.
    func undoable(
        limit: Int = 100, counts: @escaping @Sendable (Action) -> Bool = { _ in true },
        isChange: @escaping @Sendable (_ before: State, _ after: State) -> Bool
    ) -> Reducer<UndoAction<Action>, Undoable<State>, Environment> {
        typealias Whole = Reducer<UndoAction<Action>, Undoable<State>, Environment>
        let before = Whole { action, state, _, step in
            switch action {
            case .act(let action):
                // An action of a cascade belongs to the one that caused it.
                if counts(action), step.substep == 0 || state.newest != step.number {
                    state.past.append(state.present)
                    state.newest = step.number
                }
            case .undo:
                guard let last = state.past.popLast() else { return .reject("there is nothing to undo") }
                state.future.append(state.present)
                state.present = last
                state.newest = 0
            case .redo:
                guard let next = state.future.popLast() else { return .reject("there is nothing to redo") }
                state.past.append(state.present)
                state.present = next
                state.newest = 0
            }
            return .none
        }
        let acting = contramap(state: \Undoable<State>.present).contramap(
            action: { (action: UndoAction<Action>) in if case .act(let inner) = action { inner } else { nil } },
            embed: { .act($0) })
        let after = Whole { action, state, _, _ in
            guard case .act(let action) = action, counts(action), let last = state.past.last else { return .none }
            if isChange(last, state.present) {
                state.future = []
                state.past.removeFirst(max(0, state.past.count - max(0, limit)))
            } else {
                state.past.removeLast()
                state.newest = 0
            }
            return .none
        }
        // Combined, and not one function that calls this reducer, so that the handlers of its described effects are
        // kept.
        return .combine(before, acting, after)
    }
}

extension Reducer where Action: Codable, State: Codable & Sendable & Equatable, Environment: Sendable {
    /// The same for states that can be compared.
    func undoable(
        limit: Int = 100, counts: @escaping @Sendable (Action) -> Bool = { _ in true }
    ) -> Reducer<UndoAction<Action>, Undoable<State>, Environment> {
        undoable(limit: limit, counts: counts) { $0 != $1 }
    }
}
