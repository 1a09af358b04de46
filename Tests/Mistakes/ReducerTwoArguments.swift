import JournalStore

// A reducer has three arguments or four.
// error: expects 3 arguments, but 2 were used in closure body
let machine = Machine<LoadAction, Load, Web>("load", initialState: Load()) { action, state in
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
