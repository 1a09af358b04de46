import JournalStore

// The machine has no environment.
func open(_ machine: Machine<LoadAction, Load, Void>, _ journal: Journal) async throws {
    // error: the environment of this machine is Void. Leave out 'environment:'.
    let store = try await journal.open(machine, stream: "a", environment: Web { $0 })
    try await store.dispatch(.start)
}
