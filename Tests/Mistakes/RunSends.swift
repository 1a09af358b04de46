import JournalStore

// The closure sends instead of returning an action: `stream`.
let machine = Machine<LoadAction, Load, Web>("load", initialState: Load()) { action, state, web in
    switch action {
    case .start:
        // error: its closure returns an action or nil. Without one: 'fireAndForget'; to send actions: 'stream'.
        return .run { send in
            try await send(.done("text"))
        }
    case .done(let text):
        state.text = text
        return .none
    case .failed:
        return .none
    }
}
