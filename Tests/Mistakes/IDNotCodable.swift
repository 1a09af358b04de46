import JournalStore

// The ID of an effect cannot be stored.
struct LoadID: Hashable, Sendable {}

let machine = Machine<LoadAction, Load, Web>("load", initialState: Load()) { action, state, web in
    switch action {
    case .start:
        // error: argument type 'LoadID' does not conform to expected type 'Decodable'
        return .run(id: LoadID()) { .done(try await web.load("key")) }
    case .done(let text):
        state.text = text
        return .none
    case .failed:
        return .none
    }
}
