import Dispatch
import Testing

@testable import JournalStore

@Suite struct `Pure, case paths` {
    /// A case path, the roots it matches with their values, and the roots it does not match.
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var check: @Sendable () -> Void

        /// Checks hits before and after misses, because a path remembers its case: that must not change a result.
        init<Root, Value: Equatable & SendableMetatype>(
            _ name: String, _ path: @autoclosure @escaping @Sendable () -> CasePath<Root, Value>,
            hits: @autoclosure @escaping @Sendable () -> [(Root, Value)],
            misses: @autoclosure @escaping @Sendable () -> [Root]
        ) {
            testDescription = name
            check = {
                for isMissedFirst in [false, true] {
                    let path = path()
                    for isMissing in [isMissedFirst, !isMissedFirst, isMissedFirst] {
                        if isMissing {
                            for root in misses() {
                                let found = path.extract(from: root)
                                #expect(found == nil, "\(name), from another case, missed first: \(isMissedFirst)")
                            }
                        } else {
                            for (root, value) in hits() {
                                #expect(path.extract(from: root) == .some(value), "\(name)")
                                #expect(path.extract(from: path.embed(value)) == .some(value), "\(name), embedded")
                            }
                        }
                    }
                }
            }
        }
    }

    // MARK: Payloads

    struct Item: Equatable { var name: String }
    struct Nothing: Equatable {}
    final class Box: Equatable, Sendable {
        static func == (left: Box, right: Box) -> Bool { left === right }
    }
    static let box = Box()

    enum Action {
        case reset
        case add(Item)
        case remove(Item)
        case rename(item: Item)
        case move(Int, Int)
        case swap(from: Int, to: Int)
        case pair((Int, String))
        case namedPair(of: (Int, String))
        case choose(Int?)
        case select(index: Int?)
        case twice(Int??)
        case done(Void)
        case finished(Void)
        case empty(Nothing)
        case blank(Nothing)
        case box(Box)
        case otherBox(Box)
        case list([Int])
        case inner(Inner)
        case otherInner(Inner)
    }

    enum Inner: Equatable {
        case add(Int)
        case remove(Int)
        case choose(Int?)
        case rest
    }

    struct Two<First: Equatable, Second: Equatable>: Equatable {
        var first: First
        var second: Second
    }

    static func two<Root, First: Sendable, Second: Sendable>(
        _ path: CasePath<Root, (First, Second)>
    ) -> CasePath<Root, Two<First, Second>> {
        path.appending(
            path: CasePath(embed: { ($0.first, $0.second) }, extract: { Two(first: $0.0, second: $0.1) }))
    }

    struct Done: Equatable {}

    static func done<Root>(_ path: CasePath<Root, Void>) -> CasePath<Root, Done> {
        path.appending(path: CasePath(embed: { _ in }, extract: { Done() }))
    }

    static let payloads: [Case] = [
        Case(
            "one payload", CasePath(Action.add), hits: [(.add(Item(name: "a")), Item(name: "a"))],
            misses: [.remove(Item(name: "a")), .rename(item: Item(name: "a")), .reset, .choose(nil), .done(())]),
        Case(
            "one payload with a label", CasePath(Action.rename),
            hits: [(.rename(item: Item(name: "a")), Item(name: "a"))],
            misses: [.add(Item(name: "a")), .remove(Item(name: "b")), .reset]),
        Case(
            "two payloads", two(CasePath(Action.move)), hits: [(.move(1, 2), Two(first: 1, second: 2))],
            misses: [.swap(from: 1, to: 2), .pair((1, "2")), .reset]),
        Case(
            "two payloads with labels", two(CasePath(Action.swap)),
            hits: [(.swap(from: 1, to: 2), Two(first: 1, second: 2))], misses: [.move(1, 2), .reset]),
        Case(
            "a tuple", two(CasePath(Action.pair)), hits: [(.pair((1, "a")), Two(first: 1, second: "a"))],
            misses: [.namedPair(of: (1, "a")), .move(1, 2)]),
        Case(
            "a tuple with a label", two(CasePath(Action.namedPair)),
            hits: [(.namedPair(of: (1, "a")), Two(first: 1, second: "a"))], misses: [.pair((1, "a")), .move(1, 2)]),
        Case(
            "an optional", CasePath(Action.choose), hits: [(.choose(1), 1), (.choose(nil), nil)],
            misses: [.select(index: 1), .select(index: nil), .twice(.some(nil)), .twice(nil), .reset]),
        Case(
            "an optional with a label", CasePath(Action.select),
            hits: [(.select(index: nil), nil), (.select(index: 1), 1)],
            misses: [.choose(1), .choose(nil), .reset]),
        Case(
            "an optional of an optional", CasePath(Action.twice),
            hits: [(.twice(nil), nil), (.twice(.some(nil)), .some(nil)), (.twice(1), 1)],
            misses: [.choose(1), .choose(nil), .reset]),
        Case(
            "an optional, extracted as its wrapped type", CasePath<Action, Int>(Action.choose), hits: [(.choose(1), 1)],
            misses: [.choose(nil), .twice(1), .select(index: 1)]),
        Case(
            "void", done(CasePath(Action.done)), hits: [(.done(()), Done())],
            misses: [.finished(()), .reset, .empty(Nothing())]),
        Case(
            "an empty struct", CasePath(Action.empty), hits: [(.empty(Nothing()), Nothing())],
            misses: [.blank(Nothing()), .done(()), .reset]),
        Case(
            "an object", CasePath(Action.box), hits: [(.box(box), box)], misses: [.otherBox(box), .reset]),
        Case(
            "a list", CasePath(Action.list), hits: [(.list([]), []), (.list([1]), [1])], misses: [.choose(1), .reset]),
        Case(
            "an enum", CasePath(Action.inner),
            hits: [(.inner(.add(1)), .add(1)), (.inner(.rest), .rest), (.inner(.choose(nil)), .choose(nil))],
            misses: [.otherInner(.add(1)), .otherInner(.rest), .add(Item(name: "a")), .choose(nil)]),
    ]

    @Test(arguments: payloads) func `a case path extracts the payload of its case and of no other case`(_ test: Case) {
        test.check()
    }

    // MARK: Existentials

    protocol Shape: Sendable {}
    struct Circle: Shape, Equatable { var radius: Int }
    struct Square: Shape, Equatable { var side: Int }

    enum Loose {
        case anything(Any)
        case something(Any)
        case named(value: Any)
        case shape(any Shape)
        case otherShape(any Shape)
        case number(Int)
    }

    @Test func `a payload of type Any is extracted unchanged`() throws {
        let anything = CasePath(Loose.anything)
        #expect(anything.extract(from: .number(1)) == nil)
        #expect(anything.extract(from: .something(1)) == nil)
        #expect(anything.extract(from: .anything(1)) as? Int == 1)
        #expect(anything.extract(from: .anything("a")) as? String == "a")
        #expect(anything.extract(from: .something("a")) == nil)
        let nothing = try #require(anything.extract(from: .anything(Int?.none as Any)))
        #expect(nothing as? Int? == .some(nil))
        let inner = try #require(anything.extract(from: .anything(Loose.something(2))))
        #expect(CasePath(Loose.something).extract(from: try #require(inner as? Loose)) as? Int == 2)
    }

    @Test func `a label is not part of a payload of type Any`() {
        let named = CasePath(Loose.named)
        #expect(named.extract(from: .anything(1)) == nil)
        #expect(named.extract(from: .named(value: 1)) as? Int == 1)
        #expect(named.extract(from: .named(value: "a")) as? String == "a")
        #expect(named.extract(from: .something("a")) == nil)
    }

    @Test func `a case path extracts every concrete type of an existential payload`() {
        let shape = CasePath(Loose.shape)
        #expect(shape.extract(from: .anything(Circle(radius: 1))) == nil)
        #expect(shape.extract(from: .shape(Circle(radius: 1))) as? Circle == Circle(radius: 1))
        #expect(shape.extract(from: .shape(Square(side: 2))) as? Square == Square(side: 2))
        #expect(shape.extract(from: .otherShape(Circle(radius: 1))) == nil)
    }

    @Test func `a case path to a concrete type matches only payloads of that type`() {
        let circle: CasePath<Loose, Circle> = CasePath(Loose.shape)
        #expect(circle.extract(from: .shape(Square(side: 2))) == nil)
        #expect(circle.extract(from: .otherShape(Circle(radius: 1))) == nil)
        #expect(circle.extract(from: .shape(Circle(radius: 1))) == Circle(radius: 1))
        #expect(circle.extract(from: .shape(Square(side: 2))) == nil)
    }

    // MARK: Roots

    indirect enum Tree: Equatable, Sendable {
        case leaf(Int)
        case node(Tree)
        case mirrored(Tree)
        case fork(Tree, Tree)
    }

    enum Overloaded: Equatable {
        case move(x: Int)
        case move(y: Int)
        case move(Int, Int)
    }

    enum Loading<Content: Equatable & Sendable>: Equatable {
        case loaded(Content)
        case cached(value: Content)
        case failed(Int)
    }

    struct Described: CustomStringConvertible, CustomDebugStringConvertible, Equatable {
        var description: String { "same" }
        var debugDescription: String { "same" }
    }

    enum Talkative: CustomStringConvertible, CustomDebugStringConvertible, Equatable {
        case one(Int)
        case other(Int)
        case described(Described)
        var description: String { "same" }
        var debugDescription: String { "same" }
    }

    enum Foreign: Shape, Equatable {
        case add(Item)
    }
    enum Domestic: Shape, Equatable {
        case add(Item)
        case remove(Item)
    }

    static let roots: [Case] = [
        Case(
            "an indirect enum", CasePath(Tree.node),
            hits: [(.node(.leaf(1)), .leaf(1)), (.node(.node(.leaf(1))), .node(.leaf(1)))],
            misses: [.leaf(1), .mirrored(.node(.leaf(1))), .fork(.node(.leaf(1)), .leaf(1))]),
        Case(
            "an indirect enum with two payloads of its own type", two(CasePath(Tree.fork)),
            hits: [(.fork(.leaf(1), .node(.leaf(2))), Two(first: .leaf(1), second: .node(.leaf(2))))],
            misses: [.node(.fork(.leaf(1), .leaf(2))), .leaf(1)]),
        Case(
            "the first of two cases with one base name", CasePath(Overloaded.move(x:)), hits: [(.move(x: 1), 1)],
            misses: [.move(y: 1), .move(1, 1)]),
        Case(
            "the second of two cases with one base name", CasePath(Overloaded.move(y:)), hits: [(.move(y: 1), 1)],
            misses: [.move(x: 1), .move(1, 1)]),
        Case(
            "a generic enum", CasePath(Loading<Int>.loaded), hits: [(.loaded(1), 1)],
            misses: [.cached(value: 1), .failed(1)]),
        Case(
            "a generic enum of an optional", CasePath(Loading<Int?>.cached),
            hits: [(.cached(value: nil), nil), (.cached(value: 1), 1)],
            misses: [.loaded(nil), .loaded(1), .failed(1)]),
        Case(
            "an enum with a custom description", CasePath(Talkative.one), hits: [(.one(1), 1)],
            misses: [.other(1), .described(Described())]),
        Case(
            "a payload with a custom description", CasePath(Talkative.described),
            hits: [(.described(Described()), Described())],
            misses: [.one(1)]),
        Case("an optional", CasePath(Int?.some), hits: [(1, 1)], misses: [nil]),
        Case("an optional of an optional", CasePath(Int??.some), hits: [(1, 1), (.some(nil), nil)], misses: [nil]),
        Case(
            "an enum in an optional", CasePath<Inner?, Int>(Inner.add), hits: [(.add(1), 1)],
            misses: [nil, .remove(1), .choose(1), .rest]),
        Case(
            "an optional payload in an optional", CasePath<Inner?, Int?>(Inner.choose),
            hits: [(.choose(nil), nil), (.choose(1), 1)], misses: [nil, .add(1), .rest]),
        Case(
            "an enum in two optionals", CasePath<Inner??, Int>(Inner.add), hits: [(.add(1), 1)],
            misses: [nil, .some(nil), .remove(1)]),
        Case(
            "an optional existential", CasePath<(any Shape)?, Item>(Domestic.add),
            hits: [(Domestic.add(Item(name: "a")), Item(name: "a"))],
            misses: [nil, Foreign.add(Item(name: "a")), Domestic.remove(Item(name: "a")), Circle(radius: 1)]),
        Case(
            "an enum as an existential", CasePath<any Shape, Item>(Domestic.add),
            hits: [(Domestic.add(Item(name: "a")), Item(name: "a"))],
            misses: [Foreign.add(Item(name: "a")), Domestic.remove(Item(name: "a")), Circle(radius: 1)]),
    ]

    @Test(arguments: roots) func `a case path distinguishes its case from all other values of the root`(_ test: Case) {
        test.check()
    }

    // MARK: The remembered case

    @Test func `a case path learns its case with one call of its embed function, even from another case`() {
        let made = Lock(0)
        let path = CasePath<Inner, Int> { value in
            made.withLock { $0 += 1 }
            return .add(value)
        }
        #expect(path.extract(from: .rest) == nil)
        #expect(made.withLock { $0 } == 0)
        #expect(path.extract(from: .remove(1)) == nil)
        #expect(made.withLock { $0 } == 1)
        for number in 0..<10 {
            #expect(path.extract(from: .add(number)) == number)
            #expect(path.extract(from: .remove(number)) == nil)
        }
        #expect(made.withLock { $0 } == 1)
    }

    // MARK: Limits of reflection

    enum Secretive: CustomReflectable {
        case one(Int)
        case other(Int)
        var customMirror: Mirror {
            Mirror(self, children: ["one": 7], displayStyle: .enum)
        }
    }

    @Test func `a reflecting case path never matches an enum with a custom mirror`() {
        let path = CasePath(Secretive.one)
        #expect(path.extract(from: .one(1)) == nil)
        #expect(path.extract(from: .other(1)) == nil)
        let exact = CasePath(embed: Secretive.one, extract: { if case .one(let value) = $0 { value } else { nil } })
        #expect(exact.extract(from: .one(1)) == 1)
    }

    enum Calling {
        case function(@Sendable (Int) -> Int)
        case labelled(call: @Sendable (Int) -> Int)
        case perhaps((@Sendable (Int) -> Int)?)
    }

    @Test func `a reflecting case path never extracts a function, because a mirror damages functions`() {
        #expect(CasePath(Calling.function).extract(from: .function { $0 }) == nil)
        #expect(CasePath(Calling.labelled).extract(from: .labelled { $0 }) == nil)
        #expect(CasePath(Calling.perhaps).extract(from: .perhaps { $0 }) == nil)
        let exact = CasePath(
            embed: Calling.function, extract: { if case .function(let call) = $0 { call } else { nil } })
        #expect(exact.extract(from: .function { $0 + 1 })?(1) == 2)
    }

    @Test func `a reflecting case path never matches a root that is not an enum`() {
        #expect(CasePath<(Int, Int), Int>({ ($0, $0) }).extract(from: (1, 1)) == nil)
        #expect(CasePath<Item, String>({ Item(name: $0) }).extract(from: Item(name: "a")) == nil)
        #expect(CasePath<Any, Int>({ $0 }).extract(from: 1) == nil)
    }

    // MARK: Cases without a payload

    enum Button: Equatable, Sendable {
        case press
        case hold
        case turn(Int)
    }

    @Test func `a case without a payload is matched by equality`() {
        let press = CasePath(Button.press)
        #expect(press.extract(from: .press) != nil)
        #expect(press.extract(from: .hold) == nil)
        #expect(press.extract(from: .turn(1)) == nil)
        #expect(press.embed(()) == .press)
    }

    @Test func `the value type of a case path is the payload of its case, or Void`() {
        #expect(type(of: CasePath(Button.press)) == CasePath<Button, Void>.self)
        #expect(type(of: CasePath(Button.turn)) == CasePath<Button, Int>.self)
        #expect(type(of: CasePath(Action.done)) == CasePath<Action, Void>.self)
        #expect(type(of: CasePath(Action.rename)) == CasePath<Action, Item>.self)
        #expect(type(of: CasePath(Action.swap)) == CasePath<Action, (Int, Int)>.self)
        #expect(type(of: CasePath(Action.choose)) == CasePath<Action, Int?>.self)
        #expect(type(of: /Button.press) == CasePath<Button, Void>.self)
        #expect(type(of: /Button.turn) == CasePath<Button, Int>.self)
    }

    // MARK: Composition

    @Test func `appended paths reach a nested case`() {
        let path = CasePath(Action.inner).appending(path: CasePath(Inner.add))
        #expect(path.extract(from: .inner(.add(1))) == 1)
        #expect(path.extract(from: .inner(.remove(1))) == nil)
        #expect(path.extract(from: .otherInner(.add(1))) == nil)
        #expect(path.extract(from: .reset) == nil)
        #expect(path.extract(from: path.embed(2)) == 2)
        #expect(CasePath(Action.inner).extract(from: path.embed(2)) == .add(2))
    }

    @Test func `appended paths match a payload that is nil`() {
        let path = CasePath(Action.inner).appending(path: CasePath(Inner.choose))
        #expect(path.extract(from: .inner(.choose(nil))) == .some(nil))
        #expect(path.extract(from: .inner(.rest)) == .none)
    }

    @Test func `appending is associative, and the last case may have no payload`() {
        let (first, second, third) = (CasePath(Tree.node), CasePath(Tree.mirrored), CasePath(Tree.leaf(1)))
        let left = first.appending(path: second).appending(path: third)
        let right = first.appending(path: second.appending(path: third))
        for path in [left, right] {
            #expect(path.extract(from: .node(.mirrored(.leaf(1)))) != nil)
            #expect(path.extract(from: .node(.mirrored(.leaf(2)))) == nil)
            #expect(path.extract(from: .node(.leaf(1))) == nil)
            #expect(path.embed(()) == .node(.mirrored(.leaf(1))))
        }
    }

    @Test func `the identity path changes nothing before or after another path`() {
        #expect(CasePath.identity.extract(from: Inner.rest) == .rest)
        #expect(CasePath.identity.embed(Inner.rest) == .rest)
        let path = CasePath.identity.appending(path: CasePath(Inner.add)).appending(path: .identity)
        #expect(path.extract(from: .add(1)) == 1)
        #expect(path.extract(from: .remove(1)) == nil)
        #expect(path.embed(1) == .add(1))
    }

    // MARK: The operator

    /// Has `contramap` methods like a reducer.
    struct Part {
        var found: [Bool] = []
        func contramap<Root, Value>(action path: CasePath<Root, Value>, from root: Root) -> Self {
            Part(found: found + [path.extract(from: root) != nil])
        }
        func contramap<Root, Value>(state path: CasePath<Root, Value>, from root: Root) -> Self {
            Part(found: found + [path.extract(from: root) != nil])
        }
        func contramap<Root, Value, Other>(_ one: CasePath<Root, Value>, _ other: CasePath<Root, Other>) -> Self {
            self
        }
    }

    @Test func `a slash before a case is a case path, also on consecutive lines`() {
        let part = Part()
            .contramap(action: /Button.press, from: .press)
            .contramap(state: /Button.turn, from: .turn(1))
            .contramap(action: /Button.hold, from: .press)  // A comment has slashes, too.
            .contramap(/Button.press, /Button.turn)
        #expect(part.found == [true, true, false])
        let path = /Action.inner
        let other = /Inner.add
        #expect(path.appending(path: other).extract(from: .inner(.add(4 / 2))) == 2)
        let paths = [/Inner.add, /Inner.remove]
        #expect(paths.map { $0.extract(from: .remove(1)) } == [nil, 1])
    }

    // MARK: Threads

    @Test func `concurrent first extractions by many tasks are correct`() async {
        for round in 0..<50 {
            let path = CasePath(Inner.add)
            await withTaskGroup(of: Int.self) { group in
                for task in 0..<16 {
                    group.addTask {
                        (0..<40).count { number in
                            let value = number &+ task &+ round
                            // Half of the tasks begin with the wrong case.
                            let isRight = path.extract(from: (task + number) % 2 == 0 ? .add(value) : .remove(value))
                            return isRight != ((task + number) % 2 == 0 ? value : nil)
                        }
                    }
                }
                for await wrong in group { #expect(wrong == 0) }
            }
        }
    }

    @Test func `concurrent extractions by many threads are correct`() {
        let path = CasePath(Action.rename)
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for number in 0..<500 {
                let item = Item(name: "\(thread) \(number)")
                let found = path.extract(from: number % 3 == 0 ? .add(item) : .rename(item: item))
                if found != (number % 3 == 0 ? nil : item) { Issue.record("\(number)") }
            }
        }
    }
}
