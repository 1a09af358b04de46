import JournalTesting
import Testing
import TortureKit

@testable import JournalStore

/// A queue that no effect uses any more leaves nothing in the file. The first word of an effect's name is the name of
/// its queue.
@Suite struct `Queues that no effect uses any more`: AtDesk {
    let desk: Desk
    private let rows = "SELECT count(*) FROM effect_queue"

    init() throws { desk = try Desk() }

    private func open(
        _ journal: Journal, _ lane: Lane = Lane(), perform: @escaping Performing = Self.ending
    ) async throws -> Store<Play, Score> {
        try await journal.openChores(
            clock: clock,
            effects: { name in
                var queue = lane
                queue.name = name.split(separator: " ").first.map { String($0) } ?? ""
                return .perform(Chore.sweep(name), queue: queue)
            }, perform: perform)
    }

    private static let ending: Performing = { chore, _ in
        guard case .sweep(let name) = chore else { return nil }
        return .ended(name)
    }

    /// Has the scheduler look at what is due, and writes all records.
    private func look(_ store: Store<Play, Score>) async throws {
        try await store.cancel(id: "nothing")
        try await store.flush()
    }

    private static let waiting: Performing = { _, _ in
        try await forever()
        return nil
    }

    // MARK: Without a delay

    @Test(arguments: Lane.Kind.allCases)
    func `100 queues that were used once leave no row when their effects have ended`(_ kind: Lane.Kind) async throws {
        let journal = try openJournal(path, clock)
        let store = try await open(journal, Lane(kind: kind))
        for number in 1...100 { try await store.dispatch(.start("order-\(number)")) }
        await store.join()
        try await store.flush()
        #expect(try sql("SELECT count(*) FROM effect_run WHERE status = 'completed'") == ["100"])
        #expect(try sql(rows) == ["0"])
        #expect(try await journal.verify().isSound)
        try await journal.close()
        #expect(try JournalReader(path: path).verify().isSound)
    }

    @Test func `a queue keeps its row while an effect runs or waits in it`() async throws {
        let journal = try openJournal(path, clock)
        let store = try await open(journal, perform: Self.waiting)
        for name in ["a 1", "a 2", "b 3"] { try await store.dispatch(.start(name)) }
        try await store.flush()
        #expect(try sql(rows) == ["2"])
        for (step, left) in [(1, "2"), (3, "1"), (2, "0")] {
            try await store.cancel(RunKey(step: step))
            try await store.flush()
            #expect(try sql(rows) == [left])
        }
        #expect(try await journal.verify().isSound)
        try await journal.close()
    }

    @Test func `the row is deleted with the record of the last end`() async throws {
        let wreckage = try Wreckage()
        let journal = try wreckage.journal(clock)
        let store = try await open(journal, perform: Self.waiting)
        try await store.dispatch(.start("a"))
        try await store.flush()
        try await store.cancel(RunKey(step: 1))
        try await journal.close()
        #expect(wreckage.paths.count > 1)
        for path in wreckage.paths {
            let isLive = try sql("SELECT count(*) FROM running_effects", path)
            #expect(try sql(rows, path) == isLive)
        }
    }

    // MARK: With a delay

    @Test func `a queue with a delay keeps its row until the delay after its last start is over`() async throws {
        let journal = try openJournal(path, clock)
        let store = try await open(journal, Lane(delay: 60))
        try await store.dispatch(.start("a"))
        try await store.says("a")
        clock.move(by: .seconds(59))
        try await look(store)
        #expect(try sql(rows) == ["1"])
        clock.move(by: .seconds(1))
        try await look(store)
        #expect(try sql(rows) == ["0"])
        #expect(try await journal.verify().isSound)
        try await journal.close()
    }

    @Test func `the delay is honoured after a restart, and then the row goes`() async throws {
        let journal = try openJournal(path, clock)
        var store = try await open(journal, Lane(delay: 60))
        try await store.dispatch(.start("a first"))
        try await store.says("a first")
        try await store.close()
        #expect(try sql(rows) == ["1"])
        clock.move(by: .seconds(40))
        store = try await open(journal, Lane(delay: 60))
        try await store.dispatch(.start("a second"))
        clock.move(by: .seconds(19))
        try await look(store)
        #expect(try sql("SELECT status FROM effect_run ORDER BY step") == ["completed", "delayed"])
        clock.move(by: .seconds(1))
        try await look(store)
        try await store.says("a first", "a second")
        clock.move(by: .seconds(59))
        try await look(store)
        #expect(try sql(rows) == ["1"])
        clock.move(by: .seconds(1))
        try await look(store)
        #expect(try sql(rows) == ["0"])
        try await journal.close()
    }

