import JournalStore

// The closure has no action: `.fireAndForget`.
let machine = Machine<LoadAction, Load, Web>("load", initialState: Load()) { action, state, web in
    switch action {
    case .start:
        return Effect(id: "log") {
            // error: cannot convert value of type '()' to closure result type 'LoadAction?'
            print("started")
        }
    case .done(let text):
        state.text = text
        return .none
    case .failed:
        return .none
    }
}
