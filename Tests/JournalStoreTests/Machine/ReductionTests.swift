import Testing

@testable import JournalStore

@Suite struct `Machine, a step and its cascade` {
    typealias Rule = (String, inout [String], inout Step) -> Effect<String>

    /// Appends each action to the state and returns its effects from a table.
    static func rule(_ table: [String: Effect<String>]) -> Rule {
        { action, state, _ in
            state.append(action)
            return table[action] ?? .none
        }
    }

    struct Outcome {
        var state: [String]
        var reduction: Reduction<String>
        var effects: [String] { reduction.effects.map(\.outline) }
    }

    func reduce(_ action: String, limit: Int = 100, _ rule: Rule) -> Outcome {
        var state = ["before"]
        let reduction = Reduction<String>.of(action, &state, .of(), limit: limit, undoing: true, reduce: rule)
        return Outcome(state: state, reduction: reduction)
    }

    func reduce(_ action: String, limit: Int = 100, _ table: [String: Effect<String>]) -> Outcome {
        reduce(action, limit: limit, Self.rule(table))
    }

    static func run(_ name: String) -> Effect<String> { .fireAndForget(name) {} }

    // MARK: Order

    @Test func `an action without effects only changes the state`() {
        let outcome = reduce("a", [:])
        #expect(outcome.state == ["before", "a"])
        #expect(outcome.reduction.outcome == .reduced)
        #expect(outcome.reduction.cascade == [])
        #expect(outcome.effects == [])
    }

    @Test func `.next is reduced depth first, in order`() {
        let outcome = reduce("a", ["a": .next("b") + .next("e"), "b": .next("c") + .next("d"), "e": .next("f")])
        #expect(outcome.state == ["before", "a", "b", "c", "d", "e", "f"])
        #expect(outcome.reduction.cascade == ["b", "c", "d", "e", "f"])
        #expect(outcome.effects == [])
    }

    @Test func `the effects of a .next take its place in the order`() {
        let outcome = reduce(
            "a",
            [
                "a": Self.run("a1") + .next("b") + .cancel(id: 1) + .next("d") + Self.run("a2"),
                "b": Self.run("b1") + .next("c") + Self.run("b2"),
                "c": .cancel(id: 2),
            ])
        #expect(outcome.effects == ["run a1", "run b1", "cancel 2", "run b2", "cancel 1", "run a2"])
        #expect(outcome.reduction.cascade == ["b", "c", "d"])
    }

    @Test func `each action of a cascade has its own substep and random values`() {
        var seen: [(substep: Int, drawn: UInt64)] = []
        let outcome = reduce("a") { action, state, step in
            seen.append((step.substep, step.next()))
            #expect(step.number == 7 && step.stream == "a" && step.time == Step.of().time)
            return action == "a" ? .next("b") + .next("c") : .none
        }
        #expect(seen.map(\.substep) == [0, 1, 2])
        #expect(seen.map(\.drawn) == (0...2).map { Step.of(substep: $0).numbers(1)[0] })
        #expect(outcome.reduction.cascade == ["b", "c"])
    }

    // MARK: Rejection

    @Test func `a rejected action leaves the state unchanged and has no effects`() {
        let outcome = reduce("a", ["a": Self.run("a1") + .next("b") + .reject("closed") + .cancel(id: 1)])
        #expect(outcome.state == ["before"])
        #expect(outcome.reduction.outcome == .rejected(reason: "closed"))
        #expect(outcome.reduction.cascade == [])
        #expect(outcome.effects == [])
    }

