import JournalStore
import Testing

@Suite struct `Actomaton: effects` {
    @Test(arguments: [Effect<Play>.none, .empty, .combine([])])
    func `none, empty and an empty combine do nothing`(_ effect: Effect<Play>) async throws {
        let bench = try Workbench()
        let store = try await bench.openPlay { _ in effect }
        let dispatched = try await store.dispatch(.start("x"))
        await dispatched.completion()
        #expect(try await bench.sql("SELECT step, outcome FROM journal", after: store) == ["1|reduced"])
        #expect(try bench.sql("SELECT count(*) FROM step_record") == ["0"])
        try await bench.journal.close()
    }

    @Test func `next is reduced at once, depth first and in order, as part of its step`() async throws {
        let bench = try Workbench()
        let store = try await bench.openPlay { name in
            switch name {
            case "top": .next(.start("a")) + .nextAction(.ended("d"))
            default: .next(.ended("b")) + .next(.ended("c"))
            }
        }
        try await store.dispatch(.start("top"))
        #expect(store.state.log == ["b", "c", "d"], "dispatch returns after the whole cascade")
        #expect(try await bench.sql("SELECT step, name FROM journal", after: store) == ["1|start"])
        #expect(
            try bench.sql("SELECT step, cascade FROM step_record") == [
                #"1|[{"start":{"_0":"a"}},{"ended":{"_0":"b"}},{"ended":{"_0":"c"}},{"ended":{"_0":"d"}}]"#
            ])
        try await bench.journal.close()
    }

    @Test func `run sends the action that its body returns, if any`() async throws {
        let bench = try Workbench()
        let store = try await bench.openPlay { name in
            name == "quiet" ? .run("quiet") { nil } : Effect { .ended("loud") }
        }
        for name in ["quiet", "loud"] {
            let dispatched = try await store.dispatch(.start(name))
            await dispatched.completion()
        }
        #expect(store.state.log == ["loud"])
        #expect(
            try await bench.sql("SELECT step, name, origin, cause FROM journal", after: store) == [
                "1|start|dispatched|", "2|start|dispatched|", "3|ended|effect|step 2, effect 0",
            ])
        #expect(
            try bench.sql("SELECT name, status, attempts, delivered FROM effect_run")
                == ["quiet|completed|1|0", "start|completed|1|1"])
        try await bench.journal.close()
    }

    @Test func `fireAndForget runs its body and sends nothing`() async throws {
        let bench = try Workbench()
        let done = Box(0)
        let store = try await bench.openPlay { _ in
            .fireAndForget("log") { done.change { $0 += 1 } }
                + .fireAndForget("count") { context in done.change { $0 += 10 * context.step } }
        }
        let dispatched = try await store.dispatch(.start("x"))
        await dispatched.completion()
        #expect(done.value == 11)
        #expect(try await bench.sql("SELECT count(*) FROM entry", after: store) == ["1"])
        #expect(try await bench.runs(store) == ["log|completed", "count|completed"])
        try await bench.journal.close()
    }

    @Test func `sequence sends each of its elements, in order`() async throws {
        let bench = try Workbench()
        let store = try await bench.openPlay { name in
            let actions = AsyncStream<Play> { continuation in
                for number in 1...3 { continuation.yield(.ended("\(name) \(number)")) }
                continuation.finish()
            }
            return name == "a" ? .sequence { _ in actions } : Effect(sequence: { actions })
        }
        for name in ["a", "b"] {
            let dispatched = try await store.dispatch(.start(name))
            await dispatched.completion()
        }
        #expect(store.state.log == ["a 1", "a 2", "a 3", "b 1", "b 2", "b 3"])
        #expect(
            try await bench.sql("SELECT status, delivered FROM effect_run", after: store) == [
                "completed|3", "completed|3",
            ])
        #expect(
            try bench.sql("SELECT step, cause FROM journal WHERE origin = 'effect' LIMIT 2")
                == ["2|step 1, effect 0", "3|step 1, effect 0"])
        try await bench.journal.close()
    }

    @Test func `a sequence can be of any type`() async throws {
        struct Countdown: AsyncSequence, AsyncIteratorProtocol {
            var left: Int

            mutating func next() async -> Play? {
                guard left > 0 else { return nil }
                left -= 1
                return .ended("\(left)")
            }

            func makeAsyncIterator() -> Countdown { self }
        }
        let bench = try Workbench()
        let store = try await bench.openPlay { name in
            name == "countdown"
                ? .sequence { _ in Countdown(left: 2) }
                : .sequence { _ in
                    AsyncStream { continuation in
                        for number in 1...2 { continuation.yield(number) }
                        continuation.finish()
                    }.map { Play.ended("mapped \($0)") }
                }
        }
        for name in ["countdown", "mapped"] {
            let dispatched = try await store.dispatch(.start(name))
            await dispatched.completion()
        }
        #expect(store.state.log == ["1", "0", "mapped 1", "mapped 2"])
        #expect(
            try await bench.sql("SELECT status, delivered FROM effect_run", after: store) == [
                "completed|2", "completed|2",
            ])
        try await bench.journal.close()
    }

    @Test func `a sequence that throws sends its elements and then fails its effect`() async throws {
        struct Broken: Error {}
        let bench = try Workbench()
        let store = try await bench.openPlay { _ in
            .sequence { _ in
                AsyncThrowingStream<Play, any Error> { continuation in
                    continuation.yield(.ended("one"))
                    continuation.finish(throwing: Broken())
                }
            }
        }
        let dispatched = try await store.dispatch(.start("x"))
        await dispatched.completion()
        #expect(store.state.log == ["one"])
        #expect(dispatched.errors.count == 1 && dispatched.errors.first is Broken)
        #expect(
            try await bench.sql("SELECT status, delivered, error FROM effect_run", after: store) == [
                "failed|1|Broken()"
            ])
        try await bench.journal.close()
    }

    @Test func `the send function of a stream returns after its action is reduced`() async throws {
        let bench = try Workbench()
        let seen = Box<[[String]]>([])
        let (stores, handOver) = AsyncStream<Store<Play, Score>>.makeStream()
        let store = try await bench.openPlay { _ in
            .stream("talk") { send, context in
                for await store in stores {
                    for number in 1...3 {
                        try await send(.ended("\(number)"))
                        seen.change { $0.append(store.state.log) }
                    }
                    return
                }
            }
        }
        let dispatched = try await store.dispatch(.start("x"))
        handOver.yield(store)
        await dispatched.completion()
        #expect(seen.value == [["1"], ["1", "2"], ["1", "2", "3"]])
        #expect(
            try await bench.sql("SELECT name, delivered, status FROM effect_run", after: store) == ["talk|3|completed"])
        handOver.finish()
        try await bench.journal.close()
    }

    @Test func `+ and combine keep the order of the effects`() async throws {
        let bench = try Workbench()
        let store = try await bench.openPlay { _ in
            .run("a") { nil } + .none + .combine(.run("b") { nil }, .next(.ended("n")))
                + .combine([.run("c") { .ended("c") }])
        }
        let dispatched = try await store.dispatch(.start("x"))
        await dispatched.completion()
        #expect(store.state.log == ["n", "c"])
        #expect(
            try await bench.sql("SELECT ordinal, name FROM effect_run", after: store) == ["0|a", "1|b", "2|c"])
        #expect(try bench.sql("SELECT cause FROM journal WHERE step = 2") == ["step 1, effect 2"])
        #expect(try bench.sql("SELECT effects FROM step_record") == [#"[{"run":"a"},{"run":"b"},{"run":"c"}]"#])
        try await bench.journal.close()
    }
}
