import Testing
import TortureKit
import JournalTesting

@testable import JournalStore

@Suite struct `First store` {
    enum Action: Codable, Sendable, Equatable { case add(Int), fetch, got(Int) }

    @Test func `a counter`() async throws {
        let folder = try TemporaryFolder()
        let journal = try openJournal(folder.path("a.db"))
        let machine = Machine<Action, Int, Void>("counter", initialState: 0) { action, state, _ in
            switch action {
            case .add(let n): state += n; return .none
            case .fetch: return .run { .got(5) }
            case .got(let n): state += n * 100; return .none
            }
        }
        let store = try await journal.open(machine, stream: "c")
        for _ in 0..<10 { try await store.dispatch(.add(1)) }
        #expect(store.state == 10)
        let d = try await store.dispatch(.fetch)
        await d.completion
        #expect(store.state == 510)
        try await store.close()
        let again = try await journal.open(machine, stream: "c")
        #expect(again.state == 510)
        print(again.recovery)
        try await journal.close()
        print(try Shell(folder.path("a.db"))("SELECT * FROM journal; SELECT * FROM effect_run; SELECT * FROM step_record").joined(separator: "\n"))
    }
}
