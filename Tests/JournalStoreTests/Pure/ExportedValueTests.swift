import Testing
import TortureKit

@testable import JournalStore

@Suite struct `Pure, export text` {
    private func written(_ bytes: [UInt8]) -> String {
        JSONOutput.text { output in bytes.withUnsafeBufferPointer { output.append(exported: $0) } }
    }

    private func read(_ json: some Sequence<UInt8>) -> ExportedValue? {
        Array(json).withUnsafeBufferPointer { line in
            (try? JSONDocument(exported: line)).flatMap { ExportedValue($0, 0) }
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
    func `a text is written as JSON without control characters and read back`(text: String, json: String) {
        #expect(written(Array(text.utf8)) == json)
        #expect(read(json.utf8) == .text(Array(text.utf8)))
    }

    @Test(arguments: 1...20) func `every text is read back as it was written`(_ seed: Int) {
        var random = SplitMix(seed: UInt64(seed))
        let alphabet: [Unicode.Scalar] = [
            "a", "\"", "\\", "\0", "\n", "\u{7F}", "\u{80}", "\u{C2}", "\u{2028}", "\u{FFFD}", "\u{FEFF}", "\u{1F600}",
            "/",
        ]
        var text = ""
        for _ in 0..<Int.random(in: 0...200, using: &random) {
            text.unicodeScalars.append(alphabet.randomElement(using: &random) ?? "x")
        }
        #expect(read(written(Array(text.utf8)).utf8) == .text(Array(text.utf8)))
    }

    @Test func `a text that is not UTF-8 is written in hex`() {
        let bytes: [UInt8] = [0x61, 0xFF, 0xC2]
        #expect(written(bytes) == #"{"hex":"61ffc2"}"#)
        #expect(read(#" { "hex" : "61FFc2" } "#.utf8) == .bytes(bytes))
    }

    @Test(arguments: [
        ("0", 0), ("-1", -1), ("9223372036854775807", Int64.max), ("-9223372036854775808", Int64.min), ("  7  ", 7),
    ])
    func `an import reads every 64-bit integer`(json: String, number: Int64) {
        #expect(read(json.utf8) == .integer(number))
    }

    @Test(arguments: [
        #""a"#, "\"a\nb\"", #""\x""#, #""\u12""#, #""\u12g4""#, #""\ud800""#, #""\ud800\u0041""#, #""\udc00""#, "1.5",
        "1e3", "01",
        "-", "-01", "9223372036854775808", "nul", "true", "[1]", "{}", #"{"hex":"0"}"#, #"{"hex":"0g"}"#, #"{"hex":1}"#,
        "", "+1",
    ])
    func `an import rejects JSON that an export never contains`(json: String) {
        #expect(read(json.utf8) == nil)
    }

    @Test func `an import rejects a string that is not UTF-8`() {
        #expect(read([0x22, 0xC3, 0x22]) == nil)
    }

    @Test func `an import decodes surrogate pairs and short escapes`() {
        #expect(read(#""\ud83d\ude00""#.utf8) == .text(Array("\u{1F600}".utf8)))
        #expect(read(#""\/\b\f\r\tA""#.utf8) == .text(Array("/\u{8}\u{C}\r\tA".utf8)))
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
