import JournalStore

// The closure of `fireAndForget` has an action: `run`.
let machine = Machine<LoadAction, Load, Web>("load", initialState: Load()) { action, state, web in
    switch action {
    case .start:
        // error: its closure returns nothing. 'run' dispatches the action that its closure returns.
        return .fireAndForget { context in
            let text = try await web.load(context.idempotencyKey)
            return .done(text)
        }
    case .done(let text):
        state.text = text
        return .none
    case .failed:
        return .none
    }
}
