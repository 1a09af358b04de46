import JournalStore
import Testing

@Suite struct `Actomaton: waiting effects` {
    private struct OneByOne: Oldest1SuspendNewEffectQueue {}

    private let ran = Box<[String]>([])
    private let door = Door()

    private func open(_ bench: Workbench) async throws -> Store<Play, Score> {
        try await bench.openPlay { [ran, door] name in
            switch name {
            case "cancel anonymous": return .cancel { $0 == nil }
            case "cancel texts": return .cancel(ids: String.self)
            default:
                return .run(name, id: name.hasPrefix("no ID") ? nil : name, queue: OneByOne()) {
                    ran.change { $0.append(name) }
                    await door.pass()
                    return .ended(name)
                }
            }
        }
    }

    @Test(arguments: [
        (Play.cancel("b"), ["b"]), (.start("cancel texts"), ["a", "b", "c"]),
        (.start("cancel anonymous"), ["no ID 1", "no ID 2"]),
    ])
    func `waiting effects are cancelled by ID or predicate, also those without an ID`(
        _ action: Play, _ cancelled: [String]
    ) async throws {
        let bench = try Workbench()
        let store = try await open(bench)
        let names = ["a", "no ID 1", "b", "no ID 2", "c"]
        var dispatched: [Dispatched<Play>] = []
        for name in names { dispatched.append(try await store.dispatch(.start(name))) }
        await door.comers(1)
        try await store.dispatch(action)
        #expect(
            try await bench.sql("SELECT name FROM effect_run WHERE status = 'cancelled' ORDER BY step", after: store)
                == cancelled)
        door.open()
        for dispatched in dispatched { await dispatched.completion() }
        let left = names.filter { !cancelled.contains($0) }
        #expect(ran.value == ["a"] + left.filter { $0 != "a" }, "what was cancelled while it waited never started")
        #expect(store.state.log == left)
        try await bench.journal.close()
    }

    @Test func `a cancel of the dispatch ends its waiting effect, which never starts`() async throws {
        let bench = try Workbench()
        let store = try await open(bench)
        let first = try await store.dispatch(.start("a"))
        let second = try await store.dispatch(.start("b"))
        await door.comers(1)
        try await second.cancel()
        #expect(try bench.sql("SELECT name FROM effect_run WHERE status = 'cancelled'") == ["b"])
        door.open()
        await first.completion()
        await second.completion()
        #expect(ran.value == ["a"])
        #expect(try await bench.runs(store) == ["a|completed", "b|cancelled"])
        try await bench.journal.close()
    }

    @Test func `waiting effects run at their own priority`() async throws {
        let bench = try Workbench()
        let seen = Box<[String]>([])
        let door = self.door
        let store = try await bench.openPlay { name in
            .run(name, queue: OneByOne(), priority: name == "high" ? .high : .low) {
                seen.change { $0.append("\(name) \(Task.currentPriority == .high ? "high" : "low")") }
                await door.pass()
                return nil
            }
        }
        let first = try await store.dispatch(.start("low"))
        let second = try await store.dispatch(.start("high"))
        let third = try await store.dispatch(.start("low"))
        #expect(
            try await bench.sql("SELECT status FROM effect_run ORDER BY step", after: store) == [
                "running", "waiting", "waiting",
            ])
        door.open()
        for dispatched in [first, second, third] { await dispatched.completion() }
        #expect(seen.value == ["low low", "high high", "low low"])
        try await bench.journal.close()
    }
}
