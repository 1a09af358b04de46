import JournalStore

// The closure returns the result instead of the action.
let machine = Machine<LoadAction, Load, Web>("load", initialState: Load()) { action, state, web in
    switch action {
    case .start:
        return .run { context in
            let text = try await web.load(context.idempotencyKey)
            // error: cannot convert value of type 'String' to closure result type 'LoadAction'
            return text
        }
    case .done(let text):
        state.text = text
        return .none
    case .failed:
        return .none
    }
}
