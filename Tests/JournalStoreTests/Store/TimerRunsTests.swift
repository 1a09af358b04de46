import JournalTesting
import Testing
import TortureKit

@testable import JournalStore

@Suite struct `Timers in a store`: AtDesk {
    let desk: Desk

    init() throws { desk = try Desk() }

    private func open(
        _ journal: Journal, _ timer: Effect<Play>, reduced: Box<[Int]>? = nil
    ) async throws -> Store<Play, Score> {
        try await journal.openPlay(clock: clock, effects: { _ in timer }) { _, step in
            reduced?.change { $0.append(step.number) }
        }
    }

    private func time(_ seconds: Int64) -> Timestamp { clock.wallClock().advanced(by: .seconds(seconds)) }

    /// Waits until a sleep on the clock begins, and returns its duration.
    private func wait() async -> Duration? {
        await clock.sleepers(1)
        return clock.nextWake
    }

    // MARK: Once

    @Test func `after: the action is dispatched this long after the step`() async throws {
        let journal = try openJournal(path, clock)
        let store = try await open(journal, .after(.seconds(60), .ended("x"), id: "t"))
        try await store.dispatch(.start("timer"))
        #expect(await wait() == .seconds(60))
        try await store.flush()
        #expect(
            try sql("SELECT name, status, described, sends, effect_id, not_before - entry_time FROM effect_run") == [
                #"ended|delayed|{"timer":{"after":60000000}}|{"ended":{"_0":"x"}}|{"String":"t"}|60000000"#
            ])
        #expect(try sql("SELECT effects FROM step_record").first?.contains(#""timer":"ended""#) == true)
        clock.move(by: .seconds(60))
        try await store.says("x")
        try await store.flush()
        #expect(try sql("SELECT status, delivered FROM effect_run") == ["completed|1"])
        #expect(try sql("SELECT origin, cause FROM journal WHERE name = 'ended'") == ["effect|step 1, effect 0"])
        #expect(try await journal.verify().isSound)
        try await journal.close()
    }

    @Test func `after: timers that came due while no process ran are sent in the order of their times`() async throws {
        func open(_ journal: Journal) async throws -> Store<Play, Score> {
            try await journal.openPlay(clock: clock) { name in
                .after(.seconds(name == "late" ? 30 : name == "soon" ? 10 : 20), .ended(name))
            }
        }
        var journal = try openJournal(path, clock)
        var store = try await open(journal)
        for name in ["late", "soon", "later"] { try await store.dispatch(.start(name)) }
        try await journal.close()
        clock.move(by: .seconds(60))
        journal = try openJournal(path, clock)
        store = try await open(journal)
        try await store.says("soon", "later", "late")
        #expect(try journal.reader.entries(in: "a").compactMap(\.causeStep) == [2, 3, 1])
        try await journal.close()
    }

    @Test(arguments: [false, true])
    func `after: the timer is restored without reducing its step, even if its entry was pruned`(_ isPruned: Bool)
        async throws
    {
        let journal = try openJournal(path, clock)
        let reduced = Box<[Int]>([])
        var store = try await open(journal, .after(.seconds(60), .ended("x")))
        try await store.dispatch(.start("timer"))
        if isPruned {
            try await store.forgetsThePast(journal)
            #expect(try sql("SELECT count(*) FROM entry WHERE step = 1") == ["0"])
        }
        try await store.close()
        clock.move(by: .seconds(20))
        store = try await open(journal, .none, reduced: reduced)
        #expect(store.recovery.resumed.map(\.name) == ["ended"])
        #expect(await wait() == .seconds(40))
        #expect(reduced.value == [])
        clock.move(by: .seconds(40))
        try await store.says("x")
        try await journal.close()
    }

    @Test func `after: a timer that was due while the store was closed fires at the opening`() async throws {
        let journal = try openJournal(path, clock)
        var store = try await open(journal, .after(.seconds(60), .ended("x")))
        try await store.dispatch(.start("timer"))
        try await store.close()
        clock.move(by: .seconds(600))
        store = try await open(journal, .none)
        try await store.says("x")
        try await store.close()
        store = try await open(journal, .none)
        #expect(store.recovery.resumed == [])
        #expect(store.state.log == ["x"])
        try await journal.close()
    }

    @Test(arguments: [false, true]) func `at: the action is dispatched at that time, also after a restart`(
        _ isReopened: Bool
    ) async throws {
        let journal = try openJournal(path, clock)
        let timer = Effect<Play>.at(time(100), .ended("x"))
        var store = try await open(journal, timer)
        try await store.dispatch(.start("timer"))
        if isReopened {
            try await store.close()
            store = try await open(journal, .none)
        }
        for seconds in [30, 30, 30, 10] {
            #expect(await wait() == .seconds(seconds))
            #expect(store.state.log == [])
            clock.move(by: .seconds(seconds))
            if seconds == 30 { await untilAsleep() }
        }
        try await store.says("x")
        try await journal.close()
    }

    /// Waits until the sleep that is over has been removed.
    private func untilAsleep() async {
        while clock.nextWake.map({ $0 <= .zero }) ?? true { await Task.yield() }
    }

    @Test func `at: a timer can have a date, and fires at once if it is over`() async throws {
        let journal = try openJournal(path, clock)
        let store = try await open(journal, .at(time(-5).date, .ended("x")))
        try await store.dispatch(.start("timer"))
        try await store.says("x")
        try await journal.close()
    }

    @Test func `a timer that is too far away for the clock waits as long as possible`() async throws {
        let journal = try Journal.inMemory()
        let effects: [Effect<Play>] = [
            .after(.seconds(Int64.max), .ended("a"), id: "x"), .every(.seconds(Int64.max), .ended("b"), id: "x"),
            .at(Timestamp(microseconds: .max), .ended("c"), id: "x"),
        ]
        let store = try await journal.openPlay(effects: { _ in .combine(effects) })
        try await store.dispatch(.start("timer"))
        try await store.settles()
        #expect(store.state.log == [])
        #expect(try journal.reader.effectRuns(in: "a").map(\.status) == [.delayed, .delayed, .delayed])
        try await store.cancel(id: "x")
        #expect(try journal.reader.effectRuns(in: "a").map(\.status) == [.cancelled, .cancelled, .cancelled])
    }

    // MARK: Cancelling

    private static let timers: [Named<Effect<Play>>] = [
        Named("after", .after(.seconds(60), .ended("x"), id: "t")),
        Named("at", .at(Timestamp(microseconds: 1_767_226_300_000_000), .ended("x"), id: "t")),
        Named("every", .every(.seconds(60), .ended("x"), id: "t")),
    ]

    @Test(arguments: timers, ["reducer", "app", "condition"])
    func `a timer is cancelled by its ID, before and after a restart`(_ timer: Named<Effect<Play>>, _ by: String)
        async throws
    {
        for isReopened in [false, true] {
            let journal = try Journal.inMemory(options: options())
            var store = try await open(journal, timer.value)
            try await store.dispatch(.start("timer"))
            if isReopened {
                try await store.close()
                store = try await open(journal, .none)
            }
            switch by {
            case "reducer": try await store.dispatch(.cancel("t"))
            case "app": try await store.cancel(id: "t")
            default: try await store.cancel(ids: { $0?.as(String.self) == "t" })
            }
            try await store.flush()
            #expect(try journal.reader.effectRuns(in: "a").map(\.status) == [.cancelled])
            clock.move(by: .seconds(600))
            try await store.settles()
            #expect(store.state.log == [])
            try await journal.close()
        }
    }

    private func options() -> Journal.Options {
        var options = Journal.Options()
        options.wallClock = clock.wallClock
        return options
    }
}
