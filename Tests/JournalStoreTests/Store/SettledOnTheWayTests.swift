import Testing
import TortureKit

@testable import JournalStore

@Suite struct `The settlement watermark` {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    /// A journal that never commits deferred writes on its own.
    private func open() throws -> Journal {
        try openJournal(folder.path("a.db")) {
            $0.idleDelay = .seconds(1_000_000)
            $0.snapshots = .never
        }
    }

    private func settled(_ journal: Journal) throws -> Int { try journal.reader.stream("a").settledStep }

    @Test func `the watermark of a plain step is written with the next entry, a flush or the close`() async throws {
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

    @Test func `the watermark is not written with the flush of another store, but with the close of the journal`()
        async throws
    {
        let journal = try open()
        let store = try await journal.openPlay()
        let other = try await journal.openPlay("b")
        try await store.dispatch(.add(1))
        try await other.dispatch(.add(1))
        try await other.flush()
        #expect(try journal.reader.stream("b").settledStep == 1)
        #expect(try settled(journal) == 0)
        try await store.flush()
        #expect(try settled(journal) == 1)
        try await store.dispatch(.add(2))
        try await other.dispatch(.add(2))
        try await journal.close()
        let streams = try JournalReader(path: folder.path("a.db")).streams()
        #expect(streams.map(\.settledStep) == [2, 2])
    }

    @Test func `the watermark is not written with a repeated dispatch, and is not lost`() async throws {
        let journal = try open()
        let store = try await journal.openPlay()
        try await store.dispatch(.add(1), id: "one")
        try await store.dispatch(.add(2))
        try await store.dispatch(.add(1), id: "one")
        try await store.close()
        #expect(try settled(journal) == 2)
        try await journal.close()
    }

    @Test func `the watermark passes the step of an effect that ends later`() async throws {
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
        await dispatched.completion()
        try await store.flush()
        #expect(try settled(journal) == 2)
        try await store.close()
        try await journal.close()
    }
}
