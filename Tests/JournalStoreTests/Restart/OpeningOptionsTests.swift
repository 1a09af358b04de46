import JournalTesting
import Testing

@testable import JournalStore

@Suite struct `An opening after a restart` {
    let deaths: Deaths
    let started = Box<[String]>([])
    let door = Door()

    init() throws { deaths = try Deaths() }

    /// The name begins with the restart policy: `resume x`, `cancel x`, `ask x`, `dispatch x`.
    private func effects(_ name: String) -> Effect<Play> {
        let restart: Effect<Play>.Restart =
            switch name.prefix(while: { $0 != " " }) {
            case "cancel": .cancel
            case "ask": .ask
            case "dispatch": .dispatch(.ended("told of \(name)"))
            default: .resume
            }
        return .run(name, id: name, restart: restart) { [started, door] in
            started.change { $0.append(name) }
            await door.pass()
            return .ended(name)
        }
    }

    private func open(_ journal: Journal, _ options: OpenOptions = OpenOptions()) async throws -> Store<Play, Score> {
        try await journal.open(play, stream: "a", environment: Stage(effects: effects), options: options)
    }

    /// Kills the process while four effects run.
    private func killed() async throws {
        let journal = try deaths.open()
        let store = try await open(journal)
        for policy in ["resume", "cancel", "ask", "dispatch"] { try await store.dispatch(.start("\(policy) x")) }
        await door.comers(4)
        try await store.flush()
        try deaths.kill()
        try await journal.close()
        started.change { $0 = [] }
    }

