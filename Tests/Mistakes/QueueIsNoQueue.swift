import JournalStore

// A queue is declared as such.
struct Loads: Codable, Hashable, Sendable {}

let machine = Machine<LoadAction, Load, Web>("load", initialState: Load()) { action, state, web in
    switch action {
    case .start:
        // error: argument type 'Loads' does not conform to expected type 'EffectQueue'
        return .run(queue: Loads()) { .done(try await web.load("key")) }
    case .done(let text):
        state.text = text
        return .none
    case .failed:
        return .none
    }
}
