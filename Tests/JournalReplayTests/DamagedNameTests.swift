import JournalStore
import Testing
import TortureKit

@testable import JournalReplayKit

/// The digest of a row is checked wherever its row is read, also if only the name is wanted.
@Suite struct `A damaged name of a stream` {
    @Test(arguments: [
        "interventions FILE", "snapshots FILE", "log FILE till", "show FILE till 1", "effects FILE --all",
        "streams FILE",
    ])
    func `is not printed`(_ line: String) async throws {
        let fixture = try Fixture()
        let (sent, till) = ("sent", "till")
        let receiver = Machine<String, String, Void>(till, initialState: "") { action, state, _ in
            state = action
            return .none
        }
        let sender = Machine<String, String, Void>("sender", initialState: "") { action, state, _ in
            state = action
            return action == "wait"
                ? .run(sent) {
                    try await Task.sleep(for: .seconds(1_000_000)); return nil
                } : .none
        }.connected(to: receiver, stream: till) { step in step.action == "pay" ? "book" : nil }
        let journal = try fixture.open()
        let open = (try await journal.open(receiver, stream: till), try await journal.open(sender, stream: "a"))
        for action in ["pay", "wait"] { try await open.1.dispatch(action) }
        for try await _ in open.0.transitions(from: 1) { break }
        try await journal.cancel(RunKey(step: 2), in: "a")
        try await journal.close()
        let path = fixture.path("shop.db")
        let words = line.split(separator: " ").map { $0 == "FILE" ? path : String($0) }
        #expect(try await Tool.run(program: Tool.path, words).status == 0)
        try fixture.execute("UPDATE stream SET name = 'b' WHERE name = 'a'", in: path)
        let result = try await Tool.run(program: Tool.path, words)
        #expect(result.status == 65, "\(result)")
        #expect(result.error.contains("a row of the table stream has another digest"), "\(result)")
    }
}
