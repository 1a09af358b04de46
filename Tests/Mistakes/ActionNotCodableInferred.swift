import JournalStore

// The action cannot be stored; its type is inferred.
enum Plain: Sendable { case start, stop }

// error: generic struct 'Machine' requires that 'Plain' conform to
let machine = Machine("load", initialState: Load()) { (state: inout Load, action: Plain) in
    state.count += 1
}