    @Test func `after a restart no queue waits longer than its delay, also if the clock was set back`() async throws {
        let set = Box(Duration.zero)
        let journal = try openJournal(path) { [clock] options in
            options.wallClock = { clock.wallClock().advanced(by: set.value) }
        }
        var store = try await open(journal, Lane(delay: 60))
        try await store.dispatch(.start("a first"))
        try await store.says("a first")
        try await store.close()
        set.change { $0 = .seconds(-3_600) }
        store = try await open(journal, Lane(delay: 60))
        try await store.dispatch(.start("a second"))
        clock.move(by: .seconds(60))
        try await look(store)
        try await store.says("a first", "a second")
        try await journal.close()
    }

    @Test func `an opening deletes the rows of queues whose delay is over, and keeps the others`() async throws {
        let journal = try openJournal(path, clock)
        var store = try await open(journal, Lane(delay: 60))
        for number in 1...9 { try await store.dispatch(.start("early-\(number)")) }
        await store.join()
        clock.move(by: .seconds(30))
        try await store.dispatch(.start("late"))
        await store.join()
        try await store.close()
        #expect(try sql(rows) == ["10"])
        clock.move(by: .seconds(40))
        store = try await open(journal, Lane(delay: 60))
        try await store.flush()
        #expect(try sql("SELECT key LIKE '%late%' FROM effect_queue") == ["1"])
        #expect(try await journal.verify().isSound)
        try await store.close()
        clock.move(by: .seconds(20))
        store = try await open(journal, Lane(delay: 60))
        try await store.flush()
        #expect(try sql(rows) == ["0"])
        try await journal.close()
    }

    @Test func `a delay that a new version of the code takes away is not waited for`() async throws {
        let journal = try openJournal(path, clock)
        var store = try await open(journal, Lane(delay: 60))
        try await store.dispatch(.start("a first"))
        try await store.says("a first")
        try await store.close()
        store = try await open(journal, Lane(delay: 0))
        try await store.dispatch(.start("a second"))
        try await store.says("a first", "a second")
        try await look(store)
        #expect(try sql(rows) == ["0"])
        try await journal.close()
    }

    // MARK: Kills

    @Test(arguments: [0, 60])
    func `nothing is left of a queue, wherever the process is killed`(_ delay: Int) async throws {
        let wreckage = try Wreckage()
        var journal = try wreckage.journal(clock)
        var store = try await open(journal, Lane(delay: delay))
        try await store.dispatch(.start("a"))
        try await store.says("a")
        try await store.flush()
        try await journal.close()
        var wasBetween = false
        for path in wreckage.paths {
            let ended = "SELECT count(*) FROM effect_run WHERE status = 'completed'"
            guard try sql("SELECT count(*) FROM entry", path) != ["0"] else { continue }
            if try sql(ended, path) == ["1"], try sql(rows, path) == ["1"] { wasBetween = true }
            journal = try openJournal(path, clock)
            store = try await open(journal, Lane(delay: delay))
            try await store.says("a")
            clock.move(by: .seconds(delay))
            try await look(store)
            #expect(try sql(rows, path) == ["0"])
            #expect(try sql(ended, path) == ["1"])
            #expect(try await journal.verify().isSound)
            try await journal.close()
        }
        #expect(wasBetween, "one kill comes after the end of the effect, and before the row is deleted")
    }

    // MARK: Effects that are live again

    private static let failing: Performing = { _, context in
        if context.attempt == 1 { throw EffectFailure(description: "busy") }
        try await forever()
        return nil
    }

    @Test(arguments: [false, true])
    func `an effect is retried after its queue was forgotten`(_ isClosed: Bool) async throws {
        let journal = try openJournal(path, clock)
        var store = try await open(journal, Lane(kind: .newest, note: 1), perform: Self.failing)
        try await store.dispatch(.start("a 1"))
        await store.join()
        try await store.flush()
        #expect(try sql(rows) == ["0"])
        if isClosed {
            try await store.close()
            try await journal.retry(RunKey(step: 1), in: "a")
        } else {
            try await store.retry(RunKey(step: 1))
            try await store.close()
        }
        let rule = #"{"maxCount":1,"policy":"suspendNew","since":[0,0]}"#
        #expect(try sql("SELECT policy FROM effect_queue") == [rule])
        #expect(try await journal.verify().isSound)
        store = try await open(journal, Lane(kind: .newest, note: 2), perform: Self.waiting)
        try await store.flush()
        #expect(try sql("SELECT status FROM effect_run") == ["running"])
        // The next effect brings the rule of the code, although its instance has other JSON.
        try await store.dispatch(.start("a 2"))
        try await store.flush()
        #expect(try sql("SELECT status FROM effect_run ORDER BY step") == ["evicted", "running"])
        try await store.cancel(RunKey(step: 2))
        try await store.flush()
        #expect(try sql(rows) == ["0"])
        try await journal.close()
    }

