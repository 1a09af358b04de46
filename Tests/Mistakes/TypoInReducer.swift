import JournalStore

// An error that has nothing to do with the kind of a closure stays where it is.
let machine = Machine<LoadAction, Load, Web>("load", initialState: Load()) { action, state, web in
    switch action {
    case .start:
        // error: value of type 'Load' has no member 'cont'
        state.cont += 1
        return .run { context in
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
