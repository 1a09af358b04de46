import Foundation
import Testing
import TortureKit

@testable import JournalStore

/// Two values and the description of their diff.
private struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var diff: ValueDiff
    var expected: String

    init<Value>(_ name: String, _ old: Value, _ new: Value, _ expected: String = "") {
        testDescription = name
        diff = ValueDiff(from: old, to: new)
        self.expected = expected
    }
}

private struct Item: Hashable {
    var name: String
    var price: Int
}

private struct Line: Equatable, Identifiable {
    var id: Int
    var count = 1
}

private enum Payment: Hashable {
    case none
    case pending(since: Int)
    case split(Int, Int)
    case mixed(cash: Int, card: String)
    case item(Item)
    case maybe(Int?)
    case paid
}

private struct Shop: Hashable {
    var items: [Item] = []
    var stock: [String: Item] = [:]
    var tags: Set<String> = []
    var payment = Payment.none
    var note: String?
}

private struct Reading: Hashable {
    var value: Double
}

/// A type without `==`.
private struct Plain {
    var item: Item?
    var action: @Sendable () -> Void = {}
}

private class Base {
    var count = 0
}

private final class Node: Base {
    var next: Node?
    weak var back: Node?

    init(_ count: Int, _ next: Node? = nil) {
        super.init()
        self.count = count
        self.next = next
    }
}

private final class Owner: Identifiable {
    let count: Int
    init(_ count: Int) { self.count = count }
}

/// Its `==` compares a field that its mirror hides.
private struct Sealed: Equatable, CustomReflectable {
    var secret: Int
    var customMirror: Mirror { Mirror(self, children: []) }
}

/// Its mirror omits fields that are zero.
private struct Sparse: CustomReflectable {
    var year = 0
    var day = 0
    var customMirror: Mirror {
        let fields: [(String?, Any)] = [("year", year), ("day", day)].filter { $0.1 != 0 }
        return Mirror(self, children: fields.map { (label: $0, value: $1) })
    }
}

/// A custom description, and one field.
private struct Code: Hashable, CustomStringConvertible {
    var number: Int
    var description: String { "#\(number)" }
}

/// A custom description, and more than one field.
private struct Labelled: Hashable, CustomStringConvertible {
    var first: Int
    var second: Int
    var description: String { "labelled \(second)" }
}

private struct Grade: Hashable, LosslessStringConvertible {
    var points = 0
    var bonus = 0
    init(_ description: String) { points = description.count }
    var description: String { String(repeating: "*", count: points) }
}

private enum Lamp: CustomStringConvertible {
    case red, green
    var description: String { self == .red ? "R" : "G" }
}

/// Without `==`, and with a description that does not tell its cases apart.
private enum Masked: CustomStringConvertible {
    case none
    case declined
    case paid(Plain)
    var description: String { "***" }
}

private indirect enum Chain: Equatable {
    case end(Int)
    case link(Chain)

    static func length(_ count: Int, _ end: Int) -> Chain {
        (0..<count).reduce(.end(end)) { chain, _ in .link(chain) }
    }
}

/// Without `==`, so that only the walk can find differences.
private indirect enum BareChain {
    case end(Int)
    case link(BareChain)
}

private struct Lazy {
    lazy var total = 3
}

private struct Pair<First, Second> {
    var first: First
    var second: Second
}

