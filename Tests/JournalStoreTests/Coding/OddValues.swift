import Foundation
import TortureKit

@testable import JournalStore

extension `Encoding, like Foundation` {
    private static let (a, b, c) = (AnyKey(stringValue: "a"), AnyKey(stringValue: "b"), AnyKey(stringValue: "c"))

    /// What code may do but rarely does.
    static let odd: [TextWriting] = [
        TextWriting("a subclass that uses superEncoder", Cat()),
        TextWriting("NaN", Double.nan), TextWriting("infinity in a list", [1, Double.infinity]),
        TextWriting("NaN in a member", ["a": Float.nan]),
        TextWriting("a NaN date", Date(timeIntervalSinceReferenceDate: .nan)),
        TextWriting(
            "a caught error of NaN",
            Odd { encoder in
                var container = encoder.container(keyedBy: AnyKey.self)
                do { try container.encode(Double.nan, forKey: a) } catch { try container.encode("none", forKey: b) }
            }),
        TextWriting("no encoding", Odd { _ in }), TextWriting("no encoding in a list", [Odd { _ in }]),
        TextWriting("a container without a member", Odd { _ = $0.container(keyedBy: AnyKey.self) }),
        TextWriting("a list without an element", ["x": Odd { _ = $0.unkeyedContainer() }]),
        TextWriting(
            "the same key twice",
            Odd { encoder in
                var container = encoder.container(keyedBy: AnyKey.self)
                try container.encode(1, forKey: b)
                try container.encode(2, forKey: a)
                try container.encode("three", forKey: b)
            }),
        TextWriting(
            "keys that only look the same",
            Odd { encoder in
                var container = encoder.container(keyedBy: AnyKey.self)
                for (number, key) in ["e\u{301}", "é", "K", "\u{212A}"].enumerated() {
                    try container.encode(number, forKey: AnyKey(stringValue: key))
                }
            }),
        TextWriting("keys that need an escape", ["\"": 1, "!": 2, "#": 3, "\\": 4, "\n": 5, "z": 6]),
        TextWriting("one key that needs an escape", ["\"\n": 1]),
        TextWriting(
            "the same container twice",
            Odd { encoder in
                var first = encoder.container(keyedBy: AnyKey.self)
                try first.encode(1, forKey: b)
                var second = encoder.container(keyedBy: Action.CodingKeysLike.self)
                try second.encode(2, forKey: .a)
                try first.encode(3, forKey: c)
            }),
        TextWriting(
            "the same unkeyed container twice",
            Odd { encoder in
                var first = encoder.unkeyedContainer()
                try first.encode(1)
                var second = encoder.unkeyedContainer()
                try second.encode("\(second.count)")
                try first.encode(3)
            }),
        TextWriting(
            "nested containers in turn",
            Odd { encoder in
                var container = encoder.container(keyedBy: AnyKey.self)
                var list = container.nestedUnkeyedContainer(forKey: b)
                try list.encode(1)
                var inner = list.nestedContainer(keyedBy: AnyKey.self)
                try inner.encode(true, forKey: a)
                try list.encode(list.count)
                var object = container.nestedContainer(keyedBy: AnyKey.self, forKey: a)
                try object.encode(2, forKey: c)
                _ = container.nestedContainer(keyedBy: AnyKey.self, forKey: c)
            }),
        TextWriting(
            "interleaved nested containers",
            Odd { encoder in
                var container = encoder.container(keyedBy: AnyKey.self)
                var first = container.nestedUnkeyedContainer(forKey: a)
                var second = container.nestedUnkeyedContainer(forKey: b)
                for number in 0..<3 {
                    try first.encode(number)
                    try second.encode(-number)
                }
            }),
        TextWriting(
            "a nested container twice",
            Odd { encoder in
                var container = encoder.container(keyedBy: AnyKey.self)
                var first = container.nestedContainer(keyedBy: AnyKey.self, forKey: a)
                try first.encode(1, forKey: a)
                var second = container.nestedContainer(keyedBy: AnyKey.self, forKey: a)
                try second.encode(2, forKey: b)
            }),
        TextWriting(
            "a single value, then its container",
            Odd { encoder in
                var single = encoder.singleValueContainer()
                try single.encode(["a": 1])
                var container = encoder.container(keyedBy: AnyKey.self)
                try container.encode(2, forKey: b)
            }),
        TextWriting(
            "a single value of a single value",
            Odd { encoder in
                var outer = encoder.singleValueContainer()
                try outer.encode(
                    Odd { encoder in
                        var inner = encoder.singleValueContainer()
                        try inner.encode(Action.fetch)
                    })
            }),
        TextWriting(
            "a parent's container in a child's code",
            Odd { encoder in
                var container = encoder.container(keyedBy: AnyKey.self)
                nonisolated(unsafe) let parent = container
                try container.encode(
                    Odd { encoder in
                        var copy = parent
                        try copy.encode(1, forKey: b)
                        var own = encoder.singleValueContainer()
                        try own.encode(2)
                    }, forKey: a)
            }),
        TextWriting(
            "a parent's encoder in a child's code",
            Odd { encoder in
                nonisolated(unsafe) let outer = encoder
                var list = encoder.unkeyedContainer()
                try list.encode(
                    Odd { inner in
                        var parent = outer.unkeyedContainer()
                        try parent.encode("parent")
                        var own = inner.singleValueContainer()
                        try own.encode("own")
                    })
            }),
        TextWriting(
            "the coding path as a value",
            [
                7: [
                    Odd { encoder in
                        let path = encoder.codingPath.map { "\($0.stringValue) \($0.intValue ?? -1)" }
                        var container = encoder.container(keyedBy: AnyKey.self)
                        try container.encode(path, forKey: a)
                        var list = container.nestedUnkeyedContainer(forKey: b)
                        try list.encode(list.codingPath.map(\.stringValue))
                        try list.encode(encoder.userInfo.count)
                    }
                ]
            ]),
        TextWriting(
            "superEncoder of both containers",
            Odd { encoder in
                var list = encoder.unkeyedContainer()
                try list.encode(1)
                try Action.fetch.encode(to: list.superEncoder())
                var object = list.nestedContainer(keyedBy: AnyKey.self)
                try 5.encode(to: object.superEncoder(forKey: a))
                try list.encode(2)
            }),
        TextWriting(
            "an error that is caught",
            Odd { encoder in
                struct Failure: Error {}
                var container = encoder.container(keyedBy: AnyKey.self)
                try? container.encode(Odd { _ in throw Failure() }, forKey: a)
                try container.encode(1, forKey: b)
            }),
        TextWriting(
            "an error that is caught at the end",
            Odd { encoder in
                struct Failure: Error {}
                var container = encoder.container(keyedBy: AnyKey.self)
                try container.encode(1, forKey: b)
                try? container.encode(Odd { _ in throw Failure() }, forKey: a)
            }),
        TextWriting("too deep", JSONTree.deep(511)), TextWriting("deeper than Foundation", JSONTree.deep(600)),
    ]
}

