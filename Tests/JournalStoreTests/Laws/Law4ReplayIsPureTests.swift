import Testing
import TortureKit

@testable import JournalStore

@Suite struct `Law 4: replay is pure` {
    @Test func `a fold runs no effects`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.db")
        let runs = Box(0)
        var journal = try openJournal(path) { $0.snapshots = .never }
        var store = try await journal.openPlay { name in
            .run {
                runs.change { $0 += 1 }
                return .ended(name)
            }
        }
        for name in ["a", "b", "c"] { await (try await store.dispatch(.start(name))).completion() }
        let state = store.state
        #expect(runs.value == 3)
        try await journal.close()

        journal = try openJournal(path) { $0.snapshots = .never }
        store = try await journal.openPlay { name in
            .run {
                runs.change { $0 += 100 }
                return .ended(name)
            }
        }
        #expect(store.recovery.replayedSteps == 6)
        #expect(store.recovery.unsettledSteps == 0)
        #expect(store.state == state)
        var steps: [Int] = []
        for try await transition in store.transitions(from: 1) {
            steps.append(transition.step)
            if transition.step == 6 { break }
        }
        #expect(steps == [1, 2, 3, 4, 5, 6])
        #expect(runs.value == 3)
        try await journal.close()
    }

    @Test func `an action that changes when it is encoded and decoded is refused`() async throws {
        struct Note: Codable, Sendable, Equatable {
            var text: String
            var draft: String
            enum CodingKeys: CodingKey { case text }
            init(text: String, draft: String) { (self.text, self.draft) = (text, draft) }
            init(from decoder: any Decoder) throws {
                text = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .text)
                draft = ""
            }
        }
        let journal = try Journal.inMemory(options: checking)
        let store = try await journal.open(
            Machine<Note, String, Void>("notes", initialState: "", update: { $0 += $1.text }), stream: "a")
        let error = await journalError { try await store.dispatch(Note(text: "x", draft: "secret")) }
        #expect(error?.code == .lossyCoding)
        #expect(error?.description.contains("Note") == true)
        #expect(error?.description.contains("secret") == false)
        #expect(try journal.reader.entries(in: "a").isEmpty)
        #expect(try await store.dispatch(Note(text: "x", draft: "")).step == 1)
    }

    @Test func `a state that changes when it is encoded and decoded is not kept, with a notice`() async throws {
        struct Lossy: Codable, Sendable, Equatable {
            var count = 0
            var cache = 0
            enum CodingKeys: CodingKey { case count }
        }
        let notices = Box<[Notice]>([])
        var options = checking
        options.report = { notice in notices.change { $0.append(notice) } }
        let journal = try Journal.inMemory(options: options)
        let store = try await journal.open(
            Machine<Int, Lossy, Void>("lossy", initialState: Lossy()) { state, action in
                state.count += action
                state.cache += action
            }, stream: "a")
        try await store.dispatch(1)
        try await store.close()
        #expect(notices.value.map(\.kind) == [.snapshotFailed])
        #expect(notices.value.first?.error.code == .lossyCoding)
        #expect(notices.value.first?.error.step == 1)
        #expect(try journal.reader.snapshotSteps(in: "a").isEmpty)
    }

    private var checking: Journal.Options {
        var options = Journal.Options()
        options.checksCoding = true
        return options
    }
}
