import JournalStore

// The state cannot be stored.
struct Plain: Sendable { var count = 0 }

let reducer = Reducer<LoadAction, Plain, Void> { action, state, _ in
    state.count += 1
    return .none
}

// error: generic struct 'Machine' requires that 'Plain' conform to
let machine = Machine("plain", initialState: Plain(), reducer: reducer)
