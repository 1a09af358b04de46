import Testing

@testable import JournalReplayKit

@Suite struct `Colour` {
    struct Case: CustomTestStringConvertible {
        var choice = ColorChoice.auto
        var isTerminal = true
        var environment: [String: String] = [:]
        var isUsed: Bool
        var testDescription: String
    }

    @Test(arguments: [
        Case(isUsed: true, testDescription: "a terminal"),
        Case(isTerminal: false, isUsed: false, testDescription: "no terminal"),
        Case(environment: ["TERM": "dumb"], isUsed: false, testDescription: "a terminal without colours"),
        Case(environment: ["NO_COLOR": "1"], isUsed: false, testDescription: "NO_COLOR"),
        Case(environment: ["NO_COLOR": ""], isUsed: true, testDescription: "an empty NO_COLOR is ignored"),
        Case(
            choice: .always, isTerminal: false, environment: ["NO_COLOR": "1", "TERM": "dumb"], isUsed: true,
            testDescription: "--color always overrides everything"),
        Case(choice: .never, isUsed: false, testDescription: "--color never overrides everything"),
    ])
    func `is used only if it is wanted and the terminal can show it`(_ example: Case) {
        let style = Style(example.choice, isTerminal: example.isTerminal) { example.environment[$0] }
        #expect(style.usesColour == example.isUsed)
        #expect(style.problem("x") == (example.isUsed ? "\u{1B}[31mx\u{1B}[0m" : "x"))
    }
}

@Suite struct `Columns` {
    private func line(_ row: [String], _ layout: Layout) -> String {
        layout.line(row) { _, cell in cell }
    }

    @Test func `are as wide as their widest cell so far`() {
        var layout = Layout([("STEP", isNumber: true), ("NAME", isNumber: false), ("REST", isNumber: false)])
        layout.widen(for: ["1", "abcdef", "x"])
        #expect(layout.headline == "STEP  NAME    REST")
        #expect(line(["1", "é", "x y"], layout) == "   1  é       x y")
        layout.widen(for: ["12345", "a", ""])
        #expect(line(["1", "a", ""], layout) == "    1  a")
        #expect(line(["", "", ""], layout) == "")
    }

    @Test func `are counted in the columns of a terminal`() {
        var layout = Layout([("NAME", isNumber: false), ("REST", isNumber: false)])
        layout.widen(for: ["家家家", "x"])
        #expect(layout.headline == "NAME    REST")
        #expect(line(["家家家", "x"], layout) == "家家家  x")
        #expect(line(["abc", "x"], layout) == "abc     x")
    }

    @Test func `are wide enough for any ID`() {
        var layout = Layout([("ID", isNumber: false), ("REST", isNumber: false)])
        let id = "PaymentID {\"n\":\"7cb0fd4e-7c35-4f2e-8e7c-1e5f0d1c9a55\"}"
        layout.widen(for: [id, "x"])
        #expect(layout.headline == "ID" + String(repeating: " ", count: id.count) + "REST")
        #expect(line(["", "x"], layout) == String(repeating: " ", count: id.count + 2) + "x")
    }

    @Test func `are not widened by one long text`() {
        var layout = Layout([("NAME", isNumber: false), ("REST", isNumber: false)])
        layout.widen(for: [String(repeating: "x", count: 500), ""])
        #expect(layout.headline == "NAME  REST")
    }
}
