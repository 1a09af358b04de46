import JournalStore

// A timer sends an action.
let machine = Machine<LoadAction, Load, Web>("load", initialState: Load()) { action, state, web, step in
    switch action {
    case .start:
        // error: it takes an action, not a closure: '.after(.seconds(1), .done)'.
        return .after(.seconds(1)) { .failed }
    case .done(let text):
        state.text = text
        return .none
    case .failed:
        return .none
    }
}
