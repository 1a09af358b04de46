import JournalTesting
import Testing
import TortureKit

@testable import JournalStore

@Suite struct `A restored effect that is delayed` {
    let folder: TemporaryFolder
    let path: String
    let clock = ManualClock()

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("a.db")
    }

    private func sql(_ query: String) throws -> [String] { try Shell(path, readOnly: true)(query) }

    /// A stream can have ten thousand of them.
    @Test func `is not recorded again, and runs when it is due`() async throws {
        let effects: @Sendable (String) -> Effect<Play> = { name in .run(name, delay: .seconds(60)) { .ended(name) } }
        var journal = try openJournal(path, clock)
        var store = try await journal.openPlay(clock: clock, effects: effects)
        for name in ["x", "y"] { try await store.dispatch(.start(name)) }
        try await store.flush()
        try await journal.close()
        clock.move(by: .seconds(10))
        journal = try openJournal(path, clock)
        try await journal.refuse("UPDATE ON effect_run")
        store = try await journal.openPlay(clock: clock, effects: effects)
        await clock.sleepers(1)
        // Throws if a record was refused.
        try await store.flush()
        try await journal.refuseNothing()
        #expect(try sql("SELECT status FROM effect_run") == ["delayed", "delayed"])
        clock.move(by: .seconds(49))
        try await store.flush()
        #expect(try sql("SELECT status FROM effect_run") == ["delayed", "delayed"])
        clock.move(by: .seconds(1))
        await store.join()
        #expect(Set(store.state.log) == ["x", "y"])
        try await journal.close()
    }
}
