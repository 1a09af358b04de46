import JournalStore

// An effect runs in another thread.
final class Cache { var texts: [String: String] = [:] }

let machine = Machine<LoadAction, Load, Web>("load", initialState: Load()) { action, state, web in
    switch action {
    case .start:
        let cache = Cache()
        // error: capture of 'cache' with non-Sendable type 'Cache' in a '@Sendable' closure
        return .run { .done(cache.texts["key"] ?? "") }
    case .done(let text):
        state.text = text
        return .none
    case .failed:
        return .none
    }
}
