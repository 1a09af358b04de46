import Foundation
import Testing
import TortureKit

@testable import JournalStore

@Suite struct `Decoding, like Foundation` {
    static let readings: [TextReading] = [
        TextReading(JSONTree.self), TextReading(Int.self), TextReading(Int8.self), TextReading(UInt.self),
        TextReading(UInt64.self),
        TextReading(Int128.self), TextReading(UInt128.self), TextReading(Double.self), TextReading(Float.self),
        TextReading(Bool.self),
        TextReading(String.self), TextReading(Decimal.self), TextReading(Date.self), TextReading(Data.self),
        TextReading(URL.self),
        TextReading(Int?.self), TextReading(Int??.self), TextReading([Int?].self), TextReading([String: Int?].self),
        TextReading([Int: String].self), TextReading([Color: Int].self), TextReading([Double: String].self),
        TextReading(Action.self),
        TextReading(Tree.self), TextReading([Double].self), TextReading([Float].self), TextReading([String].self),
        TextReading([Decimal].self),
        TextReading(UUID.self), TextReading(Dog.self), TextReading(Cat.self), TextReading(Everything.self),
        TextReading(Probe.self), TextReading([Probe].self), TextReading(Walker.self), TextReading([Int: Walker].self),
        TextReading(Wide.self), TextReading([Wide].self),
    ]

