import Testing
import TortureKit

@testable import JournalStore

@Suite struct `Pure, export text` {
    private func written(_ text: String) -> String {
        var output = ExportText()
        var text = text
        text.withUTF8 { output.add(text: UnsafeRawBufferPointer($0)) }
        return String(decoding: output.bytes, as: UTF8.self)
    }

    private func read(_ json: String) -> (value: JSONScanner.Value, text: [UInt8], isWhole: Bool)? {
        var json = json
        return json.withUTF8 { bytes in
            var scanner = JSONScanner(bytes)
            guard let value = try? scanner.value() else { return nil }
            return (value, scanner.text, scanner.isAtEnd())
        }
    }

    @Test(arguments: [
        ("", #""""#), ("plain", #""plain""#), (#"{"a":"\u00e9"}"#, #""{\"a\":\"\\u00e9\"}""#),
        ("\n\r\t", #""\n\u000d\u0009""#),
        ("a\0b", #""a\u0000b""#), ("caf\u{E9} \u{1F600}", "\"caf\u{E9} \u{1F600}\""),
        ("\u{7F}\u{9B}31m", #""\u007f\u009b31m""#),
        ("\u{202E}x\u{2028}\u{FEFF}\u{61C}", #""\u202ex\u2028\ufeff\u061c""#),
        ("\u{2013}\u{E000}\u{D8}", "\"\u{2013}\u{E000}\u{D8}\""),
        ("\u{A0}\u{A9}\u{600}", "\"\u{A0}\u{A9}\u{600}\""),
    ])
    func `a text is written as JSON without control characters and read back`(text: String, json: String) throws {
        #expect(written(text) == json)
        let back = try #require(read(json))
        #expect(back.value == .text)
        #expect(back.text == Array(text.utf8))
        #expect(back.isWhole)
    }

    @Test(arguments: 1...20) func `every text is read back as it was written`(_ seed: Int) throws {
        var random = SplitMix(seed: UInt64(seed))
        let alphabet: [Unicode.Scalar] = [
            "a", "\"", "\\", "\0", "\n", "\u{7F}", "\u{80}", "\u{C2}", "\u{2028}", "\u{FFFD}", "\u{FEFF}", "\u{1F600}",
            "/",
        ]
        var text = ""
        for _ in 0..<Int.random(in: 0...200, using: &random) {
            text.unicodeScalars.append(alphabet.randomElement(using: &random) ?? "x")
        }
        #expect(try #require(read(written(text))).text == Array(text.utf8))
    }

    @Test func `a text that is not UTF-8 is written in hex`() throws {
        var output = ExportText()
        let bytes: [UInt8] = [0x61, 0xFF, 0xC2]
        bytes.withUnsafeBytes { output.add(text: $0) }
        #expect(String(decoding: output.bytes, as: UTF8.self) == #"{"hex":"61ffc2"}"#)
        let back = try #require(read(#" { "hex" : "61FFc2" } "#))
        #expect(back.value == .bytes)
        #expect(back.text == bytes)
    }

    @Test(arguments: [
        ("0", 0), ("-1", -1), ("9223372036854775807", Int64.max), ("-9223372036854775808", Int64.min), ("  7  ", 7),
    ])
    func `the scanner reads every 64-bit integer`(json: String, number: Int64) throws {
        let back = try #require(read(json))
        #expect(back.value == .integer(number))
        #expect(back.isWhole)
    }

    @Test(arguments: [
        #""a"#, "\"a\nb\"", #""\x""#, #""\u12""#, #""\u12g4""#, #""\ud800""#, #""\ud800\u0041""#, #""\udc00""#, "1.5",
        "1e3", "01",
        "-", "-01", "9223372036854775808", "nul", "true", "[1]", "{}", #"{"hex":"0"}"#, #"{"hex":"0g"}"#, #"{"hex":1}"#,
        "", "+1",
    ])
    func `the scanner rejects JSON that an export never contains`(json: String) {
        #expect(read(json) == nil)
    }

    @Test func `the scanner rejects a string that is not UTF-8`() {
        let bytes: [UInt8] = [0x22, 0xC3, 0x22]
        let value = bytes.withUnsafeBufferPointer { line in
            var scanner = JSONScanner(line)
            return try? scanner.value()
        }
        #expect(value == nil)
    }

    @Test func `the scanner decodes surrogate pairs and short escapes`() throws {
        #expect(try #require(read(#""\ud83d\ude00""#)).text == Array("\u{1F600}".utf8))
        #expect(try #require(read(#""\/\b\f\r\tA""#)).text == Array("/\u{8}\u{C}\r\tA".utf8))
    }

    @Test(arguments: 1...30) func `the lines of an import do not depend on how its bytes are split`(_ size: Int) {
        let text = "one\ntwo\n\nfour, which is longer\nlast"
        var lines = ImportLines()
        var found: [String] = []
        func note(_ line: UnsafeBufferPointer<UInt8>) { found.append(String(decoding: line, as: UTF8.self)) }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            lines.add(Array(rest.prefix(size)), note)
            rest = rest.dropFirst(size)
        }
        lines.end(note)
        #expect(found == ["one", "two", "", "four, which is longer", "last"])
    }
}
