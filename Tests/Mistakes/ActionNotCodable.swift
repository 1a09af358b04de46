import JournalStore

// The action cannot be stored.
enum Plain: Sendable { case start, stop }

// error: type 'Plain' does not conform to protocol 'Decodable'
let machine = Machine<Plain, Load, Void>("load", initialState: Load()) { action, state, _ in
    state.count += 1
    return .none
}
