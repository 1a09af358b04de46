import JournalTesting
import Testing
import TortureKit

@testable import JournalStore

/// `dispatch(cancelID:)` names every effect that the dispatch leads to, even after its entry was pruned.
@Suite struct `Cancel IDs across restarts`: AtDesk {
    let desk: Desk

    init() throws { desk = try Desk() }

    /// Each effect starts the next; the last ones do not end.
    ///
    /// - Parameter hasClosure: whether one of them is a closure effect, for which pruning keeps entries.
    private func open(_ journal: Journal, hasClosure: Bool = true) async throws -> Store<Play, Score> {
        try await journal.openChores(clock: clock) { name in
            switch name {
            case "one": return .run("one") { .start("two") }
            case "two": return .run("two") { .start("three") }
            default:
                let described = Effect.perform(Chore.wash) + .after(.seconds(60), Play.start("one"))
                let closure = Effect<Play>.run("three") {
                    try await forever()
                    return nil
                }
                return hasClosure ? described + closure : described
            }
        } perform: { _, _ in
            try await forever()
            return nil
        }
    }

    @Test(arguments: [false, true]) func `a cancel ID cancels grandchildren, even if the root's entry was pruned`(
        _ isPruned: Bool
    ) async throws {
        let journal = try openJournal(path, clock)
        var store = try await open(journal, hasClosure: !isPruned)
        try await store.dispatch(.start("one"), cancelID: "session")
        while try journal.reader.effectRuns(in: "a").count < (isPruned ? 4 : 5) { try await store.settles() }
        #expect(
            try sql("SELECT DISTINCT root_step, cancel_id FROM effect_run") == [#"1|{"String":"session"}"#])
        if isPruned {
            clock.move(by: .seconds(1))
            try await store.forgetsThePast(journal)
            #expect(try sql("SELECT count(*) FROM entry WHERE step = 1") == ["0"])
            #expect(try sql("SELECT count(*) FROM effect_run WHERE step = 1") == ["0"])
        }
        for _ in 1...2 {
            try await store.close()
            store = try await open(journal, hasClosure: !isPruned)
        }
        #expect(store.recovery.resumed.map(\.name) == ["wash", "start"] + (isPruned ? [] : ["three"]))
        try await store.dispatch(.cancel("session"))
        try await store.flush()
        #expect(
            try sql("SELECT DISTINCT status FROM effect_run WHERE name IN ('wash', 'start', 'three')") == ["cancelled"])
        try await journal.close()
    }

    @Test func `a cancel ID cancels what a timer started after a restart`() async throws {
        let journal = try openJournal(path, clock)
        var store = try await open(journal)
        try await store.dispatch(.start("three"), cancelID: "session")
        try await store.settles()
        try await store.close()
        store = try await open(journal)
        await clock.sleepers(1)
        clock.move(by: .seconds(60))
        // The timer starts the whole chain again.
        while try journal.reader.effectRuns(in: "a", status: .running).count < 4 { try await store.settles() }
        try await store.cancel(id: "session")
        #expect(try sql("SELECT DISTINCT status FROM effect_run ORDER BY status") == ["cancelled", "completed"])
        #expect(try sql("SELECT count(*) FROM effect_run WHERE root_step != 1") == ["0"])
        try await journal.close()
    }
}
