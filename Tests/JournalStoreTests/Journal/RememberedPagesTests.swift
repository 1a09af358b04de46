import Testing
import TortureKit

@testable import JournalStore

@Suite struct `Remembered steps, page by page` {
    private let folder: TemporaryFolder
    private let path: String
    private let journal: Journal
    private let run = RunKey(step: 1, ordinal: 0)

    /// One run with four uses of the step "ask" and one of "read", each with a result of five bytes.
    init() async throws {
        folder = try TemporaryFolder()
        path = folder.path("a.db")
        journal = try Journal(path: path)
        let stream = try await journal.openStream("a", machine: "m")
        try await stream.append("1")
        var batch = Batch()
        batch.runs = [
            EffectRun(
                stream: stream.id, step: 1, ordinal: 0, rootStep: 1, name: "agent", status: .running, attempts: 1)
        ]
        batch.remembered = [("ask", 1), ("ask", 2), ("ask", 3), ("ask", 4), ("read", 1)].map { name, use in
            RememberedStep(
                stream: stream.id, step: 1, ordinal: 0, path: "", name: name, use: use, result: "12345")
        }
        _ = try await journal.commit(batch)
    }

    private func key(_ name: String, _ use: Int) -> StepUses.Key { StepUses.Key(path: "", name: name, use: use) }

    private func page(from key: StepUses.Key, bytes: Int) throws -> [Int] {
        try journal.reader.rememberedPage(of: "a", run, from: key, bytes: bytes).map(\.use)
    }

    @Test func `as many results are read as there are bytes for, and each step is known`() async throws {
        let found = try journal.reader.rememberedResults(of: "a", run, bytes: 7)
        func isRead(_ key: StepUses.Key) -> Bool? {
            switch found.find(key) {
            case nil: nil
            case .result?: true
            case .unread?: false
            }
        }
        #expect(isRead(key("ask", 1)) == true)
        #expect(isRead(key("ask", 2)) == true)
        #expect(isRead(key("ask", 3)) == false)
        #expect(isRead(key("read", 1)) == false)
        #expect(isRead(key("ask", 5)) == nil)
        try await journal.close()
    }

    @Test func `a page has a use and later ones of its name, and ends when it has enough bytes`() async throws {
        #expect(try page(from: key("ask", 2), bytes: 100) == [2, 3, 4])
        #expect(try page(from: key("ask", 2), bytes: 7) == [2, 3])
        #expect(try page(from: key("ask", 2), bytes: 1) == [2])
        #expect(try page(from: key("read", 1), bytes: 100) == [1])
        try await journal.close()
    }

    @Test func `a remembered step that is missing when it is asked for is an error that names it`() async throws {
        try Shell(path)("DELETE FROM effect_step WHERE nth = 3")
        let error = #expect(throws: JournalError.self) { try page(from: key("ask", 3), bytes: 100) }
        #expect(error?.code == .corrupt)
        #expect(error?.description.contains("/ask/3") == true)
        try await journal.close()
    }

    @Test func `each result is checked before the body gets the first one`() async throws {
        try Shell(path)("UPDATE effect_step SET result = 'other' WHERE name = 'read'")
        let error = #expect(throws: JournalError.self) {
            try journal.reader.rememberedResults(of: "a", run, bytes: 1)
        }
        #expect(error?.code == .corrupt)
        try await journal.close()
    }
}
