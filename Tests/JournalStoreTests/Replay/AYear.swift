import JournalStore
import TortureKit

/// The history that most tests use.
let postingsOfAYear: [Posting] = [
    .add(10), .label("a"), .close, .open(limit: 5), .both(1, 2), .draw, .add(-20), .label("b"), .draw, .close,
]

extension AtDesk {
    /// Writes a journal with that history, repeated; returns the store's state after each step.
    func liveAYear(
        times: Int = 1, _ options: (inout Journal.Options) -> Void = { $0.snapshots = .never }
    ) async throws -> [Account] {
        let journal = try openJournal(path, options)
        let store = try await journal.open(account, stream: "a")
        var states = [Account()]
        for _ in 0..<times {
            for action in postingsOfAYear {
                try await store.dispatch(action)
                states.append(store.state)
            }
        }
        try await store.dispatch(.ask).completion()
        states.append(contentsOf: [states[states.count - 1], store.state])
        try await journal.close()
        return states
    }
}
