import JournalTesting
import Testing
import TortureKit

@testable import JournalStore

@Suite struct `Timers that repeat` {
    let clock = ManualClock()

    private func open(
        _ journal: Journal, _ missed: MissedTicks = .one, interval: Duration = .seconds(60)
    ) async throws -> Store<Play, Score> {
        try await journal.openPlay(clock: clock) { name in
            .every(interval, .ended(name), missed: missed, id: name)
        }
    }

    private func options() -> Journal.Options {
        var options = Journal.Options()
        options.wallClock = clock.wallClock
        return options
    }

    private func logs(_ store: Store<Play, Score>, _ count: Int) async throws {
        _ = try await store.dispatch(.add(0)) { $0.log.count == count }
    }

    @Test func `a tick is an entry and is counted in the same transaction`() async throws {
        let journal = try Journal.inMemory(options: options())
        let store = try await open(journal)
        try await store.dispatch(.start("x"))
        for number in 1...3 {
            await clock.sleepers(1)
            #expect(clock.nextWake == .seconds(60))
            clock.move(by: .seconds(60))
            try await logs(store, number)
            let run = try journal.reader.effectRuns(in: "a")[0]
            #expect(run.delivered == number)
            #expect(run.status == .delayed)
        }
        let ticks = try journal.reader.entries(in: "a", limit: 100).filter { $0.origin == .effect }
        #expect(ticks.map(\.causeStep) == [1, 1, 1])
    }

    @Test(arguments: [(.one, 2), (.all, 5), (.none, 1)] as [(MissedTicks, Int)])
    func `a timer catches up on missed ticks as configured, and the next tick is on schedule`(
        _ missed: MissedTicks, _ count: Int
    ) async throws {
        let journal = try Journal.inMemory(options: options())
        var store = try await open(journal, missed)
        try await store.dispatch(.start("x"))
        await clock.sleepers(1)
        clock.move(by: .seconds(60))
        try await logs(store, 1)
        try await store.close()
        // Four were due meanwhile.
        clock.move(by: .seconds(270))
        store = try await open(journal, missed)
        try await logs(store, count)
        await clock.sleepers(1)
        #expect(clock.nextWake == .seconds(30))
        clock.move(by: .seconds(30))
        try await logs(store, count + 1)
        try await store.flush()
        #expect(try journal.reader.effectRuns(in: "a")[0].delivered == count + 1)
    }

    @Test func `a reducer can cancel a timer at one of its ticks`() async throws {
        let journal = try Journal.inMemory(options: options())
        let machine = Machine<Play, Score, Void>("play", initialState: Score()) { action, state, _ in
            switch action {
            case .start: return .every(.seconds(60), .add(1), id: "t")
            case .add(let number):
                state.sum += number
                return state.sum == 3 ? .cancel(id: "t") : .none
            default: return .none
            }
        }
        let store = try await journal.open(machine, stream: "a", clock: clock)
        try await store.dispatch(.start("x"))
        for number in 1...3 {
            await clock.sleepers(1)
            clock.move(by: .seconds(60))
            _ = try await store.dispatch(.add(0)) { $0.sum == number }
        }
        try await store.flush()
        #expect(clock.nextWake == nil)
        #expect(try journal.reader.effectRuns(in: "a")[0].status == .cancelled)
        #expect(try journal.reader.effectRuns(in: "a")[0].delivered == 3)
    }

    /// It has sent fewer ticks than were due, so their number does not tell when the next one is due.
    @Test func `a timer that is retried keeps its schedule, also if missed ticks were sent as one`() async throws {
        let journal = try Journal.inMemory(options: options())
        var store = try await open(journal)
        try await store.dispatch(.start("x"))
        try await store.close()
        clock.move(by: .seconds(610))
        store = try await open(journal)
        try await logs(store, 1)
        try await store.cancel(RunKey(step: 1))
        try await store.retry(RunKey(step: 1))
        await clock.sleepers(1)
        #expect(clock.nextWake == .seconds(50))
        clock.move(by: .seconds(50))
        try await logs(store, 2)
    }

    @Test func `a tick is journaled once, wherever the process dies`() async throws {
        let wreckage = try Wreckage()
        let journal = try wreckage.journal(clock)
        let store = try await open(journal, .all, interval: .seconds(1))
        try await store.dispatch(.start("x"))
        for number in 1...4 {
            await clock.sleepers(1)
            clock.move(by: .seconds(1))
            try await logs(store, number)
        }
        try await journal.close()
        clock.move(by: .milliseconds(2_500))
        #expect(wreckage.paths.count > 8)
        for path in wreckage.paths {
            guard try Shell(path, readOnly: true)("SELECT count(*) FROM entry") != ["0"] else { continue }
            let journal = try openJournal(path, clock)
            let store = try await open(journal, .all, interval: .seconds(1))
            try await logs(store, 6)
            try await store.settles()
            #expect(store.state.log.count == 6)
            let shell = try Shell(path, readOnly: true)
            #expect(try shell("SELECT delivered, status FROM effect_run") == ["6|delayed"])
            #expect(try shell("SELECT count(*) FROM entry WHERE cause_step = 1") == ["6"])
            #expect(try await journal.verify().isSound)
            try await journal.close()
        }
    }

    @Test func `closing does not wait for all missed ticks`() async throws {
        let journal = try Journal.inMemory(options: options())
        var store = try await open(journal, .all, interval: .milliseconds(1))
        try await store.dispatch(.start("x"))
        try await store.close()
        // So many that no machine sends them all before the close.
        let missed = 1_000_000_000
        clock.move(by: .milliseconds(missed))
        store = try await open(journal, .all, interval: .milliseconds(1))
        try await store.close()
        let run = try journal.reader.effectRuns(in: "a")[0]
        #expect(run.delivered < missed)
        #expect(run.status == .delayed)
        #expect(try journal.reader.streams()[0].headStep == run.delivered + 1)
    }
}
