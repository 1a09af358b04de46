import Testing

@testable import JournalStore

/// Not an enum. Outside of a suite, so that its name does not contain the suite's.
struct PlainAction: Sendable { var number: Int }

@Suite struct `Machine, default names` {
    enum Deep: Sendable { case fetch(page: Int), stop }
    enum Part: Sendable { case deep(Deep), maybe(Int?), word(String), two(Int, Deep), result(Result<Int, Never>) }
    enum Action: Sendable { case start, part(Part), labelled(part: Part) }

    struct Named: CustomTestStringConvertible, Sendable {
        var action: any Sendable
        var name: String
        var testDescription: String { name }

        static let all = [
            Named(action: Action.start, name: "start"),
            Named(action: Action.part(.deep(.stop)), name: "part.deep.stop"),
            Named(action: Action.part(.deep(.fetch(page: 3))), name: "part.deep.fetch"),
            Named(action: Action.part(.word("secret")), name: "part.word"),
            Named(action: Action.part(.maybe(5)), name: "part.maybe"),
            Named(action: Action.part(.maybe(nil)), name: "part.maybe"),
            Named(action: Action.part(.two(1, .stop)), name: "part.two"),
            Named(action: Action.part(.result(.success(1))), name: "part.result.success"),
            Named(action: Action.labelled(part: .word("secret")), name: "labelled"),
            Named(action: PlainAction(number: 1), name: "JournalStoreTests.PlainAction"),
            Named(action: 5, name: "Int"),
            Named(action: "secret", name: "String"),
        ]
    }

    @Test(arguments: Named.all)
    func `an action's name consists of its cases, without their values`(_ named: Named) {
        // The second name comes from memory.
        for _ in 1...2 { #expect(StoredName.ofCase(named.action) == named.name) }
    }

    enum Mirrored: Sendable, CustomReflectable {
        case word(String)
        var customMirror: Mirror {
            guard case .word(let text) = self, !text.isEmpty else {
                return Mirror(self, children: [:], displayStyle: .enum)
            }
            return Mirror(self, children: ["shown": text], displayStyle: .enum)
        }
    }

    @Test func `what a custom mirror shows of one value is not remembered for another`() {
        #expect(StoredName.ofCase(Mirrored.word("")) == "word")
        #expect(StoredName.ofCase(Mirrored.word("secret")) == "shown")
    }

    enum Outer: Sendable { case first(Spoken), second(Spoken) }

    enum Debugged: Sendable, CustomDebugStringConvertible {
        case one(Int), two
        var debugDescription: String { "1.50" }
    }

    enum Streamed: Sendable, TextOutputStreamable {
        case one, two, three
        func write<Target: TextOutputStream>(to target: inout Target) { target.write("any") }
    }

    enum General<Value: Sendable>: Sendable, CustomStringConvertible {
        case value(Value), box([Value]), pay
        var description: String { "" }
    }

    /// Records of live effects have these names.
    @Test func `what version 0.1.0 called a case with a description of its own is known`() {
        #expect(StoredName.caseName(of: Spoken.pay).earlierName == StoredName.of(Spoken.self))
        #expect(StoredName.caseName(of: Outer.first(.pay)).earlierName == "first")
        #expect(StoredName.caseName(of: Spoken.add(1)).earlierName == nil)
        #expect(StoredName.caseName(of: Action.part(.deep(.stop))).earlierName == nil)
        #expect(StoredName.caseName(of: 5).earlierName == nil)
    }

    enum Spoken: Sendable, CustomStringConvertible {
        case pay, add(Int)
        var description: String { "whatever a person wrote here" }
    }

    @Test func `a custom description is not the name of a case`() {
        #expect(StoredName.ofCase(Spoken.add(1)) == "add")
        for _ in 1...2 { #expect(StoredName.ofCase(Spoken.pay) == "pay") }
        #expect(StoredName.ofCase(Outer.first(.pay)) == "first.pay")
        #expect(StoredName.ofCase(Outer.second(.pay)) == "second.pay")
        #expect(StoredName.ofCase(Debugged.two) == "two")
        #expect(StoredName.ofCase(Streamed.three) == "three")
        #expect(StoredName.ofCase(General<Int>.pay) == "pay")
    }

    // MARK: In a step

    func names(_ action: Action, _ rule: @escaping @Sendable (Action) -> Effect<Action>) -> [String?] {
        var state = 0
        let reduction = Reduction<Action>.of(action, &state, .of(), limit: 9, undoing: true) { action, _, _ in
            rule(action)
        }
        return reduction.effects.map { if case .run(let run) = $0 { run.name } else { nil } }
    }

    @Test func `a run without a name gets the name of the action that returned it`() {
        #expect(
            names(.part(.deep(.stop))) { _ in .run { nil } + .run("own") { nil } + .fireAndForget {} }
                == ["part.deep.stop", "own", "part.deep.stop"])
    }

    @Test func `a run of a cascade gets the name of the action that .next added`() {
        let found = names(.start) { action in
            switch action {
            case .start: .run { nil } + .next(.part(.word("secret"))) + .run { nil }
            default: .run { nil } + .cancel(id: 1) + .run("own") { nil }
            }
        }
        #expect(found == ["start", "part.word", nil, "own", "start"])
    }
}
