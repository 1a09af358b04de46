import JournalStore
import Testing

@Suite struct `Actomaton: priority` {
    /// What `Task.currentPriority` was in each body.
    private let seen = Box<[String: TaskPriority]>([:])

    private func open(_ bench: Workbench) async throws -> Store<Play, Score> {
        try await bench.openPlay { [seen] name in
            let note: @Sendable (String) -> Void = { body in seen.change { $0[body] = Task.currentPriority } }
            return switch name {
            case "top":
                .run("own", priority: .background) {
                    note("own")
                    return .start("after own")
                }
                    + .run("none") {
                        note("none")
                        return .start("after none")
                    }
            case "after own", "after none":
                .run(name) {
                    note(name)
                    return nil
                }
                    + .stream("talk", priority: .background) { send, _ in
                        note("other than what led to it: \(name)")
                    }
            default: .none
            }
        }
    }

    @Test(arguments: [TaskPriority.high, .low])
    func `an effect has its own or its dispatch's priority; feedback inherits it`(_ priority: TaskPriority) async throws
    {
        let bench = try Workbench()
        let store = try await open(bench)
        let dispatched = try await store.dispatch(.start("top"), priority: priority, trackingFeedback: true)
        await dispatched.completion()
        #expect(
            seen.value == [
                "own": .background, "none": priority, "after own": .background, "after none": priority,
                "other than what led to it: after own": .background,
                "other than what led to it: after none": .background,
            ])
        try await bench.journal.close()
    }

    @Test func `actions that are dispatched together have the priority of their dispatch`() async throws {
        let bench = try Workbench()
        let seen = self.seen
        let store = try await bench.openPlay { name in
            .fireAndForget(name) { seen.change { $0[name] = Task.currentPriority } }
        }
        let together = try await store.dispatch(contentsOf: [.start("a"), .start("b")], priority: .high)
        let alone = try await store.dispatch(.start("c"), priority: .low)
        for dispatched in together + [alone] { await dispatched.completion() }
        #expect(seen.value == ["a": .high, "b": .high, "c": .low])
        try await bench.journal.close()
    }
}
