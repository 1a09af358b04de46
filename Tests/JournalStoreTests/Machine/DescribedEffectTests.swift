import Testing

@testable import JournalStore

/// What a handler does in a test.
enum Chore: Codable, Sendable, Equatable { case sweep(String), wash }

@Suite struct `Machine, described effects` {
    enum Home: Equatable, Sendable { case left(String), right(String) }

    private static let left = CasePath<Home, String>(
        embed: { .left($0) }, extract: { if case .left(let action) = $0 { action } else { nil } })
    private static let right = CasePath<Home, String>(
        embed: { .right($0) }, extract: { if case .right(let action) = $0 { action } else { nil } })

    /// Has what it is told swept; the environment says with what.
    private static let reducer = Reducer<String, Int, String> { action, _, _ in .perform(Chore.sweep(action)) }
    private static let handled = reducer.handling(Chore.self) { chore, tool, _ in "\(chore) with a \(tool)" }

    private func effect<Action: Sendable>(_ reducer: Reducer<Action, Int, String>, _ action: Action) -> Effect<Action> {
        var state = 0
        return reducer(action, &state, "broom")
    }

    private func name<Action: Sendable>(_ run: Effect<Action>.Run) -> String? {
        if case .described(let description, _) = run.work { description.name } else { nil }
    }

    // MARK: Bodies

    @Test func `its handler makes a body of it, with the environment`() async throws {
        let run = effect(Self.handled, "hall").runs[0]
        #expect(run.name == "sweep")
        #expect(name(run) == "JournalStoreTests.Chore")
        #expect(try await run.actions() == [#"sweep("hall") with a broom"#])
    }

    @Test func `without a handler it has none`() {
        let run = effect(Self.reducer, "hall").runs[0]
        #expect(name(run) == "JournalStoreTests.Chore")
        #expect(run.work.body == nil)
    }

    @Test func `a handler of another type is not its own`() {
        let run = effect(Self.reducer.handling(Int.self) { _, _, _ in nil }, "hall").runs[0]
        #expect(run.work.body == nil)
    }

    @Test func `a handler that sends as often as it likes`() async throws {
        let reducer = Self.reducer.handling(Chore.self) { _, _, send, context in
            for number in 0..<context.delivered { try await send("\(number)") }
            return "last"
        }
        #expect(try await effect(reducer, "hall").runs[0].actions(.of(delivered: 2)) == ["0", "1", "last"])
    }

    @Test func `a handler behind a sum of reducers is for all of them`() async throws {
        let sum = (Self.reducer + Self.reducer).handling(Chore.self) { chore, _, _ in "\(chore)" }
        for run in effect(sum, "hall").runs { #expect(try await run.actions() == [#"sweep("hall")"#]) }
        #expect(sum.handlers.count == 1)
    }

    // MARK: Made into another

    @Test func `a reducer of a part keeps it described, and its handler embeds what it sends`() async throws {
        let whole = Self.handled.contramap(action: Self.left)
        let run = effect(whole, .left("hall")).runs[0]
        #expect(name(run) == "JournalStoreTests.Chore")
        #expect(try await run.actions() == [.left(#"sweep("hall") with a broom"#)])
        #expect(whole.handlers.map(\.name) == ["JournalStoreTests.Chore"])
    }

    @Test func `a scope makes two uses different`() async throws {
        let whole =
            Self.handled.contramap(action: Self.left, scope: "a")
            + Self.handled.contramap(action: Self.right, scope: "b")
        for (action, scope) in [(Home.left("hall"), "a"), (.right("hall"), "b")] {
            let runs = effect(whole, action).runs
            #expect(runs.map { name($0) } == ["\(scope).JournalStoreTests.Chore"])
            #expect(runs.map(\.name) == ["\(scope).sweep"])
        }
        #expect(whole.handlers.map(\.name) == ["a.JournalStoreTests.Chore", "b.JournalStoreTests.Chore"])
    }

    @Test func `a state and an environment made wider keep it described`() async throws {
        struct World { var tool = "mop" }
        let whole = Self.handled.contramap(environment: { (world: World) in world.tool })
        var state = 0
        #expect(try await whole("hall", &state, World()).runs[0].actions() == [#"sweep("hall") with a mop"#])
        let optional = Self.handled.contramap(state: \Int?.self)
        var maybe: Int? = 0
        #expect(optional("hall", &maybe, "mop").runs.compactMap { name($0) }.count == 1)
        #expect(whole.handlers.count == 1 && optional.handlers.count == 1)
    }

    @Test func `by another function it becomes a closure that does the same`() async throws {
        let run = effect(Self.handled, "hall").map(action: { $0.count }).runs[0]
        guard case .closure = run.work else {
            Issue.record("it is \(run.work)")
            return
        }
        #expect(try await run.actions() == [26])
        await #expect(throws: EffectFailure.self) {
            try await effect(Self.reducer, "hall").map(action: { $0.count }).runs[0].actions()
        }
    }

    @Test func `one that is told of its failure by a function becomes a closure as well`() async throws {
        let run = effect(Self.handled, "hall").onFailure { _ in "failed" }.runs[0]
        guard case .closure = run.work else {
            Issue.record("it is \(run.work)")
            return
        }
        #expect(try await run.actions() == [#"sweep("hall") with a broom"#])
        let described = effect(Self.handled, "hall").onFailure("failed").onOrphan("orphaned").runs[0]
        #expect(name(described) != nil && described.orphan == "orphaned")
    }

    @Test func `a timer stays one whatever is made of it`() {
        let effect = Effect<String>.every(.seconds(1), "tick", id: 7).onFailure { _ in nil }.scoped("a")
            .map(action: { $0.count })
        guard case .timer(.every(.seconds(1), .one), 4) = effect.runs[0].work else {
            Issue.record("it is \(effect.runs[0].work)")
            return
        }
        #expect(effect.runs[0].id == AnyEffectID(ScopedID(scope: "a", id: AnyEffectID(7))))
    }

    // MARK: As it is stored

    @Test func `its value stands behind its name, and is read again`() throws {
        let text = try JSONCodec().encode(Description(Chore.sweep("hall")).scoped("a"))
        #expect(text == #"{"a.JournalStoreTests.Chore":{"sweep":{"_0":"hall"}}}"#)
        #expect(Description.name(in: text) == "a.JournalStoreTests.Chore")
        let handler = Self.handled.contramap(action: Self.left, scope: "a").handlers[0]
        #expect(try handler.read(text, handler.name) as? Chore == .sweep("hall"))
        #expect(throws: (any Error).self) { try handler.read(#"{"Int":1}"#, handler.name) }
        #expect(throws: (any Error).self) { try handler.read(#"{"a.JournalStoreTests.Chore":1}"#, handler.name) }
    }

    @Test func `what is no description has no name`() {
        for text in ["", "7", "[]", "{}", "null"] { #expect(Description.name(in: text) == nil) }
    }
}
