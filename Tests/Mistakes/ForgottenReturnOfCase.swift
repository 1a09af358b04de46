import JournalStore

// The same with a case: the compiler reads `.done` as a member of the line before.
let machine = Machine<LoadAction, Load, Web>("load", initialState: Load()) { action, state, web in
    switch action {
    case .start:
        return .run { context in
            let text = try await web.load(context.idempotencyKey)
                // error: use of local variable 'text' before its declaration
                .done(text)
        }
    case .done(let text):
        state.text = text
        return .none
    case .failed:
        return .none
    }
}
