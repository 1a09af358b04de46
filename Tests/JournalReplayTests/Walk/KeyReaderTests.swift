import Testing

@testable import JournalReplayKit

@Suite struct `Keys` {
    struct Case: CustomTestStringConvertible {
        var bytes: String
        var keys: [KeyPress]
        var testDescription: String
    }

    static let cases = [
        Case(
            bytes: "aZ 7/", keys: [.text("a"), .text("Z"), .text(" "), .text("7"), .text("/")], testDescription: "text"),
        Case(bytes: "é家😀", keys: [.text("é"), .text("家"), .text("😀")], testDescription: "text beyond ASCII"),
        Case(
            bytes: "\u{3}\u{1A}\u{C}", keys: [.control("c"), .control("z"), .control("l")], testDescription: "Control"),
        Case(
            bytes: "\t\r\n\u{7F}\u{8}", keys: [.tab, .enter, .enter, .backspace, .backspace], testDescription: "Tab …"),
        Case(bytes: "\u{1B}[A\u{1B}[B\u{1B}[C\u{1B}[D", keys: [.up, .down, .right, .left], testDescription: "arrows"),
        Case(
            bytes: "\u{1B}OA\u{1B}OB\u{1B}OH\u{1B}OF", keys: [.up, .down, .home, .end], testDescription: "arrows, SS3"),
        Case(bytes: "\u{1B}[1;2A\u{1B}[1;2B", keys: [.shiftUp, .shiftDown], testDescription: "Shift with an arrow"),
        Case(bytes: "\u{1B}[a\u{1B}[b", keys: [.shiftUp, .shiftDown], testDescription: "Shift with an arrow, rxvt"),
        Case(bytes: "\u{1B}[1;5A", keys: [.up], testDescription: "Control with an arrow"),
        Case(bytes: "\u{1B}[5~\u{1B}[6~", keys: [.pageUp, .pageDown], testDescription: "pages"),
        Case(
            bytes: "\u{1B}[H\u{1B}[F\u{1B}[1~\u{1B}[4~\u{1B}[7~\u{1B}[8~",
            keys: [.home, .end, .home, .end, .home, .end], testDescription: "Home and End"),
        Case(
            bytes: "\u{1B}[3~\u{1B}[Z\u{1B}OM", keys: [.delete, .tab, .enter],
            testDescription: "Delete, back tab, keypad"),
        Case(bytes: "\u{1B}[15~\u{1B}OP\u{1B}[[Ax", keys: [.text("x")], testDescription: "function keys are ignored"),
        Case(bytes: "\u{1B}qx", keys: [.text("x")], testDescription: "Alt with q is not q"),
        Case(bytes: "\u{1B}\u{3}", keys: [.escape, .control("c")], testDescription: "Control-C right after Escape"),
        Case(bytes: "\u{1B}[200~x\u{1B}[201~", keys: [.text("x")], testDescription: "a pasted text"),
        Case(bytes: "\u{0}\u{1C}x", keys: [.text("x")], testDescription: "other controls are ignored"),
        Case(bytes: "\u{1B}[1\u{1B}[A", keys: [.up], testDescription: "an incomplete sequence"),
        Case(
            bytes: "\u{1B}[" + String(repeating: "1;", count: 1_000) + "~x", keys: [.home, .text("x")],
            testDescription: "a sequence with many numbers"),
        Case(bytes: "\u{85}\u{9B}x", keys: [.text("x")], testDescription: "the controls of Latin-1"),
    ]

    @Test(arguments: cases)
    func `are decoded from bytes, at once or one by one`(_ example: Case) {
        var whole = KeyReader()
        #expect(whole.read(example.bytes.utf8) == example.keys)
        #expect(!whole.isUndecided)
        var slow = KeyReader()
        #expect(example.bytes.utf8.flatMap { slow.read([$0]) } == example.keys)
        #expect(!slow.isUndecided)
    }

    @Test(
        arguments: [[0x80, 0x78], [0xFF, 0x78], [0xC3, 0x78], [0xE5, 0xAE, 0x78], [0xED, 0xA0, 0x80, 0x78]] as [[UInt8]]
    )
    func `are decoded after bytes that are not text`(bytes: [UInt8]) {
        var reader = KeyReader()
        #expect(reader.read(bytes) == [.text("x")])
    }

    @Test func `Escape is a key if nothing follows`() {
        var reader = KeyReader()
        #expect(reader.read([0x1B]) == [])
        #expect(reader.isUndecided)
        #expect(reader.giveUp() == [.escape])
        #expect(!reader.isUndecided)
        #expect(reader.giveUp() == [])
    }

    @Test func `Escape twice is one key, and the second is undecided`() {
        var reader = KeyReader()
        #expect(reader.read([0x1B, 0x1B]) == [.escape])
        #expect(reader.giveUp() == [.escape])
    }

    @Test func `that stay incomplete are dropped`() {
        var reader = KeyReader()
        #expect(reader.read([0x1B, 0x5B]) == [])
        #expect(reader.giveUp() == [])
        #expect(reader.read([0xE5, 0xAE]) == [])
        #expect(reader.giveUp() == [])
        #expect(reader.read("j".utf8) == [.text("j")])
    }
}
