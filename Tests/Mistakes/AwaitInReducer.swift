import JournalStore

// The reducer does the work itself.
// error: a reducer cannot wait or throw. It returns work as an effect: 'return .run { … }'.
let machine = Machine<LoadAction, Load, Web>("load", initialState: Load()) { action, state, web in
    switch action {
    case .start:
        state.text = try await web.load("key")
        return .none
    case .done(let text):
        state.text = text
        return .none
    case .failed:
        return .none
    }
}
