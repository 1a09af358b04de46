import JournalStore

// A reducer gets the action first.
// error: a reducer gets the action first: '{ action, state, environment in … }'.
let machine = Machine<LoadAction, Load, Web>("load", initialState: Load()) { state, action, web in
    switch action {
    case .start:
        state.count += 1
        return .none
    case .done(let text):
        state.text = text
        return .none
    case .failed:
        return .none
    }
}
