import JournalStore

// The machine has an environment.
func open(_ machine: Machine<LoadAction, Load, Web>, _ journal: Journal) async throws {
    // error: the machine needs an environment. Pass 'environment:' after 'stream:'.
    let store = try await journal.open(machine, stream: "a")
    try await store.dispatch(.start)
}
