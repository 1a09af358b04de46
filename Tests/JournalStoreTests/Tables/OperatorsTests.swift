import Testing

@testable import JournalStore

private enum Lamp: Codable, Equatable, Sendable { case off, on, dimmed(Int) }
private enum Press: Codable, Equatable, Sendable { case power, set(Int), timer }

private let isOff: @Sendable (Lamp) -> Bool = { $0 == .off }
private let isSetHigh: @Sendable (Press) -> Bool = { if case .set(let level) = $0 { level > 50 } else { false } }
private let brighter: @Sendable (Lamp) -> Lamp = { if case .dimmed(let level) = $0 { .dimmed(level + 1) } else { $0 } }
private let beep = Effect<Press>.fireAndForget("beep") {}
private let echo = EnvironmentEffect<Press, Int> { .next(.set($0)) }

private typealias Table = TransitionTable<Press, Lamp, Int>

/// One row, and what it does to some inputs.
private struct Form: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let row: Table
    let hits: [(Press, Lamp, Lamp)]
    let misses: [(Press, Lamp)]
    var effect: [String] = []

    static let all: [Form] = [
        Form(
            testDescription: "value | value => value", row: [.power | .off => .on], hits: [(.power, .off, .on)],
            misses: [(.timer, .off), (.power, .on)]),
        Form(
            testDescription: "value | any => value", row: [.power | any => .off],
            hits: [(.power, .on, .off), (.power, .dimmed(1), .off)], misses: [(.timer, .on)]),
        Form(
            testDescription: "value | predicate => value", row: [.power | isOff => .on], hits: [(.power, .off, .on)],
            misses: [(.power, .on)]),
        Form(
            testDescription: "value | values => value", row: [.power | [.on, .dimmed(3)] => .off],
            hits: [(.power, .on, .off), (.power, .dimmed(3), .off)], misses: [(.power, .dimmed(4)), (.power, .off)]),
        Form(
            testDescription: "any | value => value", row: [any | .off => .on],
            hits: [(.power, .off, .on), (.set(1), .off, .on)], misses: [(.power, .on)]),
        Form(testDescription: "any | any => value", row: [any | any => .off], hits: [(.set(2), .on, .off)], misses: []),
        Form(
            testDescription: "any | predicate => value", row: [any | isOff => .on], hits: [(.timer, .off, .on)],
            misses: [(.timer, .on)]),
        Form(
            testDescription: "any | case => function", row: [any | .case(Lamp.dimmed) => brighter],
            hits: [(.timer, .dimmed(1), .dimmed(2)), (.power, .dimmed(7), .dimmed(8))], misses: [(.timer, .on)]),
        Form(
            testDescription: "predicate | value => value", row: [isSetHigh | .off => .on],
            hits: [(.set(51), .off, .on)], misses: [(.set(50), .off), (.power, .off), (.set(51), .on)]),
        Form(
            testDescription: "predicate | any => value", row: [isSetHigh | any => .on],
            hits: [(.set(51), .dimmed(1), .on)], misses: [(.set(50), .off)]),
        Form(
            testDescription: "predicate | predicate => value", row: [isSetHigh | isOff => .on],
            hits: [(.set(51), .off, .on)], misses: [(.set(51), .on), (.set(1), .off)]),
        Form(
            testDescription: "predicate | named predicate => value", row: [isSetHigh | .where("off", isOff) => .on],
            hits: [(.set(51), .off, .on)], misses: [(.set(51), .on)]),
        Form(
            testDescription: "case | value => value", row: [.case(Press.set) | .off => .on],
            hits: [(.set(1), .off, .on), (.set(2), .off, .on)], misses: [(.power, .off), (.set(1), .on)]),
        Form(
            testDescription: "case | any => value", row: [.case(Press.set) | any => .on],
            hits: [(.set(1), .dimmed(1), .on)], misses: [(.timer, .off)]),
        Form(
            testDescription: "values | predicate => value", row: [[.power, .set(1)] | isOff => .on],
            hits: [(.power, .off, .on), (.set(1), .off, .on)], misses: [(.set(2), .off), (.timer, .off)]),
        Form(
            testDescription: "values | values => value", row: [[.power, .timer] | [.off, .on] => .dimmed(1)],
            hits: [(.timer, .on, .dimmed(1))], misses: [(.timer, .dimmed(1))]),
        Form(
            testDescription: "value | value => value | effect", row: [.power | .off => .on | beep],
            hits: [(.power, .off, .on)], misses: [(.timer, .off)], effect: ["run beep"]),
        Form(
            testDescription: "value | value => value | environment's effect", row: [.power | .off => .on | echo],
            hits: [(.power, .off, .on)], misses: [(.timer, .off)], effect: ["next set(9)"]),
        Form(
            testDescription: "value | value => value | effect of environment and input",
            row: [.power | .off => .on | .given { .next($0 == .power ? .set($1 + 1) : .timer) }],
            hits: [(.power, .off, .on)], misses: [(.timer, .off)], effect: ["next set(10)"]),
        Form(
            testDescription: "value | value => function | effect", row: [.timer | .dimmed(1) => brighter | beep],
            hits: [(.timer, .dimmed(1), .dimmed(2))], misses: [(.timer, .dimmed(2))], effect: ["run beep"]),
        Form(
            testDescription: "value | value => function | environment's effect",
            row: [.timer | .dimmed(1) => brighter | echo],
            hits: [(.timer, .dimmed(1), .dimmed(2))], misses: [(.timer, .dimmed(2))], effect: ["next set(9)"]),
        Form(
            testDescription: "closures in all places",
            row: [{ $0 == .timer } | { $0 != .off } => { _ in .off } | .given { _ in .next(.power) }],
            hits: [(.timer, .on, .off)], misses: [(.timer, .off)], effect: ["next power"]),
        Form(
            testDescription: "a case whose payload reaches the state and the effect",
            row: [
                .on(CasePath(Press.set), from: [.off, .on], to: { level, _ in .dimmed(level) }) { .next(.set($0 + $1)) }
            ],
            hits: [(.set(5), .on, .dimmed(5))], misses: [(.set(5), .dimmed(1)), (.power, .on)], effect: ["next set(14)"]
        ),
    ]
}

