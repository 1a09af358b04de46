import JournalStore

// The state is a class, so no older state is kept. One that is Sendable compiles, and is refused when the machine is
// opened.
final class Model: Codable { var count = 0 }

// error: type 'Model' does not conform to the 'Sendable' protocol
let machine = Machine<LoadAction, Model, Void>("model", initialState: Model()) { action, state, _ in
    state.count += 1
    return .none
}
