import JournalStore

// `onCancel` takes an action, and `onFailure` a closure too.
let machine = Machine<LoadAction, Load, Web>("load", initialState: Load()) { action, state, web, step in
    switch action {
    case .start:
        // error: it takes an action, not a closure: 'onCancel(.cancelled)'.
        return .run("load") { .done(try await web.load("a")) }.onCancel { .failed }
    case .done(let text):
        state.text = text
        return .none
    case .failed:
        return .none
    }
}
