import JournalStore
import Testing

@Suite struct `Actomaton: a changing queue` {
    /// Equality compares only the name, so each instance can set another maximum.
    private struct Downloads: EffectQueue {
        var name = "downloads"
        var maxCount: Int

        var effectQueuePolicy: EffectQueuePolicy { .runOldest(maxCount: maxCount, .suspendNew) }
        static func == (left: Downloads, right: Downloads) -> Bool { left.name == right.name }
        func hash(into hasher: inout Hasher) { hasher.combine(name) }
    }

    private let maximum = Box(1)
    private let door = Door()

    private func open(_ bench: Workbench) async throws -> Store<Play, Score> {
        try await bench.openPlay { [maximum, door] name in
            let queue = Downloads(maxCount: maximum.value)
            if name == "update" { return .updateQueue(queue) }
            return .run(name, queue: name == "other" ? Downloads(name: "other", maxCount: 1) : queue) {
                await door.pass()
                return .ended(name)
            }
        }
    }

    private func statuses(_ bench: Workbench, _ store: Store<Play, Score>) async throws -> [String] {
        try await bench.sql("SELECT status FROM effect_run ORDER BY step", after: store)
    }

    @Test func `equal queues are one queue, and the newest instance sets its maximum`() async throws {
        let bench = try Workbench()
        let store = try await open(bench)
        for name in ["a", "b", "other"] { try await store.dispatch(.start(name)) }
        #expect(try await statuses(bench, store) == ["running", "waiting", "running"])
        maximum.change { $0 = 3 }
        try await store.dispatch(.start("c"))
        #expect(try await statuses(bench, store) == ["running", "running", "running", "running"])
        try await store.dispatch(.start("d"))
        #expect(try await statuses(bench, store).last == "waiting")
        door.open()
        try await bench.journal.close()
    }

    @Test func `updateQueue applies the new maximum at once`() async throws {
        let bench = try Workbench()
        let store = try await open(bench)
        for name in ["a", "b", "c", "d"] { try await store.dispatch(.start(name)) }
        #expect(try await statuses(bench, store) == ["running", "waiting", "waiting", "waiting"])
        maximum.change { $0 = 3 }
        try await store.dispatch(.start("update"))
        #expect(try await statuses(bench, store) == ["running", "running", "running", "waiting"])
        await door.comers(3)
        #expect(
            try bench.sql("SELECT effects LIKE '[{\"updateQueue\":%Downloads%' FROM step_record WHERE step = 5") == [
                "1"
            ])
        door.open()
        try await bench.journal.close()
    }

    @Test func `a smaller maximum cancels nothing`() async throws {
        let bench = try Workbench()
        maximum.change { $0 = 3 }
        let store = try await open(bench)
        var dispatched: [Dispatched<Play>] = []
        for name in ["a", "b", "c"] { dispatched.append(try await store.dispatch(.start(name))) }
        maximum.change { $0 = 1 }
        try await store.dispatch(.start("update"))
        #expect(try await statuses(bench, store) == ["running", "running", "running"])
        dispatched.append(try await store.dispatch(.start("d")))
        #expect(try await statuses(bench, store) == ["running", "running", "running", "waiting"])
        door.open()
        for dispatched in dispatched { await dispatched.completion() }
        #expect(Set(store.state.log) == ["a", "b", "c", "d"])
        #expect(store.state.log.last == "d")
        try await bench.journal.close()
    }

    @Test func `an update to a maximum below one changes nothing`() async throws {
        let bench = try Workbench()
        let store = try await open(bench)
        let first = try await store.dispatch(.start("a"))
        let second = try await store.dispatch(.start("b"))
        maximum.change { $0 = 0 }
        try await store.dispatch(.start("update"))
        door.open()
        await first.completion()
        await second.completion()
        #expect(store.state.log == ["a", "b"])
        try await bench.journal.close()
    }
}
