import Testing
import TortureKit

@testable import JournalStore

@Suite struct `How far a stream is settled` {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    /// A journal whose riders are never called for.
    private func open() throws -> Journal {
        try openJournal(folder.path("a.db")) {
            $0.idleDelay = .seconds(1_000_000)
            $0.snapshots = .never
        }
    }

    private func settled(_ journal: Journal) throws -> Int { try journal.reader.stream("a").settledStep }

    @Test func `a plain step is noted with its stream's own next entry, and at the end`() async throws {
        let journal = try open()
        let store = try await journal.openPlay()
        try await store.dispatch(.add(1))
        try await store.dispatch(.add(2))
        #expect(try settled(journal) == 1)
        try await store.dispatch(.add(3))
        #expect(try settled(journal) == 2)
        try await store.flush()
        #expect(try settled(journal) == 3)
        try await store.dispatch(.add(4))
        try await store.close()
        #expect(try settled(journal) == 4)
        try await journal.close()
    }

    @Test func `a dispatch that was there before notes nothing, and nothing is forgotten`() async throws {
        let journal = try open()
        let store = try await journal.openPlay()
        try await store.dispatch(.add(1), id: "one")
        try await store.dispatch(.add(2))
        try await store.dispatch(.add(1), id: "one")
        try await store.close()
        #expect(try settled(journal) == 2)
        try await journal.close()
    }

    @Test func `the end of an effect does not hold the step behind it back`() async throws {
        let journal = try open()
        let goOn = Signal()
        let store = try await journal.openPlay { _ in
            .run {
                await goOn.wait()
                return nil
            }
        }
        let dispatched = try await store.dispatch(.start("x"))
        try await store.flush()
        try await store.dispatch(.add(1))
        goOn.send()
        await dispatched.completion
        try await store.flush()
        #expect(try settled(journal) == 2)
        try await store.close()
        try await journal.close()
    }
}
