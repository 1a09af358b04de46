import JournalStore

// No mistake: this program compiles.
let machine = Machine<LoadAction, Load, Web>("load", initialState: Load()) { action, state, web in
    switch action {
    case .start:
        return .run("load", id: "load") { context in
            let text = try await web.load(context.idempotencyKey)
            return .done(text)
        }
    case .done(let text):
        state.text = text
        return .none
    case .failed:
        return .none
    }
}

let counter = Machine<LoadAction, Load, Void>("counter", initialState: Load()) { state, _ in
    state.count += 1
}

func use(_ journal: Journal) async throws {
    let store = try await journal.open(machine, stream: "a", environment: Web { $0 })
    try await store.dispatch(.start)
    try await journal.open(counter, stream: "b").dispatch(.start)
}
