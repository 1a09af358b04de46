import JournalStore

// A closure of several statements needs `return`.
let machine = Machine<LoadAction, Load, Web>("load", initialState: Load()) { action, state, web in
    switch action {
    case .start:
        return .run { context in
            let text = try await web.load(context.idempotencyKey)
            LoadAction.done(text)
            // error: missing return in closure expected to return 'LoadAction?'
        }
    case .done(let text):
        state.text = text
        return .none
    case .failed:
        return .none
    }
}
