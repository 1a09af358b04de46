import JournalStore

// The same with a step.
// error: a reducer gets the action first: '{ action, state, environment, step in … }'.
let machine = Machine<LoadAction, Load, Web>("load", initialState: Load()) { state, action, web, step in
    switch action {
    case .start:
        return .none
    case .done(let text):
        state.text = text
        return .none
    case .failed:
        return .none
    }
}
