import JournalStore
import Testing

@Suite struct `Actomaton: queue policies` {
    struct Queue: EffectQueue {
        var effectQueuePolicy: EffectQueuePolicy

        init(_ policy: EffectQueuePolicy) { effectQueuePolicy = policy }

        static func == (left: Queue, right: Queue) -> Bool { true }
        func hash(into hasher: inout Hasher) {}
        init(from decoder: any Decoder) { effectQueuePolicy = .runNewest(maxCount: 1) }
        func encode(to encoder: any Encoder) throws { try "queue".encode(to: encoder) }
    }

    private struct Newest: Newest1EffectQueueProtocol {}
    private struct Discarding: Oldest1DiscardNewEffectQueueProtocol {}
    private struct Suspending: Oldest1SuspendNewEffectQueueProtocol {}

    /// The statuses of five effects that were dispatched one after the other.
    private static let table: [(name: String, queue: any EffectQueue, expected: [String])] = [
        ("newest 1", Queue(.runNewest(maxCount: 1)), ["evicted", "evicted", "evicted", "evicted", "running"]),
        ("newest 2", Queue(.runNewest(maxCount: 2)), ["evicted", "evicted", "evicted", "running", "running"]),
        (
            "suspending 2", Queue(.runOldest(maxCount: 2, .suspendNew)),
            ["running", "running", "waiting", "waiting", "waiting"]
        ),
        (
            "discarding 2", Queue(.runOldest(maxCount: 2, .discardNew)),
            ["running", "running", "discarded", "discarded", "discarded"]
        ),
        ("ready-made newest", Newest(), ["evicted", "evicted", "evicted", "evicted", "running"]),
        ("ready-made discarding", Discarding(), ["running", "discarded", "discarded", "discarded", "discarded"]),
        ("ready-made suspending", Suspending(), ["running", "waiting", "waiting", "waiting", "waiting"]),
    ]

    @Test(arguments: table.map(\.name))
    func `the policy of a queue decides which effects run`(_ name: String) async throws {
        let bench = try Workbench()
        let row = try #require(Self.table.first { $0.name == name })
        let store = try await bench.openPlay { name in
            .run(name, queue: row.queue) {
                try await forever(); return nil
            }
        }
        for number in 1...5 { try await store.dispatch(.start("\(number)")) }
        #expect(try await bench.sql("SELECT status FROM effect_run ORDER BY step", after: store) == row.expected)
        #expect(try bench.sql("SELECT count(DISTINCT queue), sum(queue IS NULL) FROM effect_run") == ["1|0"])
        try await bench.journal.close()
    }

    @Test func `an evicted effect is cancelled, and none of its actions arrive`() async throws {
        let bench = try Workbench()
        let (door, started, ended) = (Door(), Signal(), Signal())
        let wasCancelled = Box<[Bool]>([])
        let store = try await bench.openPlay { name in
            guard name == "old" else { return .run(name, queue: Newest()) { .ended(name) } }
            return .stream(name, queue: Newest()) { send, _ in
                started.send()
                await door.pass()
                wasCancelled.change { $0.append(Task.isCancelled) }
                try? await send(.ended(name))
                ended.send()
            }
        }
        let old = try await store.dispatch(.start("old"))
        await started.wait()
        let new = try await store.dispatch(.start("new"))
        await old.completion()
        door.open()
        await ended.wait()
        await new.completion()
        #expect(wasCancelled.value == [true])
        #expect(store.state.log == ["new"])
        #expect(try await bench.runs(store) == ["old|evicted", "new|completed"])
        try await bench.journal.close()
    }

