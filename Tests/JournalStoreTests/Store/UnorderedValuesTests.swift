import JournalTesting
import Synchronization
import Testing
import TortureKit

@testable import JournalStore

private let count = Atomic(0)

/// The same set, in another order each time: the order depends on the capacity.
private func shuffled(_ members: Set<String>) -> Set<String> {
    var set = Set<String>(minimumCapacity: 64 << (count.add(1, ordering: .relaxed).newValue % 8))
    set.formUnion(members)
    return set
}

private struct Tags: Codable, Sendable { var all: Set<String> = [] }
private enum TagAction: Codable, Sendable { case set(Set<String>), copy, copied(Set<String>) }

private let tags = Machine<TagAction, Tags, Void>("tags", initialState: Tags()) { action, state, _ in
    switch action {
    case .set(let all), .copied(let all):
        state.all = shuffled(all)
        return .none
    case .copy:
        return .next(.copied(shuffled(state.all)))
    }
}

@Suite struct `Sets in values without ==` {
    let names = Set((1...20).map { "tag \($0)" })

    @Test func `a repeated dispatch finds its step if the set has another order`() async throws {
        let journal = try Journal.inMemory()
        let store = try await journal.open(tags, stream: "a")
        try await store.dispatch(.set(shuffled(names)), id: "once")
        for _ in 1...8 {
            #expect(try await store.dispatch(.set(shuffled(names)), id: "once").outcome == .repeated)
        }
        for other in [names.union(["tag 21"]), names.subtracting(["tag 1"]).union(["tag 0"])] {
            let error = await journalError { try await store.dispatch(.set(other), id: "once") }
            #expect(error?.code == .dispatchIDReused)
        }
        try await journal.close()
    }

    @Test func `a verification accepts a cascade whose set has another order`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.db")
        let journal = try openJournal(path)
        let store = try await journal.open(tags, stream: "a")
        try await store.dispatch(.set(names))
        for _ in 1...8 { try await store.dispatch(.copy) }
        try await journal.close()
        let report = try Replayer(tags, reader: JournalReader(path: path), stream: "a").verify()
        #expect(report.isFaithful, "\(report)")
    }

    @Test func `a crash matrix accepts a state whose set has another order`() async throws {
        try await CrashMatrix(tags, actions: [.set(names), .copy]).run()
    }
}