extension Action {
    enum CodingKeysLike: String, CodingKey { case a }
}

extension JSONTree {
    static func deep(_ depth: Int) -> JSONTree {
        (0..<depth).reduce(.integer(1)) { tree, level in level % 2 == 0 ? .list([tree]) : .object(["a": tree]) }
    }

    static func random(_ chance: inout SplitMix, depth: Int) -> JSONTree {
        let texts = ["", "a", "\"\\\n", "é", "e\u{301}", "😀", "a longer text of many letters", "\u{0}", "0", "a/b"]
        switch chance.next() % (depth > 0 ? 9 : 7) {
        case 0: return .null
        case 1: return .bool(chance.next() % 2 == 0)
        case 2: return .integer(Int64(bitPattern: chance.next()) >> (chance.next() % 64))
        case 3: return .unsigned(chance.next() >> (chance.next() % 64))
        case 4:
            let number = Double(bitPattern: chance.next())
            return .number(number.isFinite ? number : 0.1)
        case 5: return .number(Double(Int64(bitPattern: chance.next()) >> 30) / 100)
        case 6: return .text(texts[Int(chance.next() % 10)])
        case 7: return .list((0..<chance.next() % 6).map { _ in random(&chance, depth: depth - 1) })
        default:
            var members: [String: JSONTree] = [:]
            for _ in 0..<chance.next() % 7 {
                let key = texts[Int(chance.next() % 10)] + texts[Int(chance.next() % 10)]
                members[key] = random(&chance, depth: depth - 1)
            }
            return .object(members)
        }
    }
}