@Suite struct `Pure, the diff of two values` {
    @Test(arguments: [
        Case("equal values", Item(name: "a", price: 1), Item(name: "a", price: 1)),
        Case("the whole value", 1, 2, "self: 1 → 2"),
        Case("a field", Item(name: "a", price: 1), Item(name: "a", price: 2), "price: 1 → 2"),
        Case(
            "two fields, in their order", Item(name: "a", price: 1), Item(name: "b", price: 2),
            #"""
            name: "a" → "b"
            price: 1 → 2
            """#),
        Case("a tuple", (a: 1, 2, c: 3), (a: 1, 3, c: 4), "1: 2 → 3\nc: 3 → 4"),
        Case("a nested tuple", Pair(first: (1, 2), second: 0), Pair(first: (1, 3), second: 0), "first.1: 2 → 3"),
        Case("a type without ==", Plain(item: Item(name: "a", price: 1)), Plain(item: Item(name: "a", price: 1))),
        Case(
            "a field of a type without ==", Plain(item: Item(name: "a", price: 1)),
            Plain(item: Item(name: "a", price: 2)), "item.price: 1 → 2"),
        Case("another type", 1 as Any, "1" as Any, #"self: 1 → "1""#),
        Case("another type with the same description", 1 as Any, Int8(1) as Any, "self: 1 as Int → 1 as Int8"),
        Case("a type-erased value", AnyHashable(1), AnyHashable(2), "self: 1 → 2"),
        Case("a lazy property", Lazy(total: 1), Lazy(total: 2), "total: 1 → 2"),
        Case("a mirror without the field", Sparse(year: 1, day: 2), Sparse(day: 2), "- year: 1"),
        Case("a mirror with one more field", Sparse(day: 2), Sparse(year: 1, day: 3), "day: 2 → 3\n+ year: 1"),
    ])
    private func `each field that differs has its own line`(_ test: Case) {
        #expect(test.diff.description == test.expected)
    }

    @Test(arguments: [
        Case("nil to a value", nil as Int?, 3, "self: nil → 3"),
        Case("a value to nil", Shop(note: "x"), Shop(), #"note: "x" → nil"#),
        Case("a value to another", 3 as Int?, 4, "self: 3 → 4"),
        Case("nil and nil", nil as Plain?, nil),
        Case(
            "a field of an optional", Item(name: "a", price: 1) as Item?, Item(name: "a", price: 2),
            "price: 1 → 2"),
        Case("a wrapped nil and nil", .some(nil) as Int??, nil, "self: .some(nil) → nil"),
        Case("an optional of an optional", 3 as Int??, 4, "self: 3 → 4"),
        Case("optional elements", [1, nil, 3] as [Int?], [1, 2, 4], "[1]: nil → 2\n[2]: 3 → 4"),
    ])
    private func `a path does not show optionals`(_ test: Case) {
        #expect(test.diff.description == test.expected)
    }

    @Test(arguments: [
        Case("another case", Payment.none, .paid, "self: .none → .paid"),
        Case(
            "another case with a payload", Shop(payment: .pending(since: 3)), Shop(payment: .split(1, 2)),
            "payment: .pending(since: 3) → .split(1, 2)"),
        Case(
            "a labelled payload", Shop(payment: .pending(since: 3)), Shop(payment: .pending(since: 4)),
            "payment.pending.since: 3 → 4"),
        Case("a payload", Payment.maybe(1), .maybe(nil), "maybe: 1 → nil"),
        Case("two payloads without labels", Payment.split(1, 2), .split(1, 3), "split.1: 2 → 3"),
        Case(
            "two payloads with labels", Payment.mixed(cash: 1, card: "a"), .mixed(cash: 2, card: "b"),
            #"""
            mixed.cash: 1 → 2
            mixed.card: "a" → "b"
            """#),
        Case(
            "a struct as payload", Payment.item(Item(name: "a", price: 1)), .item(Item(name: "a", price: 2)),
            "item.price: 1 → 2"),
        Case("a custom description", Lamp.red, .green, "self: R → G"),
        Case("a result", Result<Int, CancellationError>.success(1), .success(2), "success: 1 → 2"),
    ])
    private func `a changed case is one change, and a changed payload has its own path`(_ test: Case) {
        #expect(test.diff.description == test.expected)
    }

    @Test(arguments: [
        Case("an element", [1, 2, 3], [1, 9, 3], "[1]: 2 → 9"),
        Case(
            "a field of an element", Shop(items: [Item(name: "a", price: 1), Item(name: "b", price: 2)]),
            Shop(items: [Item(name: "a", price: 1), Item(name: "b", price: 3)]), "items[1].price: 2 → 3"),
        Case("the first of many is removed", Array(0..<100), Array(1..<100), "- [0]: 0"),
        Case("one is inserted in front", Array(1..<100), Array(0..<100), "+ [0]: 0"),
        Case("one is appended", [1, 2], [1, 2, 3], "+ [2]: 3"),
        Case("all are removed", [1, 2], [], "- [0]: 1\n- [1]: 2"),
        Case("a block is removed", Array(0..<1_000), Array(0..<10) + Array(12..<1_000), "- [10]: 10\n- [11]: 11"),
        Case(
            "one is removed, one is changed, one is inserted", [0, 1, 2, 3, 4, 5, 6], [1, 2, 9, 4, 5, 7, 6],
            "- [0]: 0\n[2]: 3 → 9\n+ [5]: 7"),
        Case("one is moved", [1, 2, 3, 4], [2, 3, 4, 1], "- [0]: 1\n+ [3]: 1"),
        Case("one of several equal ones is removed", [1, 1, 1], [1, 1], "- [2]: 1"),
        Case("a block is replaced by a shorter one", [0, 1, 2, 3, 9], [0, 7, 9], "[1]: 1 → 7\n- [2]: 2\n- [3]: 3"),
        Case(
            "identifiable elements", [Line(id: 1), Line(id: 2)], [Line(id: 2, count: 5)],
            "- [0]: Line(id: 1, count: 1)\n[0].count: 1 → 5"),
        Case(
            "another identity is another element", [Line(id: 1)], [Line(id: 2)],
            "- [0]: Line(id: 1, count: 1)\n+ [0]: Line(id: 2, count: 1)"),
        Case(
            "an identifiable element is moved, and all are changed", [Line(id: 1), Line(id: 2), Line(id: 3)],
            [Line(id: 3, count: 5), Line(id: 1, count: 6), Line(id: 2, count: 7)],
            """
            + [0]: Line(id: 3, count: 5)
            [1].count: 1 → 6
            [2].count: 1 → 7
            - [2]: Line(id: 3, count: 1)
            """),
        Case(
            "many identifiable elements, all changed", (0..<300).map { Line(id: $0) },
            (1..<300).map { Line(id: $0, count: 2) }, manyLines),
        Case(
            "elements without ==", [Plain(item: Item(name: "a", price: 1)), Plain()], [Plain()],
            "- [0]: Plain(item: Item(name: \"a\", price: 1), action: (Function))"),
        Case("lists in lists", [[1, 2], [3]], [[1, 2], [3, 4]], "+ [1][1]: 4"),
        Case("a slice", [1, 2, 3][1...], [1, 2, 4][1...], "[1]: 3 → 4"),
        Case("too many edits are compared by index", Array(0..<300), (0..<300).map { $0 / 2 * 2 + 1 }, tooMany),
    ])
    private func `a list is aligned, so that one removal is one change`(_ test: Case) {
        #expect(test.diff.description == test.expected)
    }

    private static let manyLines = (["- [0]: Line(id: 0, count: 1)"] + (0..<299).map { "[\($0)].count: 1 → 2" })
        .joined(separator: "\n")
    private static let tooMany = stride(from: 0, to: 300, by: 2).map { "[\($0)]: \($0) → \($0 + 1)" }
        .joined(separator: "\n")

    @Test(arguments: [
        Case("a value", ["a": 1, "b": 2], ["a": 1, "b": 3], #"["b"]: 2 → 3"#),
        Case("a removed and an added key", ["a": 1, "b": 2], ["b": 2, "c": 3], "- [\"a\"]: 1\n+ [\"c\"]: 3"),
        Case(
            "a field of a value", Shop(stock: ["ann": Item(name: "x", price: 1)]),
            Shop(stock: ["ann": Item(name: "x", price: 2)]), #"stock["ann"].price: 1 → 2"#),
        Case("integers in numeric order", [2: "a", 10: "b"], [:], "- [2]: \"a\"\n- [10]: \"b\""),
        Case("cases as keys", [Payment.paid: 1], [Payment.paid: 2], "[.paid]: 1 → 2"),
        Case("structs as keys", [Item(name: "a", price: 1): 1], [:], #"- [Item(name: "a", price: 1)]: 1"#),
        Case("optional values", ["a": nil, "b": 2] as [String: Int?], ["a": 1], "[\"a\"]: nil → 1\n- [\"b\"]: 2"),
        Case("type-erased keys", ["a": 1, 2: 3] as [AnyHashable: Int], ["a": 1, 2: 4], "[2]: 3 → 4"),
        Case("a removed and an added member", Set([1, 2]), Set([2, 3]), "- []: 1\n+ []: 3"),
        Case(
            "members in the order of their text", Shop(tags: ["b"]), Shop(tags: ["c", "a"]),
            "+ tags[]: \"a\"\n- tags[]: \"b\"\n+ tags[]: \"c\""),
    ])
    private func `dictionary values are matched by their keys, and set members by themselves`(_ test: Case) {
        #expect(test.diff.description == test.expected)
    }

    @Test(arguments: [
        Case("NaN", Double.nan, -.nan),
        Case("a number and NaN", 1.0, .nan, "self: 1.0 → nan"),
        Case("NaN and a number", Double.nan, 1, "self: nan → 1.0"),
        Case("NaN in a struct", Pair(first: Float.nan, second: 1), Pair(first: .nan, second: 1)),
        Case("NaN in a struct with ==", Reading(value: .nan), Reading(value: .nan)),
        Case("NaN in a list", [1, Double.nan], [1, .nan]),
        Case("NaN in structs in a list", [Reading(value: .nan)], [Reading(value: .nan)]),
        Case("NaN in structs as members", [Reading(value: .nan)] as Set, [Reading(value: .nan)]),
        Case("NaN in a list, moved", [1, .nan, 2, .nan], [.nan, 2, .nan], "- [0]: 1.0"),
        Case("NaN as a key", [Double.nan: 1], [.nan: 1]),
        Case("NaN as a member", [Double.nan, 1] as Set, [1, .nan]),
        Case("NaN in an optional", Double.nan as Double?, .nan),
        Case("both zeros", 0.0, -0.0),
    ])
    private func `a diff treats NaN as equal to NaN`(_ test: Case) {
        #expect(test.diff.description == test.expected)
    }

    @Test(arguments: [
        Case(
            "a UUID", UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)),
            UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2)),
            "self: 00000000-0000-0000-0000-000000000001 → 00000000-0000-0000-0000-000000000002"),
        Case(
            "a date", Date(timeIntervalSince1970: 0), Date(timeIntervalSince1970: 60),
            "self: 1970-01-01 00:00:00 +0000 → 1970-01-01 00:01:00 +0000"),
        Case(
            "a date within its second", Date(timeIntervalSinceReferenceDate: 0.25),
            Date(timeIntervalSinceReferenceDate: 0.5), "timeIntervalSinceReferenceDate: 0.25 → 0.5"),
        Case("a URL", URL(string: "http://a.b/c"), URL(string: "http://a.b/d"), "self: http://a.b/c → http://a.b/d"),
        Case("bytes", Data([1, 2, 255]), Data([1, 3]), "self: Data(3 bytes: 0102ff) → Data(2 bytes: 0103)"),
        Case(
            "many bytes", Data(0..<100), Data(Array(0..<50) + [7] + Array(51..<100)),
            """
            - self: Data(100 bytes: …2a2b2c2d2e2f303132333435363738393a3b3c3d3e3f40414243444546474849…)
            + self: Data(100 bytes: …2a2b2c2d2e2f303107333435363738393a3b3c3d3e3f40414243444546474849…)
            """),
        Case("no bytes", Data(), Data([1]), "self: Data(0 bytes) → Data(1 byte: 01)"),
        Case("a decimal", Decimal(1), Decimal(2), "self: 1 → 2"),
        Case("a range", 1..<3, 1..<4, "self: 1..<3 → 1..<4"),
        Case("a range of byte values", UInt8(1)...3, 1...4, "self: 1...3 → 1...4"),
        Case("a duration", Duration.seconds(1), .seconds(2), "self: 1.0 seconds → 2.0 seconds"),
        Case("a character", "a" as Character, "b", #"self: "a" → "b""#),
        Case("a timestamp of the journal", Timestamp(microseconds: 0), Timestamp(microseconds: 1), moments),
        Case("a wrapper with a description", Code(number: 1), Code(number: 2), "self: #1 → #2"),
        Case("a type that is only its description", Grade("a"), Grade("ab"), "self: * → **"),
        Case(
            "several fields beside a description", Labelled(first: 1, second: 2), Labelled(first: 1, second: 3),
            "second: 2 → 3"),
        Case("a type", Int.self as any Any.Type, String.self, "self: Int → String"),
        Case("closures", {} as @Sendable () -> Void, { print() }),
        Case(
            "a hidden difference", Sealed(secret: 1), Sealed(secret: 2),
            "self: Sealed() → Sealed() (unequal, but described alike)"),
        Case(
            "a hidden difference in a dictionary", ["a": Sealed(secret: 1)], ["a": Sealed(secret: 2)],
            #"["a"]: Sealed() → Sealed() (unequal, but described alike)"#),
        Case(
            "a case that its description hides", Masked.none, Masked.declined,
            "self: *** → *** (unequal, but described alike)"),
        Case("a case that its description hides, unchanged", Masked.declined, Masked.declined),
        Case(
            "a case that its description hides, in a list", [Masked.none, .none], [Masked.none, .declined],
            "[1]: *** → *** (unequal, but described alike)"),
    ])
    private func `a leaf is shown by its own description`(_ test: Case) {
        #expect(test.diff.description == test.expected)
    }

    private static let moments = "self: 1970-01-01T00:00:00.000000Z → 1970-01-01T00:00:00.000001Z"

    @Test(arguments: [
        Case("a short text", "a \"b\"", "a 'b'\u{1B}", #"self: "a \"b\"" → "a 'b'\u{1b}""#),
        Case(
            "a word in a long text", "\(long) old \(long)", "\(long) new \(long)",
            #"self: …"nd of this line old 60 characters o"… → …"nd of this line new 60 characters o"…"#),
        Case("more at the end", long + long, long + long + "!", #"self: …"end of this line" → …"end of this line!""#),
        Case("a line", "one\ntwo\nthree", "one\n2\nthree", #"self: …"two"… → …"2"…"#),
        Case("an added line", "one\ntwo", "one\ntwo\nthree", #"self: …"two" → …"two\nthree""#),
        Case("a removed line", "one\ntwo\nthree", "one\nthree", #"self: …"two\nthree" → …"three""#),
        Case("empty to lines", "", "one\ntwo", #"self: "" → "one\ntwo""#),
        Case("another long text", String(repeating: "a", count: 90), "b", "self: \"\(a80)\"… → \"b\""),
        Case("two characters of many scalars", "\(long) 👨‍👩‍👧 \(long)", "\(long) 👨‍👩‍👦 \(long)", families),
        Case("the same letter, written in two ways", "caf\u{E9}", "cafe\u{301}"),
    ])
    private func `a changed text is shown around the difference`(_ test: Case) {
        #expect(test.diff.description == test.expected)
    }

    private static let long = "60 characters of text, to be cut down to the end of this line"
    private static let a80 = String(repeating: "a", count: 80)
    private static let families =
        #"self: …"nd of this line 👨‍👩‍👧 60 characters o"… → …"nd of this line 👨‍👩‍👦 60 characters o"…"#

    @Test(arguments: [
        Case("the same fields", Node(1), Node(1)),
        Case("a field of the superclass", Node(1), Node(2), "count: 1 → 2"),
        Case("a nested object's field", Node(1, Node(2, Node(3))), Node(1, Node(2, Node(4))), "next.next.count: 3 → 4"),
        Case("another class", Base(), Node(0) as Base, "self: Base(count: 0) → Node(count: 0, next: nil, back: nil)"),
        Case("an added object", Node(1), Node(1, Node(2)), "next: nil → Node(count: 2, next: nil, back: nil)"),
        Case("an address is not an identity", [Owner(1), Owner(2)], [Owner(1), Owner(3)], "[1].count: 2 → 3"),
        Case("the same pair twice", twice(1), twice(2), "[0].count: 1 → 2"),
    ])
    private func `an object is compared by its fields`(_ test: Case) {
        #expect(test.diff.description == test.expected)
    }

    private static func twice(_ count: Int) -> [Base] {
        let node = Node(count)
        return [node, node]
    }

    @Test func `a diff of objects in a cycle terminates`() {
        func circle(_ count: Int) -> Node {
            let last = Node(count)
            let first = Node(1, last)
            last.next = first
            last.back = first
            return first
        }
        let (one, same, other) = (circle(2), circle(2), circle(3))
        defer { for node in [one, same, other] { node.next?.next = nil } }
        #expect(ValueDiff(from: one, to: same).isEmpty)
        #expect(ValueDiff(from: one, to: other).description == "next.count: 2 → 3")
        #expect(
            ValueDescription(of: one).description
                == "Node(count: 1, next: Node(count: 2, next: Node(…), back: Node(…)), back: nil)")
    }

    @Test func `a diff walks shared objects once`() {
        final class Twin {
            var left: Any
            var right: Any
            init(_ both: Any) { (left, right) = (both, both) }
        }
        func tower(_ end: Int) -> Any { (0..<40).reduce(end as Any) { below, _ in Twin(below) } }
        #expect(ValueDiff(from: tower(1), to: tower(1)).isEmpty)
        #expect(ValueDiff(from: tower(1), to: tower(2)).changes.count == 2)
    }

    @Test func `a diff does not walk to the end of a value that is too deep, and still reports a difference`() {
        let diff = ValueDiff(from: Chain.length(5_000, 1), to: Chain.length(5_000, 2))
        #expect(diff.changes.count == 1)
        #expect(diff.changes.first?.path.split(separator: ".").allSatisfy { $0 == "link" } == true)
        #expect(diff.description.contains("…"))
        #expect(diff.description.hasSuffix("(unequal, but described alike)"))

        func bare(_ count: Int, _ end: Int) -> BareChain { (0..<count).reduce(.end(end)) { below, _ in .link(below) } }
        #expect(ValueDiff(from: bare(5_000, 1), to: bare(5_000, 1)).isEmpty)
        #expect(ValueDiff(from: bare(40, 1), to: bare(40, 2)).changes.map(\.new) == ["2"])
    }

    @Test func `a change that is too long for one line has a block for each side`() {
        let old = Shop(items: (1...3).map { Item(name: "something with a name", price: $0) })
        let diff = ValueDiff(from: old as Shop?, to: nil)
        #expect(
            diff.description == """
                - self: Shop(
                -     items: [
                -         Item(name: "something with a name", price: 1),
                -         Item(name: "something with a name", price: 2),
                -         Item(name: "something with a name", price: 3)
                -     ],
                -     stock: [:],
                -     tags: [],
                -     payment: .none,
                -     note: nil
                - )
                + self: nil
                """)
    }

    @Test func `a diff truncates a huge part`() throws {
        let diff = ValueDiff(from: nil as [Int]?, to: Array(0..<5_000))
        let change = try #require(diff.changes.first)
        #expect(change.old == "nil")
        #expect(change.new?.hasSuffix("    198,\n    … 4801 more\n]") == true)
    }

    @Test func `a change has a description and can be compared`() {
        let diff = ValueDiff(from: Item(name: "a", price: 1), to: Item(name: "a", price: 2))
        #expect(diff.changes == [ValueDiff.Change(path: "price", old: "1", new: "2")])
        #expect(ValueDiff.Change(path: "", old: nil, new: "2").description == "+ self: 2")
        #expect(ValueDiff.Change(path: "x", old: nil, new: nil).description == "x")
    }
}

@Suite struct `Pure, unordered collections` {
    @Test(arguments: 1...5) func `the order of a dictionary or set changes neither diff nor description`(_ seed: Int) {
        var random = SplitMix(seed: UInt64(seed))
        let keys = (0..<200).map { "key \($0)" }
        func shuffled() -> Pair<[String: Int], Set<String>> {
            // Another capacity gives another order.
            var dictionary = [String: Int](minimumCapacity: Int.random(in: 1...2_000, using: &random))
            for key in keys.shuffled(using: &random) { dictionary[key] = key.count }
            var set = Set<String>(minimumCapacity: Int.random(in: 1...2_000, using: &random))
            for key in keys.shuffled(using: &random) { set.insert(key) }
            return Pair(first: dictionary, second: set)
        }
        let (one, other) = (shuffled(), shuffled())
        #expect(ValueDiff(from: one, to: other).isEmpty)
        #expect(ValueDescription(of: one) == ValueDescription(of: other))
        #expect(
            ValueDiff(from: one, to: Pair(first: [:], second: [])).description
                == ValueDiff(from: other, to: Pair(first: [:], second: [])).description)
    }
}

@Suite struct `Pure, the description of a value` {
    /// A value and its description.
    private struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var text: String

        init<Value>(_ expected: String, _ value: Value) {
            testDescription = expected
            text = ValueDescription(of: value).description
        }
    }

    @Test(arguments: [
        Case("nil", nil as Int?),
        Case("3", 3 as Int??),
        Case(".some(nil)", .some(nil) as Int??),
        Case("()", ()),
        Case("(a: 1, 2)", (a: 1, 2)),
        Case(#""a\n\"b\"\\""#, "a\n\"b\"\\"),
        Case(#""\u{202e}é""#, "\u{202E}é"),
        Case(#"Item(name: "a", price: 1)"#, Item(name: "a", price: 1)),
        Case("[]", [Int]()),
        Case("[:]", [Int: Int]()),
        Case("[]", Set<Int>()),
        Case(#"["a": [1, 2], "b": []]"#, ["b": [], "a": [1, 2]]),
        Case("[2, 10]", [10, 2] as Set),
        Case("[-1: .none, 5: .split(1, 2), 40: .maybe(nil)]", numbered),
        Case(".mixed(cash: 1, card: \"x\")", Payment.mixed(cash: 1, card: "x")),
        Case(".item(Item(name: \"a\", price: 1))", Payment.item(Item(name: "a", price: 1))),
        Case("Pair<Int, Optional<Int>>(first: 1, second: nil)", Pair(first: 1, second: Int?.none)),
        Case("Node(count: 1, next: nil, back: nil)", Node(1)),
        Case("Lazy(total: 4)", Lazy(total: 4)),
        Case("CancellationError()", CancellationError()),
        Case("R", Lamp.red),
        Case("1.5", 1.5),
        Case("Int", Int.self),
    ])
    private func `a short value is written on one line`(_ test: Case) {
        #expect(test.text == test.testDescription)
    }

    private static let numbered: [Int: Payment] = [40: .maybe(nil), 5: .split(1, 2), -1: .none]

    @Test func `a long value is written on many lines`() {
        let shop = Shop(
            items: [Item(name: "apple", price: 1), Item(name: "pear", price: 22)],
            stock: ["b": Item(name: "b", price: 1)], tags: ["new", "big"],
            payment: .item(Item(name: "a name that is too long", price: 1)))
        #expect(
            ValueDescription(of: shop, width: 40).description == """
                Shop(
                    items: [
                        Item(name: "apple", price: 1),
                        Item(name: "pear", price: 22)
                    ],
                    stock: [
                        "b": Item(name: "b", price: 1)
                    ],
                    tags: ["big", "new"],
                    payment: .item(Item(
                        name: "a name that is too long",
                        price: 1
                    )),
                    note: nil
                )
                """)
    }

    @Test(arguments: 5...60) func `a line that can be broken is not longer than the width`(_ width: Int) {
        let text = ValueDescription(of: (0..<40).map { [$0, $0] }, width: width).description
        let isBroken = text.contains("\n")
        #expect(isBroken)
        for line in text.split(separator: "\n") where line.contains(", ") {
            #expect(line.count <= width)
        }
    }

    @Test func `a value that is too deep, too long or too large is cut with an ellipsis`() {
        let deep = ValueDescription(of: Chain.length(5_000, 1)).description
        #expect(deep.contains("…"))
        #expect(deep.count < 1_000)
        let long = ValueDescription(of: String(repeating: "a", count: 5_000)).description
        #expect(long.hasSuffix("a\"…"))
        let much = ValueDescription(of: Array(repeating: 1, count: 100_000)).description
        #expect(much.hasSuffix("… 80001 more\n]"))
    }
}

@Suite struct `Pure, the diff of random values` {
    private indirect enum Random: Hashable {
        case nothing
        case number(Double)
        case text(String)
        case moment(Date)
        case pair(Random, label: Random?)
        case list([Random])
        case table([String: Random])
        case group(Set<Random>)

        static func make(_ depth: Int, _ random: inout SplitMix) -> Random {
            func parts<Part>(_ part: (inout SplitMix) -> Part) -> [Part] {
                (0..<Int.random(in: 0...4, using: &random)).map { _ in part(&random) }
            }
            switch Int.random(in: 0...(depth > 0 ? 7 : 3), using: &random) {
            case 0: return .nothing
            case 1: return .number(Double.random(in: 0...2, using: &random).rounded())
            case 2: return .text(["", "a", "a\nb", "b"].randomElement(using: &random) ?? "")
            case 3: return .moment(Date(timeIntervalSince1970: Bool.random(using: &random) ? 0.5 : 0.25))
            case 4:
                let label = Bool.random(using: &random) ? make(depth - 1, &random) : nil
                return .pair(make(depth - 1, &random), label: label)
            case 5: return .list(parts { make(depth - 1, &$0) })
            case 6:
                let entries = parts { (["a", "b", "c"].randomElement(using: &$0) ?? "", make(depth - 1, &$0)) }
                return .table(Dictionary(entries) { first, _ in first })
            default: return .group(Set(parts { make(depth - 1, &$0) }))
            }
        }

        /// A copy in which one part is replaced, maybe by a value of the same kind.
        func changed(_ depth: Int, _ random: inout SplitMix) -> Random {
            switch self {
            case .pair(let one, let label) where Bool.random(using: &random):
                return .pair(one.changed(depth - 1, &random), label: label)
            case .list(var list) where !list.isEmpty:
                let index = Int.random(in: 0..<list.count, using: &random)
                switch Int.random(in: 0...2, using: &random) {
                case 0: list.remove(at: index)
                case 1: list.insert(.make(0, &random), at: index)
                default: list[index] = list[index].changed(depth - 1, &random)
                }
                return .list(list)
            case .table(var table):
                table["b"] = table["b"]?.changed(depth - 1, &random) ?? .nothing
                return .table(table)
            case .group(var group):
                if group.remove(.nothing) == nil { group.insert(.nothing) }
                return .group(group)
            default: return .make(depth, &random)
            }
        }
    }

    /// Hides `==`, so that only the walk can find differences.
    private final class Bare {
        let value: Random
        let parts: [Bare]

        init(_ value: Random) {
            self.value = value
            parts = if case .list(let list) = value { list.map(Bare.init) } else { [] }
        }
    }

    @Test(arguments: 1...20) func `a diff is empty exactly if the values are equal`(_ seed: Int) {
        var random = SplitMix(seed: UInt64(seed))
        for _ in 0..<100 {
            let one = Random.make(3, &random)
            let other = Bool.random(using: &random) ? one.changed(3, &random) : .make(3, &random)
            #expect(ValueDiff(from: one, to: one).isEmpty)
            #expect(ValueDiff(from: Bare(one), to: Bare(one)).isEmpty)
            let diff = ValueDiff(from: one, to: other)
            #expect(diff.isEmpty == (one == other), "\(one) and \(other)")
            #expect(ValueDiff(from: Bare(one), to: Bare(other)).isEmpty == (one == other), "\(one) and \(other)")
            for change in diff.changes {
                #expect(change.old != nil || change.new != nil)
                #expect(change.old != change.new, "\(change.path) of \(one) and \(other)")
            }

            // Both directions change the same parts, except for indices.
            let back = ValueDiff(from: other, to: one)
            #expect(back.changes.count == diff.changes.count)
        }
    }

    @Test(arguments: 1...20) func `a list diff has the fewest possible edits`(_ seed: Int) {
        var random = SplitMix(seed: UInt64(seed))
        for _ in 0..<100 {
            func list() -> [Int] {
                (0..<Int.random(in: 0...12, using: &random)).map { _ in Int.random(in: 0...3, using: &random) }
            }
            let (old, new) = (list(), list())
            let gaps = ListAlignment(old.count, new.count, maximumEdits: 100) { old[$0] == new[$1] }.gaps
            #expect(gaps.reduce(0) { $0 + $1.old.count + $1.new.count } == new.difference(from: old).count)

            // Filling the gaps turns the old list into the new one.
            var built = old
            for gap in gaps.reversed() { built.replaceSubrange(gap.old, with: new[gap.new]) }
            #expect(built == new)
            #expect(gaps.allSatisfy { !$0.old.isEmpty || !$0.new.isEmpty })
        }
    }
}
