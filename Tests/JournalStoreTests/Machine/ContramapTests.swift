import Testing

@testable import JournalStore

@Suite struct `Machine, contramap` {
    enum Part: Equatable, Sendable { case add(Int), got(Int) }
    enum Whole: Equatable, Sendable { case left(Part), right(Part), other }
    enum Screen: Equatable, Sendable { case counting(Int), closed }
    struct Pair: Equatable, Sendable { var left = 0, right = 0, maybe: Int? }
    struct World: Sendable { var factor = 1 }

    /// Adds to a count, times the environment; returns an action and an effect with the count.
    static let part = Reducer<Part, Int, Int> { action, count, factor in
        guard case .add(let number) = action else { return .none }
        count += number * factor
        return .next(.got(count)) + .run("fetch") { [count] in .got(-count) }
    }
    static let left = CasePath<Whole, Part>(
        embed: { .left($0) }, extract: { if case .left(let part) = $0 { part } else { nil } })
    static let right = CasePath<Whole, Part>(
        embed: { .right($0) }, extract: { if case .right(let part) = $0 { part } else { nil } })
    static let counting = CasePath<Screen, Int>(
        embed: { .counting($0) }, extract: { if case .counting(let count) = $0 { count } else { nil } })

    // MARK: The action

    static let byAction: [Reducer<Whole, Int, Int>] = [
        part.contramap(action: left),
        part.contramap(action: { left.extract(from: $0) }, embed: { left.embed($0) }),
    ]

    @Test(arguments: byAction.indices) func `contramap embeds the actions of the part`(_ index: Int) async throws {
        var count = 1
        let effect = Self.byAction[index](.left(.add(2)), &count, 10)
        #expect(count == 21)
        #expect(effect.outline == ["next \(Whole.left(.got(21)))", "run fetch"])
        #expect(try await effect.runs[0].actions() == [.left(.got(-21))])
    }

    @Test(arguments: byAction.indices, [Whole.right(.add(2)), .other])
    func `an action that does not match changes nothing and returns no effect`(_ index: Int, _ action: Whole) {
        var count = 1
        #expect(Self.byAction[index](action, &count, 10).outline == [])
        #expect(count == 1)
    }

    @Test func `contramap keeps rejections and cancels as they are`() {
        let reducer = Reducer<Part, Int, Int> { _, _, _ in .reject("no") + .cancel(id: 5) + .cancel(ids: { _ in true })
        }
        var count = 0
        #expect(
            reducer.contramap(action: Self.left)(.left(.add(1)), &count, 1).outline
                == ["reject no", "cancel 5", "cancel where"])
    }

    // MARK: The state

    @Test func `contramap of the state by key path changes only that part`() {
        var pair = Pair()
        let effect = Self.part.contramap(state: \Pair.right)(.add(2), &pair, 10)
        #expect(pair == Pair(right: 20))
        #expect(effect.outline == ["next \(Part.got(20))", "run fetch"])
    }

    @Test func `contramap of an optional state changes its value`() {
        var pair = Pair(maybe: 1)
        let effect = Self.part.contramap(state: \Pair.maybe)(.add(2), &pair, 10)
        #expect(pair == Pair(maybe: 21))
        #expect(effect.outline == ["next \(Part.got(21))", "run fetch"])
    }

    @Test func `contramap of an optional state does nothing if it is nil`() {
        var pair = Pair(left: 1)
        #expect(Self.part.contramap(state: \Pair.maybe)(.add(2), &pair, 10).outline == [])
        #expect(pair == Pair(left: 1))
    }

    static let byCase: [Reducer<Part, Screen, Int>] = [
        part.contramap(state: counting),
        part.contramap(state: { counting.extract(from: $0) }, put: { $0 = counting.embed($1) }),
    ]

    @Test(arguments: byCase.indices) func `contramap of the state changes the payload of a case`(_ index: Int) {
        var screen = Screen.counting(1)
        let effect = Self.byCase[index](.add(2), &screen, 10)
        #expect(screen == .counting(21))
        #expect(effect.outline == ["next \(Part.got(21))", "run fetch"])
    }

    @Test(arguments: byCase.indices) func `contramap of the state does nothing in another case`(_ index: Int) {
        var screen = Screen.closed
        #expect(Self.byCase[index](.add(2), &screen, 10).outline == [])
        #expect(screen == .closed)
    }

    // MARK: The environment, and all at once

    @Test func `contramap of the environment gives the reducer its part`() {
        var count = 0
        let effect = Self.part.contramap(environment: { (world: World) in world.factor })(
            .add(2), &count, World(factor: 4))
        #expect(count == 8)
        #expect(effect.outline == ["next \(Part.got(8))", "run fetch"])
    }

    @Test func `contramap takes the action, the state and the environment at once`() async throws {
        let reducer: Reducer<Whole, Pair, World> = .combine(
            Self.part.contramap(action: Self.left, state: \.left, environment: \.factor),
            Self.part.contramap(action: Self.right, state: \.right, environment: { -$0.factor })
        )
        var pair = Pair()
        let world = World(factor: 3)
        let effect = reducer(.left(.add(2)), &pair, world)
        #expect(effect.outline == ["next \(Whole.left(.got(6)))", "run fetch"])
        #expect(try await effect.runs[0].actions() == [.left(.got(-6))])
        #expect(reducer(.right(.add(1)), &pair, world).outline == ["next \(Whole.right(.got(-3)))", "run fetch"])
        #expect(reducer(.other, &pair, world).outline == [])
        #expect(pair == Pair(left: 6, right: -3))
    }

    @Test func `the parts draw one after the other from the random values of the step`() {
        let draw = Reducer<Part, UInt64, Int> { _, state, _, step in
            state = step.next()
            return .none
        }
        struct Two { var first: UInt64 = 0, second: UInt64 = 0 }
        let both = draw.contramap(state: \Two.first) + draw.contramap(state: \Two.second)
        var two = Two()
        _ = both.contramap(action: Self.left)(.left(.add(1)), &two, 0)
        #expect([two.first, two.second] == Step.of().numbers(2))
    }
}
