import JournalStore
import Testing

@Suite struct `Actomaton: contramap` {
    private enum Whole: Codable, Sendable, Equatable {
        case left(Int)
        case right(Int)
    }

    private struct Pair: Codable, Sendable, Equatable {
        var left = 0
        var right: Int?
    }

    private enum Screen: Codable, Sendable, Equatable {
        case counter(Int)
        case empty
    }

    /// Adds the action times the environment; an action of 10 or more starts an effect that sends 1.
    private static let adder = Reducer<Int, Int, Int> { action, state, factor in
        state += action * factor
        return action < 10 ? .none : .run("more") { 1 }
    }

    private static let left = CasePath<Whole, Int>(
        embed: { .left($0) },
        extract: {
            guard case .left(let value) = $0 else { return nil }
            return value
        })

    private static let counter = CasePath<Screen, Int>(
        embed: { .counter($0) },
        extract: {
            guard case .counter(let value) = $0 else { return nil }
            return value
        })

    @Test func `contramap of the action by case path ignores the other cases`() async throws {
        let bench = try Workbench()
        let store = try await bench.journal.open(
            Machine("adder", initialState: 0, reducer: Self.adder.contramap(action: Self.left)), stream: "a",
            environment: 1)
        let other = try await store.dispatch(.right(10))
        #expect(store.state == 0)
        await other.completion()
        let own = try await store.dispatch(.left(10))
        await own.completion()
        #expect(store.state == 11)
        #expect(
            try await bench.sql("SELECT step, name, action, origin, cause FROM journal", after: store) == [
                #"1|right|{"right":{"_0":10}}|dispatched|"#, #"2|left|{"left":{"_0":10}}|dispatched|"#,
                #"3|left|{"left":{"_0":1}}|effect|step 2, effect 0"#,
            ])
        #expect(try bench.sql("SELECT step, name FROM effect_run") == ["2|more"])
        try await bench.journal.close()
    }

    @Test func `contramap of the action by functions ignores an action without the part`() async throws {
        let bench = try Workbench()
        let reducer = Self.adder.contramap(action: { Int($0) }, embed: { (value: Int) in "\(value)" })
        let store = try await bench.journal.open(
            Machine("adder", initialState: 0, reducer: reducer), stream: "a", environment: 1)
        let dispatched = try await store.dispatch(contentsOf: ["no number", "12"])
        await dispatched[1].completion()
        #expect(store.state == 13)
        #expect(
            try await bench.sql("SELECT step, name, origin FROM journal", after: store)
                == ["1|no number|dispatched", "2|12|dispatched", "3|1|effect"])
        try await bench.journal.close()
    }

    @Test func `contramap of the state by key path does nothing while an optional part is nil`() async throws {
        let bench = try Workbench()
        let reducer = Self.adder.contramap(state: \Pair.left) + Self.adder.contramap(state: \Pair.right)
        let store = try await bench.journal.open(
            Machine("adder", initialState: Pair(), reducer: reducer), stream: "a", environment: 1)
        let missing = try await store.dispatch(10)
        await missing.completion()
        #expect(store.state == Pair(left: 11, right: nil))
        #expect(try await bench.runs(store) == ["more|completed"], "the reducer of a missing part does not run")
        try await bench.journal.close()

        let other = try Workbench()
        let filled = try await other.journal.open(
            Machine("adder", initialState: Pair(right: 5), reducer: reducer), stream: "a", environment: 1)
        try await filled.dispatch(3)
        #expect(filled.state == Pair(left: 3, right: 8))
        try await other.journal.close()
    }

    @Test func `contramap of the state by case path does nothing in another case`() async throws {
        let bench = try Workbench()
        let machine = Machine(
            "screen", initialState: [Screen.empty, .counter(1)],
            reducer: Self.adder.contramap(state: Self.counter).contramap(state: \[Screen][0])
                + Self.adder.contramap(state: Self.counter).contramap(state: \[Screen][1]))
        let store = try await bench.journal.open(machine, stream: "a", environment: 1)
        let dispatched = try await store.dispatch(10)
        await dispatched.completion()
        #expect(store.state == [.empty, .counter(12)])
        #expect(try await bench.runs(store) == ["more|completed"])
        try await bench.journal.close()
    }

    @Test func `contramap of the state by functions does nothing if the part is missing`() async throws {
        let bench = try Workbench()
        let reducer = Self.adder.contramap(state: { Int($0) }, put: { $0 = "\($1)" })
        for (stream, before, after) in [("a", "40", "43"), ("b", "forty", "forty")] {
            let store = try await bench.journal.open(
                Machine("adder", initialState: before, reducer: reducer), stream: stream, environment: 1)
            try await store.dispatch(3)
            #expect(store.state == after)
        }
        try await bench.journal.close()
    }

    @Test func `contramap of the environment by function or key path gives the reducer its part`() async throws {
        let bench = try Workbench()
        let reducers = [
            Self.adder.contramap(environment: { (names: [String]) in names.count }),
            Self.adder.contramap(environment: \[String].count),
        ]
        for (stream, reducer) in zip(["a", "b"], reducers) {
            let store = try await bench.journal.open(
                Machine("adder", initialState: 0, reducer: reducer), stream: stream, environment: ["x", "y", "z"])
            try await store.dispatch(3)
            #expect(store.state == 9)
        }
        try await bench.journal.close()
    }

    @Test func `contramap with a scope keeps the IDs and queues of a feature used twice apart`() async throws {
        let bench = try Workbench()
        let door = Door()
        let feature = Reducer<Bool, Int, Void> { isStart, state, _ in
            state += 1
            guard isStart else { return .cancel(id: "work") }
            return .run("work", id: "work", queue: OneByOne()) {
                await door.pass()
                return false
            }
        }
        struct OneByOne: Oldest1SuspendNewEffectQueue {}
        enum Twice: Codable, Sendable, Equatable { case first(Bool), second(Bool) }
        struct Both: Codable, Sendable, Equatable { var first = 0, second = 0 }
        let first = CasePath<Twice, Bool>(
            embed: { .first($0) }, extract: { if case .first(let value) = $0 { value } else { nil } })
        let second = CasePath<Twice, Bool>(
            embed: { .second($0) }, extract: { if case .second(let value) = $0 { value } else { nil } })
        let reducer = Reducer<Twice, Both, Void>.combine(
            feature.contramap(action: first, state: \Both.first, environment: { $0 }, scope: "first"),
            feature.contramap(action: second, state: \Both.second, environment: { $0 }, scope: "second"))
        let store = try await bench.journal.open(Machine("twice", initialState: Both(), reducer: reducer), stream: "a")
        try await store.dispatch(.first(true))
        let other = try await store.dispatch(.second(true))
        // Neither waits in the other one's queue, and an ID cancels only the feature's own effect.
        await door.comers(2)
        try await store.dispatch(.first(false))
        door.open()
        await other.completion()
        #expect(store.state == Both(first: 2, second: 2))
        #expect(try await bench.runs(store) == ["first.work|cancelled", "second.work|completed"])
        try await bench.journal.close()
    }
}