@Suite struct `The operators of a transition table` {
    @Test(arguments: Form.all)
    private func `a row matches what its patterns say, leads to its state and returns its effect`(_ form: Form) {
        let reducer = form.row.reducer()
        for (input, from, to) in form.hits {
            var state = from
            #expect(reducer(input, &state, 9).outline == form.effect)
            #expect(state == to)
            #expect(form.row.next(input, in: from) == to)
        }
        for (input, from) in form.misses {
            var state = from
            #expect(reducer(input, &state, 9).outline.first?.hasPrefix("reject ") == true)
            #expect(state == from)
            #expect(form.row.next(input, in: from) == nil)
        }
    }

    @Test func `effects of a row are added`() {
        let table: Table = [
            .power | .off => .on | beep + .cancel(id: "a") + beep,
            .timer | any => .off | echo + beep,
        ]
        func effects(_ input: Press, _ state: Lamp) -> [String] {
            Machine("lamp", initialState: state, table: table).reduce(input, environment: 7).effects.map(\.description)
        }
        #expect(
            effects(.power, .off) == [#"{"run":"beep"}"#, #"{"cancel":{"String":"a"}}"#, #"{"run":"beep"}"#])
        #expect(effects(.timer, .on) == [#"{"run":"beep"}"#])
    }

    @Test func `effects of the environment are added, also after other effects`() {
        let stop = EnvironmentEffect<Press, Int> { input, number in .cancel(id: "\(input) \(number)") }
        let both = EnvironmentEffect.combine(echo, stop)
        let table: Table = [
            .power | .off => .on | echo + stop,
            .power | .on => .off | beep + stop + beep,
            .power | any => brighter | stop + .given { .next(.set($0 + 1)) },
            .timer | .on => .off | both,
            .timer | any => .on | stop + both,
        ]
        func outline(_ input: Press, _ state: Lamp) -> [String] {
            var state = state
            return table.reducer()(input, &state, 9).outline
        }
        #expect(outline(.power, .off) == ["next set(9)", "cancel power 9"])
        #expect(outline(.power, .on) == ["run beep", "cancel power 9", "run beep"])
        #expect(outline(.power, .dimmed(1)) == ["cancel power 9", "next set(10)"])
        #expect(outline(.timer, .on) == ["next set(9)", "cancel timer 9"])
        #expect(outline(.timer, .off) == ["cancel timer 9", "next set(9)", "cancel timer 9"])
    }
}
