import JournalStore

// The same inside of an effect.
let machine = Machine<LoadAction, Load, Web>("load", initialState: Load()) { action, state, web in
    switch action {
    case .start:
        return .run { context in
            // error: value of type 'Web' has no member 'lod'
            let text = try await web.lod(context.idempotencyKey)
            return .done(text)
        }
    case .done(let text):
        state.text = text
        return .none
    case .failed:
        return .none
    }
}
