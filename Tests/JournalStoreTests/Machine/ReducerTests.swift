import Testing

@testable import JournalStore

@Suite struct `Machine, reducers` {
    // MARK: Plain

    @Test func `a closure with three parameters gets the action, the state and the environment`() {
        let reducer = Reducer<Int, [String], String> { action, state, environment in
            state.append("\(action) \(environment)")
            return .next(action + 1)
        }
        var state = ["first"]
        #expect(reducer(1, &state, "shop").outline == ["next 2"])
        #expect(state == ["first", "1 shop"])
    }

    @Test func `a closure with four parameters gets the step too, and draws from it`() {
        let reducer = Reducer<Int, [String], String> { action, state, environment, step in
            state.append("\(action) \(environment) \(step.stream) \(step.number) \(step.substep) \(step.next())")
            return .none
        }
        var (state, step) = ([String](), Step.of(substep: 3))
        _ = reducer.reduce(1, &state, "shop", &step)
        let drawn = Step.of(substep: 3).numbers(2)
        #expect(state == ["1 shop a 7 3 \(drawn[0])"])
        #expect(step.next() == drawn[1])
    }

    @Test func `the empty reducer changes nothing`() {
        var state = 5
        #expect(Reducer<Int, Int, Void>.empty(1, &state).outline == [])
        #expect(state == 5)
    }

    // MARK: Together

    static let double = Reducer<Int, Int, Void> { action, state, _ in
        state *= 2
        return .next(state)
    }
    static let add = Reducer<Int, Int, Void> { action, state, _ in
        state += action
        return .fireAndForget("add") {}
    }

    struct Sum: CustomTestStringConvertible {
        var testDescription: String
        var reducer: Reducer<Int, Int, Void>
        var state: Int
        var effects: [String]

        static let all = [
            Sum(testDescription: "double + add", reducer: double + add, state: 13, effects: ["next 10", "run add"]),
            Sum(testDescription: "add + double", reducer: add + double, state: 16, effects: ["run add", "next 16"]),
            Sum(
                testDescription: "three", reducer: .combine(add, double, add), state: 19,
                effects: ["run add", "next 16", "run add"]),
            Sum(
                testDescription: "a list", reducer: .combine([double, add]), state: 13, effects: ["next 10", "run add"]),
            Sum(testDescription: "none", reducer: .combine(), state: 5, effects: []),
            Sum(testDescription: "with empty ones", reducer: .empty + add + .empty, state: 8, effects: ["run add"]),
        ]
    }

    @Test(arguments: Sum.all)
    func `combined reducers reduce left to right on the same state, and their effects keep the order`(_ sum: Sum) {
        var state = 5
        #expect(sum.reducer(3, &state).outline == sum.effects)
        #expect(state == sum.state)
    }

    @Test func `combined reducers share the random values of one step`() {
        let draw = Reducer<Int, [UInt64], Void> { _, state, _, step in
            state.append(step.next())
            return .none
        }
        var state: [UInt64] = []
        _ = (draw + draw)(0, &state)
        #expect(state == Step.of().numbers(2))
    }

    @Test func `ten thousand combined reducers do not overflow the stack`() {
        let one = Reducer<Int, Int, Void> { _, state, _ in
            state += 1
            return .none
        }
        var state = 0
        _ = Reducer.combine(Array(repeating: one, count: 10_000))(0, &state)
        #expect(state == 10_000)
    }
}
