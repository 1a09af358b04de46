import JournalStore

// The same with a step.
// error: a reducer cannot wait or throw. It returns work as an effect: 'return .run { … }'.
let machine = Machine<LoadAction, Load, Web>("load", initialState: Load()) { action, state, web, step in
    switch action {
    case .start:
        return .next(.done(try await web.load("a")))
    case .done(let text):
        state.text = text
        return .none
    case .failed:
        return .none
    }
}
