import JournalStore

// A dispatch waits until the action is committed, and throws if it cannot be.
func use(_ store: Store<LoadAction, Load>) async throws {
    // error: call can throw but is not marked with 'try'
    store.dispatch(.start)
}
