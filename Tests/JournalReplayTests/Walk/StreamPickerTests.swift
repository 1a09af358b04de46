import Testing

@testable import JournalReplayKit

@Suite struct `The choice of a stream` {
    private func picker(_ count: Int = 30, rows: Int = 12) -> StreamPicker {
        StreamPicker(
            file: "shop.db", rows: (1...count).map { .init(name: "cart-\($0)", machine: "cart", steps: $0 * 10) },
            size: ScreenSize(columns: 60, rows: rows))
    }

    private func press(_ keys: String, _ picker: inout StreamPicker) -> [StreamPicker.Command?] {
        var reader = KeyReader()
        return (reader.read(Array(keys.utf8)) + reader.giveUp()).map { picker.press($0) }
    }

    @Test(arguments: [
        ("\r", "cart-1"), ("j\r", "cart-2"), ("\u{1B}[B\u{1B}[Bk\r", "cart-2"), ("G\r", "cart-30"),
        ("Gg\r", "cart-1"), ("\u{6}\r", "cart-10"), ("\u{6}\u{2}\r", "cart-1"), ("/29\r", "cart-29"),
        ("/29\u{7F}\r", "cart-29"), ("/2\r", "cart-2"), ("/t-1j\u{15}5\r", "cart-5"),
    ])
    func `chooses with Enter what the keys have selected`(keys: String, name: String) {
        var picker = picker()
        #expect(press(keys, &picker).last == .choose(name))
    }

    @Test func `drops the filter with Escape, and keeps what is selected`() {
        var picker = picker()
        _ = press("/29", &picker)
        #expect(picker.rows.count == 1)
        #expect(picker.press(.escape) == nil)
        #expect(picker.rows.count == 30)
        #expect(picker.press(.enter) == .choose("cart-29"))
    }

    @Test(arguments: [
        ("q", StreamPicker.Command.quit), ("\u{3}", .quit), ("\u{4}", .quit), ("/\u{4}", .quit), ("\u{1B}", .ring),
        ("k", .ring), ("x", .ring), ("\u{1A}", .suspend), ("\u{C}", .redraw), ("/none\r", .ring),
    ])
    func `returns a command for each other key`(keys: String, command: StreamPicker.Command) {
        var picker = picker()
        #expect(press(keys, &picker).last == command)
    }

    @Test func `shows the end of a filter that is longer than the line`() {
        var picker = picker()
        _ = press("/" + String(repeating: "x", count: 70) + "end", &picker)
        let line = picker.frame.lines.last?.text ?? ""
        #expect(line.hasPrefix("Filter: x") && line.hasSuffix("xend"))
        #expect(picker.frame.cursor == 59)
    }

    @Test func `shows the streams, the selected one and the filter`() {
        var picker = picker(3, rows: 7)
        _ = press("j", &picker)
        #expect(
            picker.frame.lines.map(\.trimmed) == [
                " shop.db  choose a stream", "  STREAM  STEPS  MACHINE", "  cart-1     10  cart",
                "> cart-2     20  cart",
                "  cart-3     30  cart", "", "Enter walk  / filter  q quit  3 streams",
            ])
        _ = press("/t-3", &picker)
        #expect(
            picker.frame.lines.map(\.trimmed) == [
                " shop.db  choose a stream", "  STREAM  STEPS  MACHINE", "> cart-3     30  cart", "", "", "",
                "Filter: t-3",
            ])
        #expect(picker.frame.cursor == 11)
    }

    @Test func `fits any screen`() {
        var picker = picker()
        for rows in 0...6 {
            for columns in [0, 1, 5, 30] {
                picker.size = ScreenSize(columns: columns, rows: rows)
                let frame = picker.frame
                #expect(frame.lines.count == (rows > 1 && columns > 0 ? rows : 0))
                #expect(frame.lines.allSatisfy { DisplayWidth.of($0.text) <= columns })
            }
        }
    }
}
