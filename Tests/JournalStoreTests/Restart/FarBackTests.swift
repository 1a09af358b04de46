import JournalTesting
import Testing

@testable import JournalStore

/// Effects of steps that are far back: each 25th step has one, which reports the sum at that step.
@Suite struct `Effects of old steps` {
    private enum Action: Codable, Sendable, Equatable {
        case add(Int)
        case said(step: Int, sum: Int)
    }

    private struct Sums: Codable, Sendable, Equatable {
        var sum = 0
        var said: [Int: Int] = [:]
    }

    private struct World: Sendable {
        var reduced = Box<[Int]>([])
        var door = Door()
        var interval = 25
    }

    private static let machine = Machine<Action, Sums, World>("sums", initialState: Sums()) {
        action, sums, world, step in
        world.reduced.change { $0.append(step.number) }
        switch action {
        case .add(let number):
            sums.sum += number
            guard step.number.isMultiple(of: world.interval) else { return .none }
            return .run("say", id: step.number) { [world, sum = sums.sum, number = step.number] in
                await world.door.pass()
                return .said(step: number, sum: sum)
            }
        case .said(let step, let sum):
            sums.said[step] = sum
            return .none
        }
    }

    let deaths: Deaths

    init() throws { deaths = try Deaths() }

    private func open(_ world: World) async throws -> (Journal, Store<Action, Sums>) {
        let journal = try openJournal(deaths.path) { options in
            options.durability = .normal
            options.snapshots = SnapshotPolicy(everySteps: 300)
        }
        return (journal, try await journal.open(Self.machine, stream: "a", environment: world))
    }

    /// Five thousand steps; the process is killed while 200 effects run.
    private func killed() async throws {
        let world = World()
        let (journal, store) = try await open(world)
        for _ in 0..<50 { try await store.dispatch(contentsOf: Array(repeating: .add(1), count: 100)) }
        await world.door.comers(200)
        try await store.flush()
        try await journal.close()
    }

    @Test func `an effect is restored from the state of its own step, and no step is reduced twice`()
        async throws
    {
        try await killed()
        let world = World()
        let (journal, store) = try await open(world)
        #expect(store.recovery.resumed.count == 200)
        #expect(store.recovery.snapshotStep == 5000)
        let reduced = world.reduced.value
        #expect(Set(reduced).count == reduced.count, "a step was reduced twice")
        world.door.open()
        let end = try await store.dispatch(.add(0)) { $0.said.count == 200 }
        #expect(end.said == Dictionary(uniqueKeysWithValues: (1...200).map { ($0 * 25, $0 * 25) }))
        try await journal.close()
    }

    @Test func `pruning keeps what live effects need`() async throws {
        try await killed()
        let (first, _) = try await open(World(interval: .max))
        // Opens with other code: all effects are orphaned, and still live.
        try await first.close()
        var (journal, store) = try await open(World())
        #expect(store.recovery.resumed.count == 200)
        try await store.cancel { id in (id?.as(Int.self) ?? 0) > 1000 }
        try await journal.close()

        journal = try Journal(path: deaths.path)
        let report = try await journal.prune("a", before: 4900)
        #expect(report.removedEntries > 3000)
        #expect(report.keptEntries > 0)
        try await journal.close()
        let world = World()
        (journal, store) = try await open(world)
        #expect(store.recovery.resumed.count == 40)
        world.door.open()
        let end = try await store.dispatch(.add(0)) { $0.said.count == 40 }
        #expect(end.said == Dictionary(uniqueKeysWithValues: (1...40).map { ($0 * 25, $0 * 25) }))
        #expect(end.sum == 5000)
        #expect(try journal.reader.verify().isSound)
        try await journal.close()
    }
}
