import Testing

@testable import JournalStore

private indirect enum Shrub: Equatable, Sendable {
    case leaf
    case empty
    case node(Shrub, Int)
    case named(String)
    case pair(Int, Int)

    static let samples: [Shrub] = [
        .leaf, .empty, .node(.leaf, 1), .node(.node(.leaf, 1), 2), .named("a"), .named("b"), .pair(1, 2), .pair(2, 1),
    ]
}

/// An enum whose `==` also calls values of different cases equal.
private enum Loose: Equatable, Sendable {
    case small, large, huge

    static func == (left: Loose, right: Loose) -> Bool { true }
}

private struct Point: Equatable, Sendable { var x = 0 }

@Suite struct `The index of a transition table` {
    /// Rows with values of the samples, and some that match more.
    private func rows<Input, State>(
        _ inputs: [Input], _ states: [State], seed: UInt64
    ) -> [TransitionRow<Input, State, Void>] where Input: Equatable & Sendable, State: Equatable & Sendable {
        var step = Step.of(seed: .of(entry: seed))
        func pattern<Value: Equatable & Sendable>(_ samples: [Value]) -> TransitionPattern<Value> {
            let some = samples.shuffled(using: &step).prefix(Int.random(in: 1...2, using: &step))
            switch Int.random(in: 0..<6, using: &step) {
            case 0: return .any
            case 1: return .where { some.contains($0) }
            default: return .values(Array(some))
            }
        }
        return (0..<12).map { _ in
            TransitionRow(
                input: pattern(inputs), state: pattern(states), target: .value(states[0]), effect: .none)
        }
    }

    /// For each pair the number of the first row that matches, found by the index and by trying all rows.
    private func compare<Input: Equatable & Sendable, State: Equatable & Sendable>(
        _ inputs: [Input], _ states: [State]
    ) {
        for seed in 0..<50 as Range<UInt64> {
            let rows = rows(inputs, states, seed: seed)
            let matched = rows.map { MatchedRow($0, queue: nil) }
            let index = TransitionIndex(matched)
            for input in inputs {
                for state in states {
                    let found = index.firstRow(for: input, state)
                    #expect(
                        matched.firstIndex { $0 === found } == rows.firstIndex { $0.matches(input, state) },
                        "seed \(seed): \(input) in \(state)")
                }
            }
        }
    }

    @Test func `the index finds the same row as trying all of them`() {
        compare(AuthInput.allCases, AuthState.allCases)
        compare(Shrub.samples, AuthState.allCases)
        compare(AuthInput.allCases, Shrub.samples)
        compare(Shrub.samples, Shrub.samples)
        compare([1, 2, 3], Shrub.samples)
        compare(Shrub.samples, [Point(x: 1), Point(x: 2)])
        compare([nil, .leaf, .named("a")] as [Shrub?], [true, false])
    }

    @Test func `a value matches no value of another case, whatever == says`() {
        let table: TransitionTable<Loose, Int, Void> = [.small | any => 1, .large | any => 2]
        #expect([.small, .large, .huge].map { table.next($0, in: 0) } == [1, 2, nil])
        let index = TransitionIndex(table.rows.map { MatchedRow($0, queue: nil) })
        #expect(index.firstRow(for: .huge, 0) == nil)
    }

    @Test func `the tag of an enum is its case, also of an indirect one; other types have none`() throws {
        let tag = try #require(EnumTag<Shrub>())
        #expect(Shrub.samples.map { tag.of($0) } == [3, 4, 0, 0, 1, 1, 2, 2])
        let plain = try #require(EnumTag<AuthState>())
        #expect(Set(AuthState.allCases.map { plain.of($0) }).count == 4)
        #expect(EnumTag<Int>() == nil && EnumTag<Point>() == nil && EnumTag<Shrub?>() == nil)
        #expect(EnumTag<any Error>() == nil && EnumTag<(Int, Int)>() == nil && EnumTag<[Shrub]>() == nil)
    }

    @Test func `a case pattern matches the case and not another one with an equal payload`() {
        enum Twin: Sendable { case left(Int), right(Int) }
        let pattern = TransitionPattern<Twin>.case(Twin.right)
        for _ in 0..<2 {
            #expect([.left(1), .right(1), .left(2), .right(2)].map(pattern.test) == [false, true, false, true])
        }
        let optional = TransitionPattern<Twin?>.case(Twin.right)
        for _ in 0..<2 {
            #expect([.left(1), .right(1), nil].map(optional.test) == [false, true, false])
        }
    }
}