    @Test func `an opening follows the restart policy of each effect`() async throws {
        try await killed()
        let journal = try deaths.open()
        let store = try await open(journal)
        let told = try await store.dispatch(.add(1)) { $0.log == ["told of dispatch x"] }
        #expect(told.log == ["told of dispatch x"])
        await door.comers(5)
        #expect(started.value == ["resume x"])
        #expect(store.recovery.resumed.map(\.name) == ["resume x"])
        #expect(store.recovery.cancelled.map(\.name) == ["cancel x", "dispatch x"])
        #expect(store.recovery.asked.map(\.name) == ["ask x"])
        #expect(
            store.recovery.description == """
                from the beginning, 4 steps replayed, 1 resumed, 2 cancelled, 1 asked
                  cancelled: 'cancel x' of step 2
                  cancelled: 'dispatch x' of step 4
                  asked: 'ask x' of step 3
                """)
        try await store.flush()
        #expect(
            try deaths("SELECT name, status FROM running_effects") == ["resume x|running", "ask x|asked"])
        try await journal.close()
    }

    @Test(
        arguments: [
            (.resume, ["resume x", "cancel x", "ask x", "dispatch x"], [], []),
            (.cancel, [], ["resume x", "cancel x", "ask x", "dispatch x"], []),
            (.ask, [], [], ["resume x", "cancel x", "ask x", "dispatch x"]),
        ] as [(OpenOptions.RestartOverride, [String], [String], [String])])
    func `an opening treats all effects the same if the app overrides their restart policies`(
        _ restart: OpenOptions.RestartOverride, _ resumed: [String], _ cancelled: [String], _ asked: [String]
    ) async throws {
        try await killed()
        let journal = try deaths.open()
        var options = OpenOptions()
        options.restart = restart
        let store = try await open(journal, options)
        #expect(store.recovery.resumed.map(\.name) == resumed)
        #expect(store.recovery.cancelled.map(\.name) == cancelled)
        #expect(store.recovery.asked.map(\.name) == asked)
        await door.comers(4 + resumed.count)
        #expect(started.value.sorted() == resumed.sorted())
        try await store.flush()
        #expect(
            try deaths("SELECT count(*) FROM effect_run WHERE status = 'cancelled'") == ["\(cancelled.count)"])
        #expect(store.state.log.isEmpty)
        try await journal.close()
    }

    @Test func `an effect that is asked about is listed, and runs when it is released`() async throws {
        try await killed()
        let journal = try deaths.open()
        let store = try await open(journal)
        let asked = try await store.liveRuns().filter { $0.status == .asked }
        #expect(asked.map(\.name) == ["ask x"])
        let key = try #require(asked.first?.key)
        try await store.release(key)
        door.open()
        _ = try await store.dispatch(.add(1)) { $0.log.contains("ask x") }
        #expect(started.value.contains("ask x"))
        let error = await journalError { try await store.release(key) }
        #expect(error?.code == .notInThatState)
        #expect(try journal.reader.interventions(in: "a").map(\.act) == [.release])
        #expect(try journal.reader.interventions(in: "a").first?.before == .asked)
        try await journal.close()
    }

    @Test(arguments: ["by its key", "by its ID", "from a reducer", "by an operator", "by an operator, open"])
    func `an effect that is asked about can be cancelled`(_ how: String) async throws {
        try await killed()
        var journal = try deaths.open()
        var store = try await open(journal)
        switch how {
        case "by its key": try await store.cancel(RunKey(step: 3))
        case "by an operator, open":
            let run = try await journal.cancel(RunKey(step: 3), in: "a", reason: "not wanted", user: "ann")
            #expect(run.status == .cancelled)
            #expect(try journal.reader.interventions(in: "a").last?.user == "ann")
        case "by its ID": try await store.cancel(id: "ask x")
        case "from a reducer":
            try await store.dispatch(.cancel("ask x"))
            try await store.flush()
        default:
            try await store.close()
            try await journal.cancel(RunKey(step: 3), in: "a", reason: "not wanted")
            store = try await open(journal)
        }
        #expect(try deaths("SELECT status FROM effect_run WHERE name = 'ask x'") == ["cancelled"])
        #expect(try await store.liveRuns().map(\.name).contains("ask x") == false)
        try await journal.close()
        journal = try deaths.open()
        store = try await open(journal)
        #expect(store.recovery.asked.isEmpty)
        #expect(started.value.contains("ask x") == false)
        try await journal.close()
    }

    @Test func `an effect that an unsettled step cancels is cancelled before it can start`()
        async throws
    {
        try await killed()
        let journal = try deaths.open()
        // As if the process had been killed between the append of these and their reduction.
        let stream = try await journal.openStream("a", machine: "play")
        try await stream.append(contentsOf: [#"{"cancel":{"_0":"resume x"}}"#, #"{"cancel":{"_0":"ask x"}}"#])
        try await stream.close()
        let store = try await open(journal)
        try await store.flush()
        #expect(
            try deaths("SELECT name, status FROM effect_run WHERE name IN ('resume x', 'ask x') ORDER BY step")
                == ["resume x|cancelled", "ask x|cancelled"])
        #expect(started.value.isEmpty)
        #expect(store.recovery.resumed.isEmpty)
        #expect(store.recovery.asked.isEmpty)
        try await journal.close()
    }

    @Test func `a failed effect can be retried by hand, and a completed one cannot`()
        async throws
    {
        let journal = try deaths.open()
        let fails = Box(true)
        let store = try await journal.openPlay { [fails] name in
            .run(name, id: name) {
                if fails.value { throw EffectFailure(description: "no") }
                return .ended(name)
            }
        }
        await (try store.dispatch(.start("x"))).completion()
        try await store.flush()
        #expect(try deaths("SELECT status, attempts FROM effect_run") == ["failed|1"])
        fails.change { $0 = false }
        try await store.retry(RunKey(step: 1))
        _ = try await store.dispatch(.add(1)) { $0.log == ["x"] }
        try await store.flush()
        #expect(try deaths("SELECT status, attempts FROM effect_run") == ["completed|2"])
        let error = await journalError { try await store.retry(RunKey(step: 1)) }
        #expect(error?.code == .notInThatState)
        #expect(error?.step == 1)
        #expect(await journalError { try await store.retry(RunKey(step: 2)) }?.code == .noSuchStep)
        try await journal.close()
    }

    @Test func `a restored closure and its record have the policies of the current code`() async throws {
        struct Before: Oldest1SuspendNewEffectQueue {}
        struct Now: Oldest1SuspendNewEffectQueue {}
        var journal = try deaths.open()
        let first = try await journal.openPlay { [door] name in
            .fireAndForget(name, queue: Before(), restart: .ask) { await door.pass() }
        }
        try await first.dispatch(.start("x"))
        await door.comers(1)
        try await first.flush()
        try deaths.kill()
        try await journal.close()
        journal = try deaths.open()
        let store = try await journal.openPlay { [door] name in
            .fireAndForget(name, queue: Now(), retry: .constant(maxAttempts: 2)) { await door.pass() }
        }
        await door.comers(2)
        try await store.flush()
        let row = try deaths("SELECT queue, restart, retry IS NULL FROM effect_run")
        #expect(row.count == 1)
        #expect(row.first?.contains("Now") == true)
        #expect(row.first?.hasSuffix("|resume|0") == true)
        try await journal.close()
    }

    @Test func `an orphan whose action cannot be decoded stays an orphan and is reported`() async throws {
        var journal = try deaths.open()
        let first = try await journal.openPlay { [door] name in
            .fireAndForget(name) { await door.pass() }.onOrphan(.ended("told"))
        }
        try await first.dispatch(.start("x"))
        try await first.flush()
        try await journal.close()
        try Shell(deaths.path).change("UPDATE effect_run SET on_orphan = '{\"fly\":{}}'")
        journal = try deaths.open()
        let store = try await journal.openPlay()
        #expect(try await store.liveRuns().map(\.status) == [.orphaned])
        #expect(deaths.notices.value.map(\.kind) == [.recordIncomplete])
        #expect(deaths.notices.value.first?.error.code == .notDecodable)
        try await journal.close()
    }

    @Test func `an opening fails if the queue of a described effect has no record`() async throws {
        var journal = try deaths.open()
        let chores: Performing = { _, _ in
            try await forever()
            return nil
        }
        struct Line: Oldest1SuspendNewEffectQueue {}
        let effects: @Sendable (String) -> Effect<Play> = { .perform(Chore.sweep($0), queue: Line()) }
        let first = try await journal.openChores(clock: deaths.clock, effects: effects, perform: chores)
        try await first.dispatch(.start("hall"))
        try await first.flush()
        try await journal.close()
        try Shell(deaths.path).change("DELETE FROM effect_queue")
        journal = try deaths.open()
        let error = await journalError {
            try await journal.openChores(clock: deaths.clock, effects: effects, perform: chores)
        }
        #expect(error?.code == .notDecodable)
        #expect(error?.step == 1)
        try await journal.close()
    }

    @Test(arguments: [
        (#"{"fly":{}}"#, "at JournalStoreTests.Chore."),
        (#"{"sweep":{}}"#, ": no '_0' at JournalStoreTests.Chore.sweep."),
    ])
    func `an opening fails if a described effect cannot be decoded, and names the effect and the place`(
        value: String, place: String
    ) async throws {
        var journal = try deaths.open()
        let chores: Performing = { _, _ in
            try await forever()
            return nil
        }
        let first = try await journal.openChores(clock: deaths.clock, perform: chores)
        try await first.dispatch(.start("hall"))
        try await first.flush()
        try await journal.close()
        try Shell(deaths.path).change(#"UPDATE effect_run SET described = '{"JournalStoreTests.Chore":\#(value)}'"#)
        journal = try deaths.open()
        let error = await journalError { try await journal.openChores(clock: deaths.clock, perform: chores) }
        #expect(error?.code == .notDecodable)
        #expect(error?.step == 1)
        #expect(error?.message.hasPrefix("The effect 'sweep' (1.0) cannot be decoded.") == true)
        #expect(error?.message.hasSuffix(place) == true, "\(error?.message ?? "")")
        #expect(error?.advice.contains("journal-replay cancel") == true)
        // Follows the advice.
        try await journal.cancel(RunKey(step: 1), in: "a")
        let store = try await journal.openChores(clock: deaths.clock, perform: chores)
        #expect(try await store.liveRuns().isEmpty)
        try await journal.close()
    }

    @Test func `a timer cannot be retried by hand, and a message cannot be cancelled by hand`() async throws {
        let journal = try deaths.open()
        let other = Machine<Int, Int, Void>("other", initialState: 0, update: { $0 += $1 })
        let machine = Machine<Play, Score, Stage>("play", initialState: Score()) { action, _, _ in
            if case .add = action { .after(.seconds(60), .ended("x")) } else { .none }
        }
        .connected(to: other, stream: "other") { $0.step == 1 ? 7 : nil }
        let store = try await journal.open(machine, stream: "a", environment: Stage(), clock: deaths.clock)
        _ = try await store.dispatch(.add(1))
        try await Entry.arrives(of: "other", in: journal)
        let timer = await journalError { try await store.retry(RunKey(step: 1)) }
        #expect(timer?.message == "The effect 'ended' (1.0) is a timer.")
        let message = await journalError { try await store.retry(RunKey(step: 1, ordinal: 1)) }
        #expect(message?.message == "The effect 'other' (1.1) is completed.")
        try await store.close()
        try Shell(deaths.path).change("UPDATE effect_run SET status = 'waiting' WHERE name = 'other'")
        let cancelled = await journalError {
            try await journal.cancel(RunKey(step: 1, ordinal: 1), in: "a")
        }
        #expect(cancelled?.message == "The effect 'other' (1.1) is a message to another machine.")
        #expect(cancelled?.stream == "a")
        try await journal.close()
    }

    @Test func `code that returns other effects is refused if the app asks for that, and nothing changes`()
        async throws
    {
        try await killed()
        let journal = try deaths.open()
        let before = try deaths("SELECT name, status FROM effect_run")
        var options = OpenOptions()
        options.differences = .refuse
        let error = await journalError {
            try await journal.open(play, stream: "a", environment: Stage(), options: options)
        }
        #expect(error?.code == .otherEffects)
        #expect(error?.step == 1)
        #expect(try deaths("SELECT name, status FROM effect_run") == before)
        // By default the opening succeeds and reports them.
        let store = try await journal.open(play, stream: "a", environment: Stage())
        #expect(store.recovery.orphaned.map(\.name) == ["resume x", "cancel x", "ask x", "dispatch x"])
        #expect(try await store.liveRuns().map(\.status) == [.orphaned, .orphaned, .orphaned, .orphaned])
        // The code returns them again.
        try await store.close()
        let again = try await open(journal, options)
        #expect(again.recovery.orphaned.isEmpty)
        #expect(again.recovery.resumed.map(\.name) == ["resume x"])
        try await journal.close()
    }

    @Test func `a long replay reports its progress`() async throws {
        let journal = try deaths.open()
        var store = try await journal.openPlay()
        try await store.dispatch(contentsOf: Array(repeating: .add(1), count: 3000))
        try await store.close()
        try Shell(deaths.path).change("DELETE FROM snapshot")
        let told = Box<[ReplayProgress]>([])
        var options = OpenOptions()
        options.progress = { step in told.change { $0.append(step) } }
        store = try await journal.open(play, stream: "a", environment: Stage(), options: options)
        #expect(store.state.sum == 3000)
        #expect(told.value.map(\.step) == [1024, 2048])
        #expect(told.value.allSatisfy { $0.last == 3000 })
        try await journal.close()
    }
}

extension Entry {
    /// Waits until a stream has an entry.
    fileprivate static func arrives(of stream: String, in journal: Journal) async throws {
        for try await entry in journal.reader.follow(after: 0) where entry.stream == stream { return }
        Issue.record("The journal ended before the stream '\(stream)' had an entry.")
    }
}
