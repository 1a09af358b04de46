import JournalStore

// The closure of `run` has one argument.
let machine = Machine<LoadAction, Load, Web>("load", initialState: Load()) { action, state, web in
    switch action {
    case .start:
        // error: expects 1 argument, but 2 were used in closure body
        return .run { send, context in
            try await send(.done(context.idempotencyKey))
        }
    case .done(let text):
        state.text = text
        return .none
    case .failed:
        return .none
    }
}
