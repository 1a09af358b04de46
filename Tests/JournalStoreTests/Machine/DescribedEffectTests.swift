import Testing

@testable import JournalStore

/// The described effects of the tests.
enum Chore: Codable, Sendable, Equatable { case sweep(String), wash }

@Suite struct `Machine, described effects` {
    enum Home: Equatable, Sendable { case left(String), right(String) }

    private static let left = CasePath<Home, String>(
        embed: { .left($0) }, extract: { if case .left(let action) = $0 { action } else { nil } })
    private static let right = CasePath<Home, String>(
        embed: { .right($0) }, extract: { if case .right(let action) = $0 { action } else { nil } })

    /// Performs a sweep of the action; the environment is the tool.
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

    @Test func `a handler makes the body of a described effect, with the environment`() async throws {
        let run = effect(Self.handled, "hall").runs[0]
        #expect(run.name == "sweep")
        #expect(name(run) == "JournalStoreTests.Chore")
        #expect(try await run.actions() == [#"sweep("hall") with a broom"#])
    }

    @Test func `a described effect without a handler has no body`() {
        let run = effect(Self.reducer, "hall").runs[0]
        #expect(name(run) == "JournalStoreTests.Chore")
        #expect(run.work.body == nil)
    }

    @Test func `a handler handles only its own type`() {
        let run = effect(Self.reducer.handling(Int.self) { _, _, _ in nil }, "hall").runs[0]
        #expect(run.work.body == nil)
    }

    @Test func `a handler can send actions before it returns the last one`() async throws {
        let reducer = Self.reducer.handling(Chore.self) { _, _, send, context in
            for number in 0..<context.delivered { try await send("\(number)") }
            return "last"
        }
        #expect(try await effect(reducer, "hall").runs[0].actions(.of(delivered: 2)) == ["0", "1", "last"])
    }

    @Test func `a handler after a sum of reducers handles the effects of all of them`() async throws {
        let sum = (Self.reducer + Self.reducer).handling(Chore.self) { chore, _, _ in "\(chore)" }
        for run in effect(sum, "hall").runs { #expect(try await run.actions() == [#"sweep("hall")"#]) }
        #expect(sum.handlers.count == 1)
    }

    // MARK: Mapped

    @Test func `contramap of the action keeps an effect described, and the handler embeds its actions`() async throws {
        let whole = Self.handled.contramap(action: Self.left)
        let run = effect(whole, .left("hall")).runs[0]
        #expect(name(run) == "JournalStoreTests.Chore")
        #expect(try await run.actions() == [.left(#"sweep("hall") with a broom"#)])
        #expect(whole.handlers.map(\.name) == ["JournalStoreTests.Chore"])
    }

    @Test func `a scope distinguishes two uses of a reducer`() async throws {
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

    @Test func `contramap of the state or the environment keeps an effect described`() async throws {
        struct World { var tool = "mop" }
        let whole = Self.handled.contramap(environment: { (world: World) in world.tool })
        var state = 0
        #expect(try await whole("hall", &state, World()).runs[0].actions() == [#"sweep("hall") with a mop"#])
        let optional = Self.handled.contramap(state: \Int?.self)
        var maybe: Int? = 0
        #expect(optional("hall", &maybe, "mop").runs.compactMap { name($0) }.count == 1)
        #expect(whole.handlers.count == 1 && optional.handlers.count == 1)
    }

    @Test func `map of the action turns a described effect into a closure effect that does the same`() async throws {
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

    @Test func `onFailure with a function turns a described effect into a closure effect`() async throws {
        let run = effect(Self.handled, "hall").onFailure { _ in "failed" }.runs[0]
        guard case .closure = run.work else {
            Issue.record("it is \(run.work)")
            return
        }
        #expect(try await run.actions() == [#"sweep("hall") with a broom"#])
        let described = effect(Self.handled, "hall").onFailure("failed").onOrphan("orphaned").runs[0]
        #expect(name(described) != nil && described.orphan == "orphaned")
    }

    @Test func `onFailure with a function, in the reducer itself, leaves the effect to the handler`() async throws {
        let reducer = Reducer<String, Int, String> { action, _, _ in
            .perform(Chore.sweep(action)).onFailure { _ in "failed" }
        }
        #expect(name(effect(reducer, "hall").runs[0]) == "JournalStoreTests.Chore")
        let run = effect(reducer.handling(Chore.self) { chore, tool, _ in "\(chore) with a \(tool)" }, "hall").runs[0]
        guard case .closure = run.work else {
            Issue.record("it is \(run.work)")
            return
        }
        #expect(try await run.actions() == [#"sweep("hall") with a broom"#])
    }

    @Test func `map of the action, in the reducer itself, fails with an error that says what to write`() async throws {
        let reducer = Reducer<Int, Int, String> { _, _, _ in
            Effect<String>.perform(Chore.wash).map(action: { $0.count })
        }
        let run = effect(reducer.handling(Chore.self) { _, _, _ in 7 }, 1).runs[0]
        let error = await #expect(throws: EffectFailure.self) { try await run.actions() }
        #expect(error?.description.contains("`map(action:)` was used on the described effect") == true)
    }

    @Test func `a timer stays a timer when it is mapped or scoped`() {
        let effect = Effect<String>.every(.seconds(1), "tick", id: 7).onFailure { _ in nil }.scoped("a")
            .map(action: { $0.count })
        guard case .timer(.every(.seconds(1), .one), 4) = effect.runs[0].work else {
            Issue.record("it is \(effect.runs[0].work)")
            return
        }
        #expect(effect.runs[0].id == AnyEffectID(ScopedID(scope: "a", id: AnyEffectID(7))))
    }

    // MARK: As it is stored

    @Test func `a described effect is stored as its name and its value, and can be decoded`() throws {
        let text = try JSONCodec().encode(Description(Chore.sweep("hall")).scoped("a"))
        #expect(text == #"{"a.JournalStoreTests.Chore":{"sweep":{"_0":"hall"}}}"#)
        #expect(Description.name(in: text) == "a.JournalStoreTests.Chore")
        let handler = Self.handled.contramap(action: Self.left, scope: "a").handlers[0]
        #expect(try handler.read(text, handler.name) as? Chore == .sweep("hall"))
        #expect(throws: (any Error).self) { try handler.read(#"{"Int":1}"#, handler.name) }
        #expect(throws: (any Error).self) { try handler.read(#"{"a.JournalStoreTests.Chore":1}"#, handler.name) }
    }

    @Test func `a text that is not a description has no name`() {
        for text in ["", "7", "[]", "{}", "null"] { #expect(Description.name(in: text) == nil) }
    }
}
