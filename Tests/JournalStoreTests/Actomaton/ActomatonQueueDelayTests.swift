import JournalStore
import JournalTesting
import Testing
import TortureKit

@Suite struct `Actomaton: queue delay` {
    struct Paced: EffectQueue {
        var from: Duration
        var to: Duration
        var effectQueuePolicy: EffectQueuePolicy { .runOldest(maxCount: 10, .suspendNew) }
        var effectQueueDelay: EffectQueueDelay { from == to ? .constant(from) : .random(from...to) }
    }

    /// A store whose effects have a paced queue and wait at a door.
    private static func open(
        _ bench: Workbench, _ door: Door, from: Duration, to: Duration
    ) async throws -> Store<Play, Score> {
        try await bench.openPlay { name in
            .run(name, id: name, queue: Paced(from: from, to: to)) {
                await door.pass()
                return .ended(name)
            }
        }
    }

    /// When each effect started, in microseconds since `Workbench.start`.
    private static let starts = "SELECT name, started - \(Workbench.start.microseconds) FROM effect_run ORDER BY step"

    @Test(arguments: [1, 9, 17, 18, 250, 300, 1000, 1333])
    func `a queue delay is the exact time between the starts of effects that wait`(_ milliseconds: Int) async throws {
        let bench = try Workbench()
        let door = Door()
        let delay = Duration.milliseconds(milliseconds)
        let store = try await Self.open(bench, door, from: delay, to: delay)
        for name in ["a", "b", "c"] { try await store.dispatch(.start(name)) }
        await door.comers(1)
        for count in 2...3 {
            await bench.clock.sleepers(1)
            #expect(bench.clock.nextWake == delay)
            bench.clock.move(by: bench.clock.nextWake ?? .zero)
            await door.comers(count)
        }
        #expect(
            try await bench.sql(Self.starts, after: store)
                == ["a|0", "b|\(1000 * milliseconds)", "c|\(2000 * milliseconds)"])
        door.open()
        try await bench.journal.close()
    }

    @Test func `a queue delay holds back neither the first effect nor one that comes later`() async throws {
        let bench = try Workbench()
        let door = Door()
        let store = try await Self.open(bench, door, from: .seconds(10), to: .seconds(10))
        try await store.dispatch(.start("a"))
        await door.comers(1)
        bench.clock.move(by: .seconds(4))
        try await store.dispatch(.start("b"))
        await bench.clock.sleepers(1)
        #expect(bench.clock.nextWake == .seconds(6), "start = max(now, last start + delay)")
        bench.clock.move(by: .seconds(6))
        await door.comers(2)
        bench.clock.move(by: .seconds(11))
        try await store.dispatch(.start("c"))
        await door.comers(3)
        #expect(try await bench.sql(Self.starts, after: store) == ["a|0", "b|10000000", "c|21000000"])
        door.open()
        try await bench.journal.close()
    }

    @Test func `a random delay is drawn once, recorded and kept`() async throws {
        let bench = try Workbench()
        let door = Door()
        let store = try await Self.open(bench, door, from: .seconds(1), to: .seconds(3))
        for name in ["a", "b", "c", "d"] { try await store.dispatch(.start(name)) }
        await door.comers(1)
        var delays: [Duration] = []
        for count in 2...4 {
            await bench.clock.sleepers(1)
            let delay = try #require(bench.clock.nextWake)
            let recorded = try await bench.sql(
                "SELECT not_before - \(bench.clock.wallClock().microseconds) FROM effect_run WHERE status = 'delayed' AND not_before NOT NULL",
                after: store)
            #expect(recorded == ["\(Int64(delay / .microseconds(1)))"])
            // Further events do not change it.
            try await store.dispatch(.add(1))
            #expect(bench.clock.nextWake == delay)
            bench.clock.move(by: delay)
            await door.comers(count)
            delays.append(delay)
        }
        for delay in delays { #expect(delay >= .seconds(1) && delay <= .seconds(3)) }
        #expect(Set(delays).count == 3, "each start has its own delay")
        door.open()
        try await bench.journal.close()
    }

    @Test func `an effect that is cancelled during its queue delay never starts`() async throws {
        let bench = try Workbench()
        let door = Door()
        let store = try await Self.open(bench, door, from: .seconds(1), to: .seconds(1))
        let ran = try await store.dispatch(.start("a"))
        let cancelled = try await store.dispatch(.start("b"))
        let last = try await store.dispatch(.start("c"))
        await door.comers(1)
        try await store.dispatch(.cancel("b"))
        await cancelled.completion()
        await bench.clock.sleepers(1)
        bench.clock.move(by: .seconds(1))
        await door.comers(2)
        door.open()
        await ran.completion()
        await last.completion()
        #expect(
            try await bench.sql("SELECT name, status, attempts, started IS NULL FROM effect_run", after: store)
                == ["a|completed|1|0", "b|cancelled|0|1", "c|completed|1|0"])
        try await bench.journal.close()
    }

    @Test func `a delayed effect keeps its start time across a restart`() async throws {
        let bench = try Workbench()
        let door = Door()
        let effects: @Sendable (String) -> Effect<Play> = { name in
            .run(name, queue: Paced(from: .seconds(1), to: .seconds(9))) {
                await door.pass()
                return nil
            }
        }
        let store = try await bench.openPlay(effects: effects)
        for name in ["a", "b"] { try await store.dispatch(.start(name)) }
        await bench.clock.sleepers(1)
        let delay = try #require(bench.clock.nextWake)
        bench.clock.move(by: .milliseconds(500))
        try await bench.journal.close()

        let journal = try bench.reopened()
        let again = try await journal.open(play, stream: "a", environment: Stage(effects: effects), clock: bench.clock)
        await bench.clock.sleepers(1)
        #expect(try #require(bench.clock.nextWake) == delay - .milliseconds(500))
        try await again.close()
        try await journal.close()
        door.open()
    }

    @Test func `a queue delay counts from the last start across a restart, even if that effect ended`() async throws {
        let bench = try Workbench()
        let effects: @Sendable (String) -> Effect<Play> = { name in
            .run(name, queue: Paced(from: .seconds(10), to: .seconds(10))) { .ended(name) }
        }
        let store = try await bench.openPlay(effects: effects)
        let first = try await store.dispatch(.start("a"))
        await first.completion()
        try await bench.journal.close()
        bench.clock.move(by: .seconds(4))

        let journal = try bench.reopened()
        let again = try await journal.open(play, stream: "a", environment: Stage(effects: effects), clock: bench.clock)
        try await again.dispatch(.start("b"))
        #expect(try await bench.sql("SELECT name, status FROM running_effects", after: again) == ["b|delayed"])
        await bench.clock.sleepers(1)
        #expect(bench.clock.nextWake == .seconds(6))
        try await journal.close()
    }

    @Test func `a queue delay counts from the last start, however late the sleep begins`() async throws {
        let folder = try TemporaryFolder()
        let clock = SlowClock()
        let journal = try openJournal(folder.path("a.db")) { $0.wallClock = { clock.wallClock } }
        let effects: @Sendable (String) -> Effect<Play> = { name in
            .run(name, queue: Paced(from: .seconds(100), to: .seconds(100))) {
                try await forever(); return nil
            }
        }
        let store = try await journal.open(play, stream: "a", environment: Stage(effects: effects), clock: clock)
        try await store.dispatch(contentsOf: [.start("a"), .start("b")])
        let deadline = await clock.deadline()
        try await store.flush()
        let rows = try Shell(folder.path("a.db"), readOnly: true)("SELECT not_before FROM effect_run WHERE name = 'b'")
        // The two clocks are read one after the other, a second apart.
        let noted = try #require(rows.first.flatMap { Int64($0) })
        #expect(clock.time(at: deadline).microseconds - noted == 1_000_000)
        try await journal.close()
    }
}

/// A clock that advances by a second each time it is read, like on a busy machine.
private final class SlowClock: Clock {
    typealias Instant = ManualClock.Instant

    private let start = ManualClock().now
    private let looks = Box(0)
    private let asked = Box<Instant?>(nil)
    private let wasAsked = Signal()

    var now: Instant {
        start.advanced(
            by: .seconds(
                looks.change { looks in
                    looks += 1
                    return looks
                }))
    }

    var minimumResolution: Duration { .zero }
    var wallClock: Timestamp { time(at: start.advanced(by: .seconds(looks.value))) }

    func time(at instant: Instant) -> Timestamp {
        Timestamp(microseconds: Workbench.start.microseconds + Int64(start.duration(to: instant) / .microseconds(1)))
    }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        asked.change { $0 = $0 ?? deadline }
        wasAsked.send()
        try await forever()
    }

    /// The deadline of the first sleep.
    func deadline() async -> Instant {
        await wasAsked.wait()
        return asked.value ?? start
    }
}
