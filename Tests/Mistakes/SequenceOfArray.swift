import JournalStore

// The closure of `sequence` returns an array.
let machine = Machine<LoadAction, Load, Web>("load", initialState: Load()) { action, state, web in
    switch action {
    case .start:
        // error: its closure returns an AsyncSequence. 'stream' can send the actions of an array.
        return .sequence { context in
            [.done("a"), .done("b")]
        }
    case .done(let text):
        state.text = text
        return .none
    case .failed:
        return .none
    }
}
