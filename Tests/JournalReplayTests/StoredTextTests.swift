import JournalStore
import Testing

@testable import JournalReplayKit

@Suite struct `Stored JSON` {
    @Test(arguments: [
        (" {\"a\" : [ 1 , -2.5e+3 ,\ttrue,false , null ] ,\n\"b\":{}} ", #"{"a":[1,-2.5e+3,true,false,null],"b":{}}"#),
        (#""a b""#, #""a b""#), ("0", "0"), ("[ ]", "[]"), (#""\u00e9\n\"\\\/""#, #""\u00e9\n\"\\\/""#),
        (#"{"big":12345678901234567890.000}"#, #"{"big":12345678901234567890.000}"#),
        ("\"\u{7F}\u{9B}\u{202E}é\"", #""\u007f\u009b\u202eé""#),
    ])
    func `keeps its values, on one line and escaped`(text: String, compact: String) {
        #expect(StoredJSON.compact(text) == compact)
    }

    @Test(arguments: [
        "", " ", "{", "}", "[1,]", "[,1]", #"{"a"}"#, #"{"a":1,}"#, #"{a:1}"#, "01", "1.", ".5", "1e", "-", "+1", "nul",
        "'a'", "\"\n\"", #""\x""#, #""\u12g4""#, #""\u12""#, "\"", "1 2", "{} {}", "NaN",
    ])
    func `is distinguished from text that is not JSON`(text: String) {
        #expect(StoredJSON.compact(text) == nil)
    }

    @Test func `is rejected if it is nested too deeply`() {
        #expect(StoredJSON.compact(String(repeating: "[", count: 1_000_000)) == nil)
        let deep = String(repeating: "[", count: 500) + String(repeating: "]", count: 500)
        #expect(StoredJSON.compact(deep) == deep)
    }
}

@Suite struct `Text for a terminal` {
    @Test(arguments: [
        ("plain, é, 家, 👨‍👩‍👧, ←", "plain, é, 家, 👨‍👩‍👧, ←"), ("\u{1B}[2J\u{7}\u{0}", #"\u001b[2J\u0007\u0000"#),
        ("a\nb\tc\rd", #"a\nb\tc\rd"#), ("\u{9B}2J\u{7F}\u{85}", #"\u009b2J\u007f\u0085"#),
        ("\u{202E}abc\u{2066}\u{2028}\u{200F}\u{61C}\u{FEFF}", #"\u202eabc\u2066\u2028\u200f\u061c\ufeff"#),
    ])
    func `has no character that moves the cursor or hides text`(text: String, safe: String) {
        #expect(SafeText.escape(text) == safe)
    }
}

@Suite struct `The name of an action` {
    @Test(arguments: [
        (#"{"pay":{}}"#, "pay"), (#" { "pay" : {} }"#, "pay"), (#""pay""#, "pay"), (#"{"add":{"pay":1}}"#, "add"),
        (#"{"a\"b\\":1}"#, #"a"b\"#), (#"{"\u0063af\u00e9 \ud83d\ude00":1}"#, "café 😀"), ("{\"家\":1}", "家"),
        (#"{"":1}"#, ""),
    ])
    func `is the first key, or the string`(action: String, name: String) {
        #expect(ActionName.of(action) == name)
    }

    @Test(arguments: ["", "{", "{}", "12", "null", "[\"pay\"]", #"{"pay"#, #"{"a\"#, #"{"\u00"}"#, "nonsense"])
    func `is nil if there is neither`(action: String) {
        #expect(ActionName.of(action) == nil)
    }
}

@Suite struct `A number` {
    @Test(
        arguments: [
            (0, "0 bytes"), (1, "1 byte"), (1_023, "1,023 bytes"), (1_024, "1.0 KB (1,024 bytes)"),
            (1_048_575, "1023.9 KB (1,048,575 bytes)"), (1_048_576, "1.0 MB (1,048,576 bytes)"),
            (5_000_000_000, "4.6 GB (5,000,000,000 bytes)"),
        ] as [(Int64, String)])
    func `of bytes is rounded and exact`(count: Int64, text: String) {
        #expect(Quantity.bytes(count) == text)
    }

    @Test(arguments: [(7, "7"), (999, "999"), (1_000, "1,000"), (-1_234_567, "-1,234,567")])
    func `is grouped`(number: Int, text: String) {
        #expect(Quantity.grouped(number) == text)
    }
}
