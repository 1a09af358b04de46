import JournalStore

// The closure of `stream` gets `send` first.
let machine = Machine<LoadAction, Load, Web>("load", initialState: Load()) { action, state, web in
    switch action {
    case .start:
        // error: its closure gets 'send' first, then the context: 'stream { send, context in … }'.
        return .stream { context, send in
            try await send(.done(context.idempotencyKey))
        }
    case .done(let text):
        state.text = text
        return .none
    case .failed:
        return .none
    }
}
