import JournalTesting
import Synchronization
import Testing
import TortureKit

@testable import JournalStore

private let count = Atomic(0)
/// Apart from the other one, which tests change that run at the same time.
private let decodings = Atomic(0)

/// The same set, in another order each time: the order depends on the capacity.
private func shuffled(_ members: Set<String>) -> Set<String> {
    var set = Set<String>(minimumCapacity: 64 << (count.add(1, ordering: .relaxed).newValue % 8))
    set.formUnion(members)
    return set
}

private struct Tags: Codable, Sendable { var all = LooseSet([]) }
private enum TagAction: Codable, Sendable { case set(LooseSet), copy, copied(LooseSet) }

private let tags = Machine<TagAction, Tags, Void>("tags", initialState: Tags()) { action, state, _ in
    switch action {
    case .set(let all), .copied(let all):
        state.all = LooseSet(shuffled(all.members))
        return .none
    case .copy:
        return .next(.copied(LooseSet(shuffled(state.all.members))))
    }
}

@Suite struct `Sets in values without ==` {
    let names = Set((1...20).map { "tag \($0)" })

    @Test func `a repeated dispatch finds its step if the set has another order`() async throws {
        let journal = try Journal.inMemory()
        let store = try await journal.open(tags, stream: "a")
        try await store.dispatch(.set(LooseSet(shuffled(names))), id: "once")
        for _ in 1...8 {
            #expect(try await store.dispatch(.set(LooseSet(shuffled(names))), id: "once").outcome == .repeated)
        }
        for other in [names.union(["tag 21"]), names.subtracting(["tag 1"]).union(["tag 0"])] {
            let error = await journalError { try await store.dispatch(.set(LooseSet(other)), id: "once") }
            #expect(error?.code == .dispatchIDReused)
        }
        try await journal.close()
    }

    @Test func `a repeated dispatch finds its step if a text has the same characters in other bytes`() async throws {
        let journal = try Journal.inMemory()
        let store = try await journal.open(tags, stream: "a")
        try await store.dispatch(.set(LooseSet(["caf\u{E9}"])), id: "once")
        #expect(try await store.dispatch(.set(LooseSet(["cafe\u{301}"])), id: "once").outcome == .repeated)
        try await journal.close()
    }

    @Test func `a verification accepts a cascade whose set has another order`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.db")
        let journal = try openJournal(path)
        let store = try await journal.open(tags, stream: "a")
        try await store.dispatch(.set(LooseSet(names)))
        for _ in 1...8 { try await store.dispatch(.copy) }
        try await journal.close()
        let report = try Replayer(tags, reader: JournalReader(path: path), stream: "a").verify()
        #expect(report.isFaithful, "\(report)")
    }

    @Test func `a crash matrix accepts a state whose set has another order`() async throws {
        try await CrashMatrix(tags, actions: [.set(LooseSet(names)), .copy]).run()
    }

    @Test func `equal IDs, queues and values have the same text, whatever the order of their sets and dictionaries`()
        throws
    {
        struct ID: Codable, Hashable { var tags: Set<String>; var sums: [Pair: Int]; var more: [Set<Pair>] }
        struct Pair: Codable, Hashable { var first: Int; var second: String }
        let pairs = (1...20).map { Pair(first: $0 % 7, second: "p\($0)") }
        func id() -> ID {
            var sums = [Pair: Int](minimumCapacity: 64 << (count.add(1, ordering: .relaxed).newValue % 8))
            for pair in pairs { sums[pair] = pair.first }
            var others = Set<Pair>(minimumCapacity: 64 << (count.add(1, ordering: .relaxed).newValue % 8))
            others.formUnion(pairs)
            return ID(tags: shuffled(names), sums: sums, more: [others])
        }
        let texts = Set(try (1...16).map { _ in try JSONCodec().encode(id()) })
        #expect(texts.count == 1)
        #expect(try JSONCodec().decode(ID.self, from: try #require(texts.first)) == id())
        #expect(try JSONCodec().encode(Set(["b", "a"])) == #"["a","b"]"#)
        #expect(try JSONCodec().encode(Set([[1.5], [0.5]])) == "[[0.5],[1.5]]")
    }

    @Test func `an ID that was restored is decoded once, however often a condition asks for it`() throws {
        struct Counted: Codable, Hashable {
            var number: Int
            init(number: Int) { self.number = number }
            init(from decoder: any Decoder) throws {
                number = try decoder.singleValueContainer().decode(Int.self)
                decodings.add(1, ordering: .relaxed)
            }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(number)
            }
        }
        let text = try JSONCodec().encode(AnyEffectID(Counted(number: 7)))
        let restored = try JSONCodec().decode(AnyEffectID.self, from: text)
        let copy = restored
        #expect(restored.as(Counted.self) == Counted(number: 7))
        let before = decodings.load(ordering: .relaxed)
        for _ in 1...10 { #expect(copy.as(Counted.self)?.number == 7) }
        #expect(restored.as(String.self) == nil)
        #expect(decodings.load(ordering: .relaxed) == before)
    }
}
