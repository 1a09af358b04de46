import JournalTesting
import Testing

@testable import JournalStore

@Suite struct `Effects that crash the process` {
    let deaths: Deaths
    let started = Box<[String]>([])

    init() throws { deaths = try Deaths() }

    private func open(_ journal: Journal) async throws -> Store<Play, Score> {
        try await journal.openPlay(clock: deaths.clock) { [started] name in
            .run(name, id: name) {
                started.change { $0.append(name) }
                if name == "long" || name == "guilty" { try await forever() }
                return .ended(name)
            }
        }
    }

    /// Starts two effects and kills the process at the first opening.
    private func begin() async throws {
        let journal = try deaths.open()
        let store = try await open(journal)
        for name in ["long", "guilty"] { try await store.dispatch(.start(name)) }
        try await store.flush()
        try deaths.kill()
        try await journal.close()
    }

    /// Opens the stream after three early ends, until the first of its effects is watched.
    private func watchAfterThreeDeaths() async throws -> (Journal, Store<Play, Score>) {
        for _ in 0..<3 { try await dieEarly() }
        let journal = try deaths.open()
        let store = try await open(journal)
        try await store.flush()
        started.change { $0 = [] }
        deaths.clock.move(by: .seconds(1))
        await started.until { $0 == ["long"] }
        #expect(try suspects() == ["1|1|1"])
        return (journal, store)
    }

    /// Opens, starts every effect that may start at once, and kills the process.
    private func dieEarly() async throws {
        let journal = try deaths.open()
        let store = try await open(journal)
        try await store.flush()
        try deaths.kill()
        try await journal.close()
    }

    /// The steps of the first and the last suspect, and how many openings in a row they were suspected in.
    private func suspects() throws -> [String] {
        try deaths(
            """
            SELECT json_extract(crash_loop, '$.suspects.first.step'), json_extract(crash_loop, '$.suspects.last.step'),
                json_extract(crash_loop, '$.suspicions') FROM stream
            """)
    }

    @Test func `an opening that restores nothing is no part of a crash loop`() async throws {
        try await begin()
        for _ in 0..<2 { try await dieEarly() }
        var journal = try deaths.open()
        var store = try await open(journal)
        for name in ["long", "guilty"] { try await store.cancel(id: name) }
        try deaths.kill()
        try await journal.close()
        for _ in 0..<5 {
            journal = try deaths.open()
            store = try await open(journal)
            #expect(!store.recovery.isCrashLoop)
            try await store.flush()
            #expect(try deaths("SELECT crash_loop FROM stream") == [""])
            try deaths.kill()
            try await journal.close()
        }
        #expect(deaths.notices.value.map(\.kind) == [])
    }

    private static let harmless: [Named<Effect<Play>>] = [
        Named("a timer", .after(.seconds(604_800), .ended("late"))),
        Named(
            "an effect that is asked about",
            .run("asked", restart: .ask) {
                try await forever()
                return nil
            }),
    ]