    @Test func `the first reason of a rejection counts`() {
        #expect(
            reduce("a", ["a": .reject("first") + .reject("second")]).reduction.outcome == .rejected(reason: "first"))
        #expect(reduce("a", ["a": .reject()]).reduction.outcome == .rejected(reason: ""))
    }

    @Test func `a rejected .next rejects only itself`() {
        let outcome = reduce(
            "a",
            [
                "a": Self.run("a1") + .next("b") + .next("d"),
                "b": Self.run("b1") + .next("c") + .reject("not this"),
                "d": Self.run("d1"),
            ])
        #expect(outcome.state == ["before", "a", "d"])
        #expect(outcome.reduction.outcome == .reduced)
        #expect(outcome.reduction.cascade == ["d"])
        #expect(outcome.effects == ["run a1", "run d1"])
    }

    @Test func `the actions before a rejected .next stay reduced`() {
        let outcome = reduce("a", ["a": .next("b"), "b": Self.run("b1") + .next("c"), "c": .reject("no")])
        #expect(outcome.state == ["before", "a", "b"])
        #expect(outcome.reduction.cascade == ["b"])
        #expect(outcome.effects == ["run b1"])
    }

    @Test func `a rejection by one of two combined reducers rejects for both`() {
        let counts = Reducer<String, [String], Void> { action, state, _ in
            state.append("counted \(action)")
            return Self.run("counts")
        }
        let refuses = Reducer<String, [String], Void> { _, state, _ in
            state.append("refused")
            return .reject("full")
        }
        for both in [counts + refuses, refuses + counts] {
            let outcome = reduce("a") { both.reduce($0, &$1, (), &$2) }
            #expect(outcome.state == ["before"])
            #expect(outcome.reduction.outcome == .rejected(reason: "full"))
            #expect(outcome.effects == [])
        }
    }

    @Test func `a rejection by the reducer of a part rejects the whole`() {
        struct Whole: Equatable, Sendable { var part = [String](), other = 0 }
        let part = Reducer<String, [String], Void> { action, state, _ in
            state.append(action)
            return .reject("no")
        }
        let other = Reducer<String, Whole, Void> { _, state, _ in
            state.other += 1
            return .none
        }
        let both = other + part.contramap(state: \.part)
        var state = Whole()
        let reduction = Reduction<String>
            .of("a", &state, .of(), limit: 9, undoing: true) { both.reduce($0, &$1, (), &$2) }
        #expect(state == Whole())
        #expect(reduction.outcome == .rejected(reason: "no"))
    }

    // MARK: The limit

    @Test func `an endless cascade is rejected as a whole`() {
        for _ in 0..<2 {
            let outcome = reduce("a", limit: 50, ["a": Self.run("a1") + .next("a")])
            #expect(outcome.state == ["before"])
            #expect(
                outcome.reduction.outcome == .rejected(reason: "The cascade of .next is longer than 50 actions."))
            #expect(outcome.reduction.cascade == [])
            #expect(outcome.effects == [])
        }
    }

    /// Counts down to zero, with one action for each number.
    static func countdown(_ action: Int, _ state: inout Int, _: inout Step) -> Effect<Int> {
        state += 1
        return action > 0 ? .next(action - 1) : .none
    }

    @Test(arguments: [(0, true), (49, true), (50, true), (51, false)])
    func `a cascade may be as long as the limit, and no longer`(_ count: Int, _ isReduced: Bool) {
        var state = 0
        let reduction = Reduction<Int>.of(count, &state, .of(), limit: 50, undoing: true, reduce: Self.countdown)
        #expect((reduction.outcome == .reduced) == isReduced)
        #expect(state == (isReduced ? count + 1 : 0))
        #expect(reduction.cascade.count == (isReduced ? count : 0))
    }

    @Test func `rejected actions count towards the limit, so that a cascade ends`() {
        var state = 0
        let reduction = Reduction<Int>.of(0, &state, .of(), limit: 5, undoing: true) { action, state, _ in
            state += 1
            return action == 0 ? .combine((1...6).map { .next($0) }) : .reject()
        }
        #expect(reduction.outcome == .rejected(reason: "The cascade of .next is longer than 5 actions."))
        #expect(state == 0)
    }

    @Test func `a long cascade does not overflow the stack`() {
        var state = 0
        let deep = Reduction<Int>.of(9_999, &state, .of(), limit: 10_000, undoing: true, reduce: Self.countdown)
        #expect(deep.outcome == .reduced)
        #expect(state == 10_000)
        #expect(deep.cascade == (0..<9_999).reversed())
        let wide = Reduction<Int>.of(-1, &state, .of(), limit: 10_000, undoing: true) { action, _, _ in
            action == -1 ? .combine((0..<9_999).map { .next($0) }) : .none
        }
        #expect(wide.cascade == Array(0..<9_999))
    }

    @Test func `the default limit of a cascade is ten thousand`() {
        #expect(Machine("m", initialState: 0, update: { (_: inout Int, _: Int) in }).cascadeLimit == 10_000)
    }
}