    static let texts: [String] = [
        "", " ", "5", " 5 ", "-5", "- 5", "-", "+5", "05", "-05", "-0", "0", "-0.0", "0.0", "1.0", "1.5", "1e3", "1E+3",
        "1e-3",
        "1.", ".5", "1e", "1e+", "1.e3", "1.0e2", "1-2", "300", "-129", "1e400", "-1e400", "1e-400", "0e-400", "0e999",
        "0e3", "0e03", "-0e3", "0.0e3", "0.000e5", "0E1", "[0e3]",
        "9007199254740991", "9007199254740993", "9007199254740993.0", "9223372036854775807", "9223372036854775808",
        "-9223372036854775808", "-9223372036854775809", "18446744073709551615", "18446744073709551616", "1e18", "1e19",
        "1e20",
        "170141183460469231731687303715884105727", "170141183460469231731687303715884105728", "1.0000000000000001",
        "340282366920938463463374607431768211456", "0.1", "123456789012345678901234567890.5", "3.4028236e38", "1e39",
        "1e-46",
        "2.2250738585072011e-308", "8.5", "0.000001", "99999999999999999999", "1234567890123456789", "16777217",
        "true", "false", "null", "tru", "nul", "True", "truex", "nullnull", "\"\"", "\"a\"", "\"a", "a\"", "\"\\\"",
        "\"\\n\"",
        "\"\\u0041\"", "\"\\u00e9\"", "\"\\uD83D\\uDE00\"", "\"\\uD83D\"", "\"\\uDE00\"", "\"\\uD83D\\u0041\"",
        "\"\\uD83Dx\"",
        "\"\\u12\"", "\"\\u12G4\"", "\"\\u+123\"", "\"\\x\"", "\"\\", "\"\\u", "\"\\u0000\"", "\"\\/\"", "\"\\uD83D\\",
        "\"\t\"",
        "\"\u{1}\"", "\"\u{7F}\"", "\"é\"", "\"e\u{301}\"", "\"😀\"", "\u{FEFF}5", "5\u{FEFF}", "\u{0}5", "5\u{0}",
        "\"\u{0}",
        "5\u{0}\u{0}\u{0}", "\u{0}\u{0}\u{0}5", "[\u{0}]\u{0}", "[]", "[ ]", "[1]", "[1,]", "[,1]", "[1 2]",
        "[1,2,null]",
        "[1,[2,[3]]]", "[", "]", "[1", "{}", "{ }", "{", "}", "{\"a\":1}", "{\"a\":1,}", "{,}", "{\"a\"}", "{\"a\":}",
        "{a:1}",
        "{\"a\":1 \"b\":2}", "{'a':1}", "{\"a\":null}", "{\"a\":1,\"a\":2}", "{\"b\":1,\"a\":2,\"b\":3}", "{\"\":1}",
        "{\"e\u{301}\":1,\"é\":2}", "{\"\\u0061\":1}", "{\"\\u0061\":1,\"a\":2}", "{\"K\":1,\"\u{212A}\":2}",
        "{\"\u{212A}\":2}",
        "{\"1\":\"a\",\"02\":\"b\",\"x\":\"c\"}", "{\"red\":1,\"blue\":2}", "{\"red\":1,\"pink\":2}", "[1.5,\"x\"]",
        "[1.5]",
        "{\"add\":{\"count\":7,\"item\":\"apple\"}}", "{\"add\":{\"item\":\"apple\",\"count\":7}}", "{\"fetch\":{}}",
        "{\"add\":{}}",
        "{\"fetch\":{},\"add\":{}}", "{\"fetch\":1}", "{\"fetch\":null}", "{\"wait\":{\"_0\":1}}", "{\"leaf\":{}}",
        "{\"leaf\":{\"_0\":null}}",
        "{\"add\":{\"count\":1.0,\"item\":\"x\"}}", "{\"add\":{\"count\":1.5,\"item\":\"x\"}}",
        "{\"add\":{\"count\":null,\"item\":\"x\"}}",
        "{\"add\":{\"count\":01,\"item\":\"x\"}}", "{\"x\":01,\"fetch\":{}}", "{\"a\":1-1,\"age\":3,\"name\":\"x\"}",
        "{\"age\":3,\"name\":\"x\"}", "{\"lives\":3,\"super\":{\"name\":\"x\"}}", "{\"lives\":3}",
        "{\"lives\":3,\"super\":null}",
        "\"AAEC\"", "\"AAE=\"", "\"AAE\"", "\"A A E C\"", "\"\\u0041AEC\"", "\"AA\\/C\"", "\"AA-_\"", "\"a b\"",
        "\"http://[\"",
        "\"E621E1F8-C36C-495A-93FC-0C247A3E6E5F\"", "[\"a\",1,null,[],{},true,1.5]", "//x\n5", "5//", "NaN", "Infinity",
        "0x10",
        " \n\t\r[ 1 , 2 ] ", "[1]\u{B}", "\u{A0}1", "5 5", "[1]]", "[\"\\u0041\",\"\\n\",\"é\"]", "{\"7\":{}}",
        "{\"7\":[]}", "[null,null]", "[[],[],[]]",
        "{\"a\":[1,2,{\"b\":null}],\"c\":{\"d\":{}}}", "[true,false,0,1]", "{\"é\":1,\"ä\":2}",
        "{\"ä\":2,\"é\":1,\"z\":{\"é\":3}}",
    ]

    @Test(arguments: readings) func `a text decodes or fails as it does in Foundation`(_ reading: TextReading) {
        for text in Self.texts {
            let (ours, theirs) = reading.compare(text)
            #expect(ours == theirs, "of \(text)")
        }
    }

