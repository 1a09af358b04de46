import JournalTesting
import Testing

@testable import JournalStore

@Suite struct `Initial effects` {
    let deaths: Deaths
    let started = Box<[String]>([])

    init() throws { deaths = try Deaths() }

    private func machine(_ door: Door) -> Machine<Play, Score, Stage> {
        var machine = play
        machine.initialEffect =
            .run("listen", id: "listen") { [started] context in
                started.change { $0.append("\(context.step) \(context.isResumed) \(context.idempotencyKey)") }
                await door.pass()
                return .ended("listened")
            } + .after(.seconds(60), .add(5), id: "timer")
        return machine
    }

    @Test func `an initial effect starts once per stream and is resumed after a restart`() async throws {
        let closed = Door()
        var journal = try deaths.open()
        var store = try await journal.open(machine(closed), stream: "a", environment: Stage(), clock: deaths.clock)
        await closed.comers(1)
        try await store.flush()
        try deaths.kill()
        try await journal.close()
        #expect(try deaths("SELECT step, name, status FROM running_effects") == ["0|listen|running", "0|add|delayed"])

        journal = try deaths.open()
        let door = Door()
        door.open()
        store = try await journal.open(machine(door), stream: "a", environment: Stage(), clock: deaths.clock)
        _ = try await store.dispatch(.add(1)) { $0.log == ["listened"] }
        deaths.clock.move(by: .seconds(60))
        _ = try await store.dispatch(.add(1)) { $0.sum == 7 }
        try await store.close()

        store = try await journal.open(machine(door), stream: "a", environment: Stage(), clock: deaths.clock)
        #expect(try await store.liveRuns().isEmpty)
        #expect(started.value.count == 2)
        let keys = started.value.map { $0.split(separator: " ") }
        #expect(keys.map { $0[0] } == ["0", "0"])
        #expect(keys.map { $0[1] } == ["false", "true"])
        #expect(keys[0][2] == keys[1][2])
        #expect(try journal.reader.verify().isSound)
        try await journal.close()
    }

    @Test func `an initial effect also starts if another machine created the stream`() async throws {
        let journal = try deaths.open()
        let door = Door()
        door.open()
        let sender = Machine<Int, Int, Void>("sender", initialState: 0, update: { $0 += $1 })
            .connected(to: play, stream: "a") { .add($0.action) }
        let other = try await journal.open(sender, stream: "sender")
        await (try other.dispatch(5)).completion()
        let store = try await journal.open(machine(door), stream: "a", environment: Stage(), clock: deaths.clock)
        #expect(try await store.dispatch(.add(1)) { $0.log == ["listened"] }.sum == 6)
        #expect(started.value.count == 1)
        try await journal.close()
    }

    @Test func `an initial effect that the code does not have any more is an orphan`() async throws {
        let door = Door()
        var journal = try deaths.open()
        let store = try await journal.open(machine(door), stream: "a", environment: Stage(), clock: deaths.clock)
        await door.comers(1)
        try await store.flush()
        try await journal.close()
        journal = try deaths.open()
        let other = try await journal.openPlay(clock: deaths.clock)
        #expect(other.recovery.orphaned.map(\.name) == ["listen"])
        #expect(other.recovery.resumed.map(\.name) == ["add"])
        try await journal.close()
    }

    @Test func `an ephemeral initial effect starts once in the life of a stream`() async throws {
        let journal = try deaths.open()
        var machine = play
        machine.initialEffect = .ephemeral("hello") { [started] _ in started.change { $0.append("hello") } }
        for _ in 0..<3 {
            let store = try await journal.open(machine, stream: "a", environment: Stage(), clock: deaths.clock)
            try await store.flush()
            while started.value.isEmpty { await Task.yield() }
            try await store.close()
        }
        #expect(started.value == ["hello"])
        #expect(try deaths("SELECT settled_step, begun FROM stream") == ["0|1"])
        try await journal.close()
    }
}
