import JournalStore
import Testing

@Suite struct `Actomaton: the result of a dispatch` {
    private struct Broken: Error, Equatable { var number: Int }

    @Test func `dispatch returns the step after the action is reduced`() async throws {
        let bench = try Workbench()
        let store = try await bench.openPlay { _ in .none }
        for number in 1...3 {
            let dispatched = try await store.dispatch(.add(number))
            #expect(dispatched.step == number)
            #expect(dispatched.outcome == .reduced)
            await dispatched.completion()
        }
        #expect(store.state.sum == 6)
        #expect(try await bench.sql("SELECT step FROM journal", after: store) == ["1", "2", "3"])
        try await bench.journal.close()
    }

    @Test func `completion waits for the dispatch's own effects and the reduction of their actions`() async throws {
        let bench = try Workbench()
        let store = try await bench.openPlay { name in
            switch name {
            case "chain": .run("first") { .start("endless") } + .run("second") { .ended("second") }
            default:
                .run(name) {
                    try await forever(); return nil
                }
            }
        }
        let dispatched = try await store.dispatch(.start("chain"))
        await dispatched.completion()
        #expect(store.state.log == ["second"])
        #expect(
            try await bench.sql("SELECT name, status FROM effect_run ORDER BY name", after: store)
                == ["endless|running", "first|completed", "second|completed"], "the feedback's effect still runs")
        try await bench.journal.close()
    }

    @Test func `completion with trackingFeedback waits for the effects of the feedback too`() async throws {
        let bench = try Workbench()
        let store = try await bench.openPlay { name in
            let left = Int(name) ?? 0
            return left == 0
                ? .next(.ended("bottom"))
                : .run(name) { .start("\(left - 1)") } + .stream("talk") { send, _ in try await send(.add(1)) }
        }
        let dispatched = try await store.dispatch(.start("20"), trackingFeedback: true)
        await dispatched.completion()
        #expect(store.state == Score(sum: 20, log: ["bottom"]))
        #expect(
            try await bench.sql(
                "SELECT count(*), sum(status = 'completed'), sum(root_step = 1) FROM effect_run", after: store)
                == ["40|40|40"])
        try await bench.journal.close()
    }

    @Test func `results arrive as the effects end, and a failing effect never ends its siblings`() async throws {
        let bench = try Workbench()
        let doors = (1...4).map { _ in Door() }
        let store = try await bench.openPlay { _ in
            .combine(
                (1...4).map { number in
                    .run("\(number)") {
                        await doors[number - 1].pass()
                        if number % 2 == 0 { throw Broken(number: number) }
                        return .ended("\(number)")
                    }
                })
        }
        let dispatched = try await store.dispatch(.start("x"))
        var results = dispatched.results.makeAsyncIterator()
        var seen: [String] = []
        for number in [2, 1, 4, 3] {
            doors[number - 1].open()
            switch try #require(await results.next()) {
            case .success(let action): seen.append("\(action)")
            case .failure(let error): seen.append("\(error)")
            }
        }
        #expect(seen == ["Broken(number: 2)", #"ended("1")"#, "Broken(number: 4)", #"ended("3")"#])
        #expect(await results.next() == nil, "the results end with the last effect")
        await dispatched.completion()
        #expect(dispatched.errors.compactMap { $0 as? Broken } == [Broken(number: 2), Broken(number: 4)])
        #expect(store.state.log == ["1", "3"])
        #expect(try await bench.runs(store) == ["1|completed", "2|failed", "3|completed", "4|failed"])
        try await bench.journal.close()
    }

    @Test func `results are those of the dispatch's own effects, or with trackingFeedback of all`() async throws {
        let bench = try Workbench()
        let store = try await bench.openPlay { name in
            switch name {
            case "top": .run("top") { .start("middle") }
            case "middle": .run("middle") { throw Broken(number: 1) } + .next(.start("bottom"))
            default: .run("bottom") { .ended("bottom") }
            }
        }
        for (tracks, expected) in [(false, ["start"]), (true, ["bottom", "broken", "start"])] {
            let dispatched = try await store.dispatch(.start("top"), trackingFeedback: tracks)
            var seen: [String] = []
            for await result in dispatched.results {
                switch result {
                case .success(.ended(let name)): seen.append(name)
                case .success: seen.append("start")
                case .failure: seen.append("broken")
                }
            }
            #expect(seen.sorted() == expected)
            #expect(dispatched.errors.count == (tracks ? 1 : 0))
        }
        try await bench.journal.close()
    }

    @Test func `the newest 1,024 results wait for a caller that does not read them`() async throws {
        let bench = try Workbench()
        let store = try await bench.openPlay { name in
            .stream(name) { send, _ in
                for number in 1...1_100 { try await send(.add(number)) }
            }
        }
        let dispatched = try await store.dispatch(.start("x"))
        await dispatched.completion()
        var numbers: [Int] = []
        for await case .success(.add(let number)) in dispatched.results { numbers.append(number) }
        #expect(numbers == Array(77...1_100))
        try await bench.journal.close()
    }

    @Test func `cancel ends the effects of the dispatch and its feedback, and returns after its commit`() async throws {
        let bench = try Workbench()
        let store = try await bench.openPlay { name in
            name == "top"
                ? .run("leads on") { .start("deeper") }
                    + .run("stays") {
                        try await forever(); return nil
                    }
                : .run(name) {
                    try await forever(); return nil
                }
        }
        let other = try await store.dispatch(.start("other"))
        let dispatched = try await store.dispatch(.start("top"), trackingFeedback: true)
        var results = dispatched.results.makeAsyncIterator()
        _ = await results.next()
        try await dispatched.cancel()
        #expect(
            try bench.sql("SELECT name, status FROM effect_run ORDER BY name") == [
                "deeper|cancelled", "leads on|completed", "other|running", "stays|cancelled",
            ])
        await dispatched.completion()
        #expect(dispatched.errors.isEmpty, "a cancellation is not an error")
        try await other.cancel()
        await other.completion()
        #expect(try bench.sql("SELECT count(*) FROM running_effects") == ["0"])
        try await bench.journal.close()
    }

    @Test func `the outcome of a rejected action has the reason`() async throws {
        let bench = try Workbench()
        let store = try await bench.openPlay { _ in .none }
        let dispatched = try await store.dispatch(.refuse)
        #expect(dispatched.outcome == .rejected(reason: "no"))
        await dispatched.completion()
        for await _ in dispatched.results { Issue.record("it has no effects") }
        try await dispatched.cancel()
        #expect(try await bench.sql("SELECT outcome FROM journal", after: store) == ["rejected"])
        try await bench.journal.close()
    }
}
