import JournalStore

// Each case of a reducer returns an effect, `.none` too.
let machine = Machine<LoadAction, Load, Web>("load", initialState: Load()) { action, state, web in
    switch action {
    case .start:
        state.count += 1
    case .done(let text):
        state.text = text
        return .none
    case .failed:
        return .none
    }
    // error: missing return in closure expected to return 'Effect<LoadAction>'
}
