import JournalStore

// A function without `async` can use a BlockingStore.
func use(_ store: Store<LoadAction, Load>) {
    // error: 'async' call in a function that does not support concurrency
    store.dispatch(.start)
}