    @Test(arguments: harmless) func `an opening without effects that can crash the process is no part of a crash loop`(
        _ effect: Named<Effect<Play>>
    ) async throws {
        for opening in 0...5 {
            let journal = try deaths.open()
            let store = try await journal.openPlay(clock: deaths.clock) { _ in effect.value }
            if opening == 0 { try await store.dispatch(.start("x")) }
            try await store.flush()
            #expect(!store.recovery.isCrashLoop)
            // The first restart finds the second effect running.
            if opening != 1 { #expect(try deaths("SELECT crash_loop FROM stream") == [""]) }
            try deaths.kill()
            // A host can close the stream at once.
            if opening == 5 { #expect(try await store.engine.closeIfIdle() != nil) }
            try await journal.close()
        }
        #expect(deaths.notices.value.map(\.kind) == [])
    }

    @Test func `a crash loop ends after the opening that parks the only effect`() async throws {
        var journal = try deaths.open()
        var store = try await open(journal)
        try await store.dispatch(.start("guilty"))
        try await store.flush()
        try deaths.kill()
        try await journal.close()
        for _ in 0..<3 { try await dieEarly() }
        for hold in [1, 1, 4] {
            journal = try deaths.open()
            store = try await open(journal)
            try await store.flush()
            started.change { $0 = [] }
            await deaths.clock.sleepers(1)
            deaths.clock.move(by: .seconds(hold))
            await started.until { $0 == ["guilty"] }
            try deaths.kill()
            try await journal.close()
        }
        for isParking in [true, false] {
            journal = try deaths.open()
            store = try await open(journal)
            #expect(store.recovery.isCrashLoop == isParking)
            #expect(store.recovery.parked.map(\.name) == ["guilty"])
            try await store.flush()
            #expect(try deaths("SELECT crash_loop IS NULL FROM stream") == [isParking ? "0" : "1"])
            try deaths.kill()
            try await journal.close()
        }
    }

    @Test func `an effect is parked after three early ends and three after its start; others go on`() async throws {
        try await begin()
        for _ in 0..<3 { try await dieEarly() }
        #expect(try deaths("SELECT json_extract(crash_loop, '$.openings') FROM stream") == ["3"])

        // Now effects start in groups, each of them recorded before it starts.
        var journal = try deaths.open()
        var store = try await open(journal)
        try await store.flush()
        started.change { $0 = [] }
        #expect(try deaths("SELECT json_extract(crash_loop, '$.suspects') FROM stream") == [""])
        #expect(store.recovery.isCrashLoop)
        #expect(deaths.notices.value.map(\.kind) == [.crashLoop])
        #expect(deaths.notices.value.map(\.error.code) == [.crashed])
        #expect(
            deaths.notices.value.first?.error.message.hasPrefix(
                "3 openings in a row ended before they were stable: restored effects start in groups") == true)
        deaths.clock.move(by: .seconds(1))
        await started.until { $0 == ["long"] }
        #expect(try suspects() == ["1|1|1"])
        // Its watch begins when the engine knows that it runs.
        try await store.flush()
        await deaths.clock.sleepers(1)
        deaths.clock.move(by: .seconds(1))
        await started.until { $0 == ["long", "guilty"] }
        #expect(try suspects() == ["2|2|1"])
        try deaths.kill()
        try await journal.close()

        // Now the suspect starts first, after longer and longer holds.
        try await dieOfTheSuspect(after: .seconds(1), suspicions: 2)
        try await dieOfTheSuspect(after: .seconds(4), suspicions: 3)

        journal = try deaths.open()
        store = try await open(journal)
        #expect(store.recovery.parked.map(\.name) == ["guilty"])
        #expect(store.recovery.resumed.map(\.name) == ["long"])
        let notice = deaths.notices.value.last { $0.kind == .crashLoop }?.error
        #expect(notice?.step == 2 && notice?.message.contains("The effect 'guilty' (2.0) was started when") == true)
        #expect(notice?.message.contains("The other restored effects start in groups") == true)
        #expect(notice?.advice.contains("`release` starts one") == true)
        started.change { $0 = [] }
        await deaths.clock.sleepers(1)
        deaths.clock.move(by: .seconds(1))
        await started.until { $0 == ["long"] }
        try await store.flush()
        #expect(try deaths("SELECT name, status FROM running_effects") == ["long|running", "guilty|parked"])

        // The app or an operator can release it.
        try await store.close()
        try await journal.release(RunKey(step: 2), in: "a")
        store = try await open(journal)
        await started.until { $0.contains("guilty") }
        try await journal.close()
    }

    /// Opens the stream, whose only suspect is step 2, and dies when that has started after the hold.
    private func dieOfTheSuspect(after hold: Duration, suspicions: Int) async throws {
        let journal = try deaths.open()
        let store = try await open(journal)
        #expect(store.recovery.parked == [])
        try await store.flush()
        #expect(try suspects() == ["2|2|0"])
        started.change { $0 = [] }
        await deaths.clock.sleepers(1)
        deaths.clock.move(by: hold)
        await started.until { $0 == ["guilty"] }
        #expect(try suspects() == ["2|2|\(suspicions)"])
        try deaths.kill()
        try await journal.close()
    }

    @Test func `a stream that waits for its turn suspects nothing, and a close gives the turn back`() async throws {
        try await begin()
        let (journal, store) = try await watchAfterThreeDeaths()
        let other = StreamID(rawValue: 99)
        let hasBegun = journal.crashLoopTurns.withLock { $0.begin(other, alone: true) }
        #expect(!hasBegun)
        // The watch of the first group ends. The next one waits for the other stream.
        while try suspects() != ["||0"] {
            deaths.clock.move(by: .seconds(1))
            try await store.flush()
        }
        #expect(started.value == ["long"])
        let begins = journal.crashLoopTurns.withLock { $0.begin(other, alone: true) }
        #expect(begins)
        journal.crashLoopTurns.withLock { $0.end(other) }
        await deaths.clock.sleepers(1)
        deaths.clock.move(by: .seconds(1))
        await started.until { $0 == ["long", "guilty"] }
        #expect(try suspects() == ["2|2|1"])
        try await store.close()
        let isFree = journal.crashLoopTurns.withLock { $0.begin(other, alone: true) }
        #expect(isFree)
        try await journal.close()
    }

    @Test func `an effect that was never started is recorded as a suspect before its body starts`() async throws {
        func openLate(_ journal: Journal) async throws -> Store<Play, Score> {
            try await journal.openPlay(clock: deaths.clock) { [started] name in
                .run(name, delay: .seconds(60)) {
                    started.change { $0.append(name) }
                    try await forever()
                    return nil
                }
            }
        }
        for opening in 0...3 {
            let journal = try deaths.open()
            let store = try await openLate(journal)
            if opening == 0 { try await store.dispatch(.start("late")) }
            try await store.flush()
            try deaths.kill()
            try await journal.close()
        }
        let journal = try deaths.open()
        let store = try await openLate(journal)
        #expect(store.recovery.isCrashLoop)
        await deaths.clock.sleepers(1)
        deaths.clock.move(by: .seconds(60))
        await started.until { $0 == ["late"] }
        #expect(try suspects() == ["1|1|1"])
        try await journal.close()
    }

    @Test func `an effect that is retried in a crash loop is not held back`() async throws {
        try await begin()
        for _ in 0..<3 { try await dieEarly() }
        let journal = try deaths.open()
        let store = try await open(journal)
        #expect(store.recovery.isCrashLoop)
        started.change { $0 = [] }
        try await store.cancel(id: "guilty")
        try await store.retry(RunKey(step: 2))
        await started.until { !$0.isEmpty }
        #expect(started.value == ["guilty"])
        try await journal.close()
    }

    @Test func `a host reports a crash loop once, not for each stream`() async throws {
        let effects = { @Sendable (name: String) in
            Effect<Play>.run(name) {
                try await forever()
                return nil
            }
        }
        for opening in 0...3 {
            let journal = try deaths.open()
            let host = try journal.host(play, environment: Stage(effects: effects), clock: deaths.clock)
            for stream in ["a", "b", "c"] {
                let store = try await host.store(for: stream)
                if opening == 0 { try await store.dispatch(.start("long")) }
                try await store.flush()
            }
            #expect(!deaths.notices.value.contains { $0.kind == .crashLoop })
            try deaths.kill()
            try await journal.close()
        }
        let journal = try deaths.open()
        let host = try journal.host(play, environment: Stage(effects: effects), clock: deaths.clock)
        for stream in ["a", "b", "c"] { #expect(try await host.store(for: stream).recovery.isCrashLoop) }
        let reported = deaths.notices.value.filter { $0.kind == .crashLoop }
        #expect(reported.count == 1)
        let message = reported.first?.error.message
        #expect(message?.hasPrefix("Several openings in a row ended before they were stable: ") == true)
        try await journal.close()
    }

    @Test func `an opening in a crash loop does not hold new effects, and held effects can be cancelled`() async throws
    {
        try await begin()
        for _ in 0..<3 { try await dieEarly() }
        let journal = try deaths.open()
        let store = try await open(journal)
        started.change { $0 = [] }
        _ = try await store.dispatch(.start("new")) { $0.log == ["new"] }
        #expect(started.value == ["new"])
        try await store.cancel(id: "guilty")
        #expect(try deaths("SELECT status FROM effect_run WHERE name = 'guilty'") == ["cancelled"])
        try await journal.close()
        // A close does not count as an early end.
        #expect(try deaths("SELECT crash_loop IS NULL FROM stream") == ["1"])
    }

    @Test func `a store that ends by itself while it watches effects suspects none, and gives its turn back`()
        async throws
    {
        try await begin()
        let (journal, store) = try await watchAfterThreeDeaths()
        let engine = store.engine
        engine.post(.list(ephemeral: false) { _ in engine.fail(JournalError(.busy, "A read failed."), alone: true) })
        #expect(await journalError { try await store.flush() } != nil)
        let other = StreamID(rawValue: 99)
        let isFree = journal.crashLoopTurns.withLock { $0.begin(other, alone: true) }
        #expect(isFree)
        journal.crashLoopTurns.withLock { $0.end(other) }
        let again = try await open(journal)
        #expect(!again.recovery.isCrashLoop)
        try await journal.close()
    }

    @Test func `a store that is released does not count as an early end`() async throws {
        try await begin()
        for _ in 0..<4 {
            let journal = try deaths.open()
            do {
                let store = try await open(journal)
                #expect(!store.recovery.isCrashLoop)
            }
            await journal.waitForRelease(of: "a")
            #expect(try deaths("SELECT crash_loop IS NULL FROM stream") == ["1"])
            try await journal.close()
        }
    }

    @Test func `a store that is closed just before it restores its effects leaves no record`() async throws {
        let journal = try deaths.open()
        let store = try await open(journal)
        let engine = store.engine
        var past = Recovery<Play, Score>.Past()
        past.crashLoopPlan = CrashLoopRecord.plan(after: nil, lastSeen: nil, now: deaths.clock.wallClock())
        let answers = Signal()
        // Both are in the inbox before it is drained.
        let mustDrain = engine.add(PostedEvent<Play, Score>(.close { _ in answers.send() }))
        engine.post(.restore(past) { _ in answers.send() })
        if mustDrain { engine.drainInPlace() }
        await answers.wait(times: 2)
        try await store.close()
        #expect(try deaths("SELECT crash_loop FROM stream") == [""])
        try await journal.close()
    }
}

extension Box {
    /// Waits until the value meets the condition.
    func until(_ condition: (Value) -> Bool) async {
        while !condition(value) { await Task.yield() }
    }
}
