import JournalStore

// The closure has no action: `fireAndForget`.
let machine = Machine<LoadAction, Load, Web>("load", initialState: Load()) { action, state, web in
    switch action {
    case .start:
        return .run { context in
            // error: cannot convert value of type '()' to closure result type 'LoadAction?'
            print(context.attempt)
        }
    case .done(let text):
        state.text = text
        return .none
    case .failed:
        return .none
    }
}