    @Test(arguments: readings) func `a damaged text decodes or fails as it does in Foundation`(_ reading: TextReading) {
        var chance = SplitMix(seed: 4)
        let good = Self.good
        for _ in 0..<400 {
            var bytes = Array(good[Int(chance.next() % UInt64(good.count))].utf8)
            for _ in 0...chance.next() % 3 where !bytes.isEmpty {
                let place = Int(chance.next() % UInt64(bytes.count))
                switch chance.next() % 4 {
                case 0: bytes[place] ^= 1 << (chance.next() % 8)
                case 1: bytes.removeSubrange(place...)
                case 2: bytes.remove(at: place)
                default: bytes.insert(Array(#"{}[]",:\0e.- tnu"#.utf8)[Int(chance.next() % 16)], at: place)
                }
            }
            let text = String(decoding: bytes, as: UTF8.self)
            let (ours, theirs) = reading.compare(text)
            #expect(ours == theirs, "of \(text)")
        }
    }

    private static var good: [String] {
        `Encoding, like Foundation`.plain.map { $0.theirs() }.filter { $0.utf8.count < 300 } + texts
    }

    @Test(arguments: [499, 500, 511, 512, 513, 514, 20_000])
    func `nesting is refused at the same depth as in Foundation`(_ depth: Int) {
        for (open, close) in [("[", "]"), (#"{"a":"#, "}")] {
            let text = String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
            let (ours, theirs) = TextReading(Skipped.self).compare(text)
            #expect(ours == theirs)
        }
    }

    /// Foundation crashes the process if the 513th bracket is the last byte.
    @Test(arguments: [1, 512, 513, 514]) func `a text that ends inside brackets throws an error`(_ depth: Int) {
        let text = String(repeating: "[", count: depth)
        #expect(throws: DecodingError.self) { try JSONCodec().decode(JSONTree.self, from: text) }
        #expect(throws: DecodingError.self) { try JSONCodec().decode(JSONTree.self, from: "[1,],[" + text) }
    }

    @Test func `a decoder that is kept after decoding works like Foundation's`() throws {
        let kept = try JSONCodec().decode(Keeper.self, from: #"{"a":[1,"a text that is not small"]}"#)
        let theirs = try Foundations.value(Keeper.self, #"{"a":[1,"a text that is not small"]}"#)
        #expect(try JSONTree(from: kept.decoder) == JSONTree(from: theirs.decoder))
        #expect(throws: (any Error).self) { try JSONCodec().decode(Keeper.self, from: "[1") }
    }

    @Test func `common values are decoded without Foundation`() throws {
        #expect(
            try FastDecoder.value(Action.self, of: #"{"add":{"count":7,"item":"apple"}}"#)
                == .add(count: 7, item: "apple"))
        #expect(
            try FastDecoder.value([String: [Int?]].self, of: #"{"b":[1,null],"a":[]}"#) == ["a": [], "b": [1, nil]])
        #expect(
            try FastDecoder.value(JSONTree.self, of: #"[1.5,{"é":"\n"}]"#)
                == .list([.number(1.5), .object(["é": .text("\n")])]))
        #expect(try FastDecoder.value([Decimal].self, of: "[1.5]") == [1.5])
        for value in `Encoding, like Foundation`.plain {
            #expect(value.isReadFast(), "\(value.testDescription)")
        }
    }

    @Test func `a key that is looked up again is found at once`() {
        let text = "{" + (100..<200).map { "\"key \($0)\":[\($0)]" }.joined(separator: ",") + "}"
        let comparisons = JSONDocument.read(text) { document in
            var count = 0
            for key in document.children(0) {
                for _ in 0..<5 {
                    let found = document.find(0) { token in
                        count += 1
                        return token.start == document.tokens[key].start
                    }
                    #expect(found == .found(key + 1))
                }
            }
            return count
        }
        // The first time, each key but the first is compared after the one before it.
        #expect(comparisons == 100 * 5 + 99)
    }

    @Test func `keys are found in any order, also by an index`() {
        let numbers = 1_000..<2_000
        let text = "{" + numbers.map { "\"key \($0)\":\($0)" }.joined(separator: ",") + "}"
        JSONDocument.read(text) { document in
            for number in numbers.reversed() + numbers.map({ $0 * 7 % 1_000 + 1_000 }) {
                let token = document.member(0, "key \(number)")
                #expect(token.map { document.unchecked(text: $0) } == "\(number)")
                #expect(document.member(0, "key \(number).") == nil)
            }
            let found = document.find(0) { _ in false }
            #expect(found == .tooLong)
        }
    }

    @Test func `one codec encodes and decodes on many threads`() async {
        await withTaskGroup(of: Bool.self) { group in
            let codec = JSONCodec()
            for number in 0..<64 {
                group.addTask {
                    let action = Action.add(count: number, item: "\(number)")
                    return (try? codec.decode(Action.self, from: codec.encode(action))) == action
                }
            }
            for await isSame in group { #expect(isSame) }
        }
    }
}