    @Test func `a retry in a closed stream leaves the row of a queue that other effects use as it is`() async throws {
        let perform: Performing = { chore, _ in
            if case .sweep("a 1") = chore { throw EffectFailure(description: "busy") }
            try await forever()
            return nil
        }
        let journal = try openJournal(path, clock)
        let store = try await open(journal, Lane(maxCount: 2), perform: perform)
        for name in ["a 1", "a 2"] { try await store.dispatch(.start(name)) }
        while try await store.liveRuns().count > 1 { await Task.yield() }
        try await store.close()
        let before = try sql("SELECT policy FROM effect_queue")
        #expect(before.count == 1)
        try await journal.retry(RunKey(step: 1), in: "a")
        #expect(try sql("SELECT policy FROM effect_queue") == before)
        #expect(try sql("SELECT status FROM effect_run ORDER BY step") == ["waiting", "running"])
        #expect(try await journal.verify().isSound)
        try await journal.close()
    }

    @Test func `a retry is refused if the stored rule of the queue does not decode, and the row stays as it is`()
        async throws
    {
        let journal = try openJournal(path, clock)
        let store = try await open(journal, Lane(delay: 60), perform: Self.failing)
        try await store.dispatch(.start("a 1"))
        await store.join()
        try await journal.close()
        try Shell(path).change("UPDATE effect_queue SET policy = '[]'")
        let again = try openJournal(path, clock)
        let reopened = try await open(again, Lane(delay: 60), perform: Self.failing)
        let error = await journalError { try await reopened.retry(RunKey(step: 1)) }
        #expect(error?.code == .notDecodable)
        #expect(error?.step == 1)
        try await reopened.flush()
        #expect(try sql("SELECT policy FROM effect_queue") == ["[]"])
        #expect(try sql("SELECT status FROM effect_run") == ["failed"])
        try await again.close()
    }

    @Test func `a retried effect joins the queue that equals its forgotten one`() async throws {
        let journal = try openJournal(path, clock)
        let store = try await open(journal, Lane(note: 1), perform: Self.failing)
        try await store.dispatch(.start("a 1"))
        await store.join()
        try await store.close()
        let again = try await open(journal, Lane(note: 2), perform: Self.waiting)
        try await again.dispatch(.start("a 2"))
        try await again.retry(RunKey(step: 1))
        try await again.flush()
        #expect(try sql("SELECT status FROM effect_run ORDER BY step") == ["waiting", "running"])
        #expect(try sql("SELECT count(DISTINCT queue) FROM effect_run") == ["1"])
        #expect(try sql(rows) == ["1"])
        #expect(try await journal.verify().isSound)
        try await journal.close()
    }

    @Test func `a fork restores effects whose queue the original has forgotten`() async throws {
        let journal = try openJournal(path, clock)
        let store = try await open(journal, perform: Self.waiting)
        for name in ["a 1", "a 2"] { try await store.dispatch(.start(name)) }
        clock.move(by: .seconds(1))
        try await store.dispatch(.add(1))
        for step in 1...2 { try await store.cancel(RunKey(step: step)) }
        try await store.flush()
        #expect(try sql(rows) == ["0"])
        let copy = folder.path("fork.db")
        try await journal.reader.fork("a", at: 2, to: copy)
        try await journal.close()
        #expect(try sql(rows, copy) == ["1"])
        let fork = try openJournal(copy, clock)
        #expect(try await fork.verify().isSound)
        let forked = try await open(fork, perform: Self.waiting)
        for step in 1...2 { try await forked.release(RunKey(step: step)) }
        try await forked.flush()
        #expect(try sql("SELECT status FROM effect_run ORDER BY step", copy) == ["running", "waiting"])
        for step in 1...2 { try await forked.cancel(RunKey(step: step)) }
        try await forked.flush()
        #expect(try sql(rows, copy) == ["0"])
        try await fork.close()
    }

    @Test func `an effect without a handler keeps its queue until a handler is there again`() async throws {
        let journal = try openJournal(path, clock)
        let effects: @Sendable (String) -> Effect<Play> = { .perform(Chore.sweep($0), queue: Lane(maxCount: 2)) }
        var store = try await journal.openChores(clock: clock, effects: effects, perform: Self.waiting)
        try await store.dispatch(.start("a"))
        try await store.close()
        store = try await journal.openChores(clock: clock, effects: effects, perform: nil)
        try await look(store)
        #expect(try await store.liveRuns().map(\.status) == [.orphaned])
        #expect(try sql(rows) == ["1"])
        #expect(try await journal.verify().isSound)
        try await store.close()
        store = try await journal.openChores(clock: clock, effects: effects, perform: Self.waiting)
        try await look(store)
        #expect(try await store.liveRuns().map(\.status) == [.running])
        try await store.cancel(RunKey(step: 1))
        try await store.flush()
        #expect(try sql(rows) == ["0"])
        try await journal.close()
    }
}
