import Foundation
import Testing
import TortureKit

@testable import JournalStore

@Suite struct `Encoding, like Foundation` {
    @Test(arguments: plain + odd) func `a value encodes to Foundation's bytes, and they decode to the same value`(
        _ value: TextWriting
    ) {
        let theirs = value.theirs()
        #expect(value.ours() == theirs)
        let again = value.again(theirs)
        #expect(again.ours == again.theirs)
    }

    @Test(arguments: plain) func `common values are encoded without Foundation`(_ value: TextWriting) {
        #expect(value.fast() == value.theirs())
    }

    @Test func `floating-point numbers have Foundation's digits, whatever their bits`() throws {
        var chance = SplitMix(seed: 1)
        for round in 0..<20_000 {
            let bits = chance.next()
            let double =
                switch round % 4 {
                case 0: Double(bitPattern: bits)
                case 1: Double(Int64(bitPattern: bits) >> (bits % 64))
                case 2: Double(Int64(bitPattern: bits) >> 20) / 1_000
                default: 786_000_000 + Double(bits >> 40) / 1_000_000
                }
            let float = Float(bitPattern: UInt32(truncatingIfNeeded: bits))
            guard double.isFinite, float.isFinite else { continue }
            let text = try Foundations.text([[double], [Double(float)]])
            #expect(try JSONCodec().encode([[double], [Double(float)]]) == text)
            #expect(try JSONCodec().decode([[Double]].self, from: text)[0][0].bitPattern == double.bitPattern)
            let short = try Foundations.text(float)
            #expect(try JSONCodec().encode(float) == short)
            #expect(try JSONCodec().decode(Float.self, from: short).bitPattern == float.bitPattern)
        }
    }

    @Test func `keys are sorted as in Foundation`() throws {
        var chance = SplitMix(seed: 2)
        let parts = [
            "a", "B", "_", "1", "10", "é", "e\u{301}", "\u{212A}", "K", "", " ", "\"", "\n", "~", "😀", "\u{FFFD}",
        ]
        for _ in 0..<2_000 {
            var words: [String: Int] = [:]
            for number in 0..<Int(chance.next() % 12) {
                let key = (0..<chance.next() % 4).map { _ in parts[Int(chance.next() % 16)] }.joined()
                words[key] = number
            }
            let text = try Foundations.text(words)
            #expect(try JSONCodec().encode(words) == text)
            #expect(try JSONCodec().decode([String: Int].self, from: text) == words)
        }
    }

    @Test func `random values encode to Foundation's text and decode to the same value`() throws {
        var chance = SplitMix(seed: 3)
        for _ in 0..<3_000 {
            let tree = JSONTree.random(&chance, depth: 5)
            let text = try Foundations.text(tree)
            #expect(try JSONCodec().encode(tree) == text)
            #expect(try JSONCodec().decode(JSONTree.self, from: text) == Foundations.value(JSONTree.self, text))
        }
    }

    static let plain: [TextWriting] = [
        TextWriting("an action", Action.add(count: 7, item: "apple")), TextWriting("a bare case", Action.fetch),
        TextWriting("an unlabelled case", Action.wait(0.5)),
        TextWriting("a tree", Tree.pair(.leaf(nil), .named(left: "\u{0}\u{1F}\u{7F}\u{2028}😀\"\\/é", right: .leaf(5)))),
        TextWriting("a struct of many types", Everything()),
        TextWriting("a list of such structs", [Everything(), Everything()]),
        TextWriting("a whole number", 5), TextWriting("a text", "x"), TextWriting("an empty text", ""),
        TextWriting("a Boolean", true),
        TextWriting("nil", Int?.none), TextWriting("nested nil", Int??.some(.none)),
        TextWriting("an empty list", [Int]()),
        TextWriting("an empty dictionary", [String: Int]()),
        TextWriting("each ASCII character", String(decoding: 0..<128, as: UTF8.self)),
        TextWriting(
            "doubles",
            [0, -0.0, 1, 0.1, 1e15, 1e16, 1e17, 0x1p53, 0x1p54, 1e21, 1e22, 1e100, .leastNonzeroMagnitude, 1e-5, 1e-4]),
        TextWriting("floats", [0, -0.0, 1, 0.1, 16_777_216, 1e10, 3.4e38, .leastNonzeroMagnitude] as [Float]),
        TextWriting("the smallest integers", [Int64.min, Int64(Int32.min), -1, 0]),
        TextWriting("the largest integers", [UInt64.max, 0, 9, 10, 99]),
        TextWriting("128 bits", [Int128.min, Int128.max, 0]), TextWriting("128 bits without sign", [UInt128.max]),
        TextWriting("bytes", [Int8.min, Int8.max]), TextWriting("lists of texts", [["a"], [], ["b", "c\n"]]),
        TextWriting("a decimal", Decimal(string: "-0.000123")),
        TextWriting("decimals", [Decimal(1), .greatestFiniteMagnitude]),
        TextWriting("a date", Date(timeIntervalSinceReferenceDate: 786_000_000.123_456_7)),
        TextWriting("data", Data([255, 0])),
        TextWriting("a URL", URL(string: "file:///tmp/a%20b")),
        TextWriting("enum keys", [Color.red: 1, .blue: 2]),
        TextWriting("integer keys", [10: 1, 9: 2, -1: 3]), TextWriting("double keys", [1.5: "x"]),
        TextWriting("long keys", ["a long key that is no small string": 1, "a long key that is no small one": 2]),
        TextWriting("non-ASCII keys", ["ü": 1, "e\u{301}": 2, "K": 3, "": 4]), TextWriting("a subclass", Dog()),
        TextWriting("a long text", String(repeating: "0123456789é", count: 500)),
        TextWriting("deep lists", JSONTree.deep(400)), TextWriting("a range", 1.5...2.5),
    ]
}
