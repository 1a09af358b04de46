import JournalStore

// A closure that only changes the state gets the state first.
// error: a closure that only changes the state gets the state first: '{ state, action in … }'.
let machine = Machine<LoadAction, Load, Void>("load", initialState: Load()) { action, state in
    state.count += 1
}
