import JournalStore
import Testing

@testable import JournalReplayKit

@Suite struct `The newest entries` {
    /// A stream of 1,500 entries of which those up to step 1,200 were pruned, then another with three.
    private func pruned(_ fixture: Fixture) async throws -> JournalReader {
        let journal = try fixture.open()
        let first = try await journal.openStream("before", machine: "m")
        try await first.append("0")
        let second = try await journal.openStream("pruned", machine: "m")
        try await second.append(contentsOf: (1...1_500).map { "\($0)" })
        var batch = Batch()
        batch.settled = [second.id: 1_500]
        _ = try await journal.commit(batch)
        try await second.saveSnapshot("{}", at: 1_200)
        try await journal.prune("pruned", before: 1_300)
        try await first.append(contentsOf: ["1", "2"])
        try await journal.close()
        return try JournalReader(path: fixture.path("shop.db"))
    }

    @Test func `are found across a gap that pruning left`() async throws {
        let fixture = try Fixture()
        let reader = try await pruned(fixture)
        for (count, position) in [(1, 1_503), (2, 1_502), (3, 1_501), (302, 1_202), (303, 1), (304, 1), (9_999, 1)] {
            let start = try EntryPages.start(ofLast: count, reader, in: nil) { $0 }
            #expect(start == position, "the last \(count)")
        }
    }

    @Test func `are found across pages that end early because actions are large`() async throws {
        let fixture = try Fixture()
        let journal = try fixture.open()
        let stream = try await journal.openStream("a", machine: "m")
        for _ in 1...5 { try await stream.append(String(repeating: "1", count: 600_000)) }
        try await journal.close()
        let reader = try JournalReader(path: fixture.path("shop.db"))
        #expect(try EntryPages.start(ofLast: 4, reader, in: nil) { $0 } == 2)
        #expect(try EntryPages.start(ofLast: 4, reader, in: "a") { $0 } == 2)
        var (pages, unreadable) = (EntryPages(reader, stream: "a"), Unreadable())
        var sizes: [Int] = []
        while case let page = try pages.page(&unreadable), !page.isEmpty { sizes.append(page.count) }
        #expect(sizes == [2, 2, 1])
    }

    @Test func `of one stream are found as well`() async throws {
        let fixture = try Fixture()
        let reader = try await pruned(fixture)
        #expect(try EntryPages.start(ofLast: 300, reader, in: "pruned") { $0 } == 1_201)
        #expect(try EntryPages.start(ofLast: 301, reader, in: "pruned") { $0 } == 1_201)
        #expect(
            try EntryPages.start(ofLast: 2, reader, in: "pruned", upTo: 1_400) { $0.filter { $0.step % 2 == 0 } }
                == 1_398)
    }

    @Test func `are none in an empty journal`() async throws {
        let fixture = try Fixture()
        try await fixture.open().close()
        let reader = try JournalReader(path: fixture.path("shop.db"))
        #expect(try EntryPages.start(ofLast: 5, reader, in: nil) { $0 } == 1)
    }
}
