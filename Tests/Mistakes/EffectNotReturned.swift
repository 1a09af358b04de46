import JournalStore

// The effect is made and not returned.
let machine = Machine<LoadAction, Load, Web>("load", initialState: Load()) { action, state, web in
    switch action {
    case .start:
        // error: reference to member 'run' cannot be resolved without a contextual type
        .run { .done(try await web.load("key")) }
    case .done(let text):
        state.text = text
        return .none
    case .failed:
        return .none
    }
}