    @Test func `waiting effects run first in, first out`() async throws {
        let bench = try Workbench()
        let order = Box<[String]>([])
        let door = Door()
        let store = try await bench.openPlay { name in
            .run(name, queue: Suspending()) {
                await door.pass()
                order.change { $0.append(name) }
                return .ended(name)
            }
        }
        let names = (1...8).map { "\($0)" }
        var dispatched: [Dispatched<Play>] = []
        for name in names { dispatched.append(try await store.dispatch(.start(name))) }
        #expect(
            try await bench.sql("SELECT name FROM running_effects WHERE status = 'waiting'", after: store)
                == Array(names.dropFirst()))
        door.open()
        for dispatched in dispatched { await dispatched.completion() }
        #expect(order.value == names)
        #expect(store.state.log == names)
        #expect(
            try await bench.sql("SELECT name FROM effect_run WHERE status = 'completed' ORDER BY step", after: store)
                == names)
        try await bench.journal.close()
    }

    @Test func `a discarded effect never runs, and completion does not wait for it`() async throws {
        let bench = try Workbench()
        let ran = Box<[String]>([])
        let door = Door()
        let store = try await bench.openPlay { name in
            .run(name, queue: Discarding()) {
                ran.change { $0.append(name) }
                await door.pass()
                return .ended(name)
            }
        }
        let first = try await store.dispatch(.start("first"))
        let second = try await store.dispatch(.start("second"))
        await second.completion()
        #expect(second.errors.isEmpty)
        door.open()
        await first.completion()
        let third = try await store.dispatch(.start("third"))
        await third.completion()
        #expect(ran.value == ["first", "third"])
        #expect(
            try await bench.sql("SELECT name, status, attempts FROM effect_run", after: store)
                == ["first|completed|1", "second|discarded|0", "third|completed|1"])
        try await bench.journal.close()
    }

    @Test(arguments: [
        EffectQueuePolicy.runNewest(maxCount: 0), .runNewest(maxCount: -1), .runOldest(maxCount: 0, .suspendNew),
        .runOldest(maxCount: -5, .discardNew),
    ])
    func `a maximum below one fails the effect with an error that says so`(_ policy: EffectQueuePolicy) async throws {
        let bench = try Workbench()
        let ran = Box(0)
        let store = try await bench.openPlay { name in
            .run("sibling") { .ended("sibling") }
                + .run(name, queue: Queue(policy)) {
                    ran.change { $0 += 1 }
                    return nil
                }
        }
        let dispatched = try await store.dispatch(.start("x"))
        await dispatched.completion()
        #expect(ran.value == 0)
        #expect(store.state.log == ["sibling"])
        let error = try #require(dispatched.errors.first)
        #expect("\(error)".hasSuffix("Queue runs \(policy.maxCount) effects: it must be one or more."))
        #expect(
            try await bench.sql("SELECT status, error FROM effect_run WHERE ordinal = 1", after: store) == [
                "failed|\(error)"
            ])
        try await bench.journal.close()
    }

    @Test func `a slot is free when the effect itself has ended, even if its feedback's effects run`() async throws {
        let bench = try Workbench()
        let store = try await bench.openPlay { name in
            switch name {
            case "first": .run(name, queue: Suspending()) { .start("triggered") }
            case "triggered":
                .run(name) {
                    try await forever(); return nil
                }
            default: .run(name, queue: Suspending()) { .ended(name) }
            }
        }
        _ = try await store.dispatch(.start("first"), trackingFeedback: true)
        let second = try await store.dispatch(.start("second"))
        await second.completion()
        #expect(store.state.log == ["second"])
        #expect(
            try await bench.sql("SELECT name, status FROM effect_run ORDER BY name", after: store)
                == ["first|completed", "second|completed", "triggered|running"])
        try await bench.journal.close()
    }

    @Test(arguments: ["newest", "discarding", "suspending"])
    func `an effect's last action can start the next one in its queue`(_ name: String) async throws {
        let queues: [String: any EffectQueue] = [
            "newest": Newest(), "discarding": Discarding(), "suspending": Suspending(),
        ]
        let queue = try #require(queues[name])
        let bench = try Workbench()
        let store = try await bench.openPlay { name in
            let left = Int(name) ?? 0
            return .run(name, queue: queue) { left == 0 ? .ended("bottom") : .start("\(left - 1)") }
        }
        let dispatched = try await store.dispatch(.start("3"), trackingFeedback: true)
        await dispatched.completion()
        #expect(store.state.log == ["bottom"])
        #expect(try await bench.runs(store) == ["3|completed", "2|completed", "1|completed", "0|completed"])
        try await bench.journal.close()
    }
}
