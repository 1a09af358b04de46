import JournalStore

// An effect uses the state. It can have a copy of a part: `{ [text = state.text] in … }`.
let machine = Machine<LoadAction, Load, Web>("load", initialState: Load()) { action, state, web in
    switch action {
    case .start:
        // error: mutable capture of 'inout' parameter 'state' is not allowed in concurrently-executing code
        return .run { .done(try await web.load(state.text)) }
    case .done(let text):
        state.text = text
        return .none
    case .failed:
        return .none
    }
}
