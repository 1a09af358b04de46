import JournalStore

// The closure has no action and several statements: `fireAndForget`.
let machine = Machine<LoadAction, Load, Web>("load", initialState: Load()) { action, state, web in
    switch action {
    case .start:
        return .run {
            let text = try await web.load("key")
            print(text)
            // error: missing return in closure expected to return 'LoadAction?'
        }
    case .done(let text):
        state.text = text
        return .none
    case .failed:
        return .none
    }
}
