import Testing
import TortureKit

@testable import JournalStore

@Suite struct `Outcomes that are read after a pruning`: AtDesk {
    let desk: Desk

    init() throws { desk = try Desk() }

    @Test func `a step that was pruned since its entry was read is not called reduced`() async throws {
        let journal = try openJournal(path, clock)
        let machine = Machine<Int, Int, Void>("m", initialState: 0) { action, state, _ in
            if action < 0 { return .reject("It is negative.") }
            state += action
            return .none
        }
        let store = try await journal.open(machine, stream: "a")
        for action in [-1, -2, 3, 4] { try await store.dispatch(action) }
        try await store.flush()
        let entries = try journal.reader.entries(in: "a", limit: 10)
        #expect(try journal.reader.outcomes(of: entries).map(\.outcome) == [.rejected, .rejected, .reduced, .reduced])
        try await store.engine.stream.saveSnapshot("7", at: 4)
        try await store.dispatch(5)
        try await store.flush()
        try await journal.prune("a", before: 5)
        #expect(try journal.reader.outcomes(of: entries).map(\.outcome) == [nil, nil, nil, nil])
        let left = try journal.reader.entries(in: "a", from: 5, limit: 10)
        #expect(try journal.reader.outcomes(of: left).map(\.outcome) == [.reduced])
        try await journal.close()
    }
}
