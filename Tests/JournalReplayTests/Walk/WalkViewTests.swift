import JournalStore
import Testing

@testable import JournalReplayKit

@Suite struct `The frame of a walk` {
    /// With wide, long and unsafe texts, and effects in several statuses.
    private func stage(
        columns: Int, rows: Int, states: (any WalkStates)? = CountingStates(), at step: Int? = 4
    ) -> WalkStage {
        var stage = WalkStage(
            [
                #"{"add":{"item":"Tea","price":3}}"#, #"{"add":{"item":"家家家家家家家家家家","price":4}}"#,
                "{\"note\":{\"_0\":\"😀 cafe\u{301} \u{9B}2J\"}}", #""pay""#, #"{"paid":{}}"#, "no JSON\n",
            ], states: states, columns: columns, rows: rows, at: step)
        stage.entries[4].origin = .effect
        stage.entries[5].origin = .machine
        stage.runs = [
            WalkStage.run(4, 0, "charge", .completed), WalkStage.run(4, 1, "mail 家", .failed, error: "no paper\u{7}"),
            WalkStage.run(4, 2, "print", .waiting), WalkStage.run(4, 3, "remind", .delayed),
        ]
        stage.happen(.tick)
        return stage
    }

    @Test func `at the usual size`() {
        #expect(
            stage(columns: 80, rows: 24).screen == #"""
                 shop.db  cart                         step 4 of 6  2025-01-01T00:00:04.000000Z
                 STEP TIME       ACTION             │ STATE after step 4
                    1 00:00:01   add item: "Tea", p…│ {
                    2 00:00:02   add item: "家家家… │   "count": 4,
                    3 00:00:03   note "😀 café \u00…│   "steps": [1, 2, 3, 4]
                >   4 00:00:04   pay                │ }
                    5 00:00:05   paid               │
                    6 00:00:06   no JSON\n          │
                                                    │
                                                    │
                                                    │
                                                    │
                                                    │
                                                    │
                                                    │
                                                    │
                                                    │
                                                    │
                                                    │
                EFFECTS of step 4: 3 of 4
                 4.0  charge   completed  1 attempt
                 4.1  mail 家  failed     2 attempts  no paper\u0007
                 4.2  print    waiting    3 attempts
                ? help  q quit  ↑↓ step  Tab changes  : jump  / search  space play  [] scroll
                """#)
    }

    @Test func `of the changes by a step`() {
        var stage = stage(columns: 80, rows: 12)
        stage.type("de")
        #expect(
            stage.screen == #"""
                 shop.db  cart                         step 4 of 6  2025-01-01T00:00:04.000000Z
                 STEP TIME       ACTION             │ CHANGES by step 4
                    1 00:00:01   add item: "Tea", p…│ count: 3 → 4
                    2 00:00:02   add item: "家家家… │ + steps[3]: 4
                    3 00:00:03   note "😀 café \u00…│
                >   4 00:00:04   pay                │
                    5 00:00:05   paid               │
                    6 00:00:06   no JSON\n          │
                                                    │
                                                    │
                                                    │
                ? help  q quit  ↑↓ step  Tab state  : jump  / search  space play  [] scroll
                """#)
    }

    @Test func `of an entry`() {
        #expect(
            stage(columns: 80, rows: 16, states: nil, at: 3).screen == #"""
                 shop.db  cart                         step 3 of 6  2025-01-01T00:00:03.000000Z
                 STEP TIME       ACTION             │ ENTRY of step 3                    1-11/12
                    1 00:00:01   add item: "Tea", p…│ {
                    2 00:00:02   add item: "家家家… │   "note": {"_0": "😀 café \u009b2J"}
                >   3 00:00:03   note "😀 café \u00…│ }
                    4 00:00:04   pay                │
                    5 00:00:05   paid               │ Origin    dispatched
                    6 00:00:06   no JSON\n          │ Time      2025-01-01T00:00:03.000000Z
                                                    │ Version   1
                                                    │ Position  3
                                                    │ Digest    00000000000000010000000000000003
                                                    │
                                                    │ No machine is loaded, so no state is
                EFFECTS of step 3: none

                ? help  q quit  ↑↓ step  : jump  / search  space play  [] scroll  e effects
                """#)
    }

    @Test func `in a small window`() {
        #expect(
            stage(columns: 40, rows: 10).screen == #"""
                 shop.db  cart              step 4 of 6
                    3 00:00:03   note "😀 café \u009b2J"
                >   4 00:00:04   pay
                STATE after step 4                 1-3/4
                {
                  "count": 4,
                  "steps": [1, 2, 3, 4]
                EFFECTS of step 4: 1 of 4
                 4.0  charge  completed  1 attempt
                ? help  q quit  ↑↓ step  Tab changes
                """#)
    }

    @Test func `in a tiny window`() {
        #expect(
            stage(columns: 20, rows: 5).screen == #"""
                 shop.db  cart    4
                >   4   pay
                {
                  "count": 4,
                ? help  q quit
                """#)
    }

    @Test func `in a large window`() {
        let lines = stage(columns: 200, rows: 60).screen.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 60)
        #expect(
            lines.filter { $0.contains { !" │".contains($0) } }.joined(separator: "\n") == #"""
                 shop.db  cart                                                                                                                                                 step 4 of 6  2025-01-01T00:00:04.000000Z
                 STEP TIME       ACTION                                                 │ STATE after step 4
                    1 00:00:01   add item: "Tea", price: 3                              │ {
                    2 00:00:02   add item: "家家家家家家家家家家", price: 4             │   "count": 4,
                    3 00:00:03   note "😀 café \u009b2J"                                │   "steps": [1, 2, 3, 4]
                >   4 00:00:04   pay                                                    │ }
                    5 00:00:05   paid                                                   │
                    6 00:00:06   no JSON\n                                              │
                EFFECTS of step 4
                 4.0  charge   completed  1 attempt
                 4.1  mail 家  failed     2 attempts  no paper\u0007
                 4.2  print    waiting    3 attempts
                 4.3  remind   delayed    4 attempts
                ? help  q quit  ↑↓ step  Tab changes  : jump  / search  space play  [] scroll  e effects  a action
                """#)
    }

    @Test func `of a step with a timer and a message`() {
        var stage = stage(columns: 80, rows: 24)
        stage.runs[1].sends = "1"
        stage.runs[1].described = #"{"message":{}}"#
        stage.runs[2].sends = "2"
        stage.press(.down, .up)
        #expect(
            Array(stage.screen.split(separator: "\n").dropLast().suffix(3)) == [
                " 4.0           charge   completed  1 attempt",
                " 4.1  message  mail 家  failed     2 attempts  no paper\\u0007",
                " 4.2  timer    print    waiting    3 attempts",
            ], "\(stage.screen)")
    }

    @Test func `of an empty stream`() {
        #expect(
            WalkStage([], columns: 60, rows: 8).screen == #"""
                 shop.db  cart                                     no steps
                 STEP   ACTION             │ ENTRY
                                           │ There are no steps yet.
                                           │
                                           │
                                           │
                                           │
                ? help  q quit  ↑↓ step  : jump  / search  space play
                """#)
    }

    @Test func `fits every window`() {
        for columns in [0, 1, 2, 3, 5, 10, 20, 29, 30, 59, 60, 80] {
            for rows in [0, 1, 2, 3, 4, 5, 8, 10, 18, 24] {
                for keys in ["d", "?", "/家家家家家家家家家", "e "] {
                    var stage = stage(columns: columns, rows: rows)
                    stage.type(keys)
                    stage.press(.up)
                    let frame = WalkView(walk: stage.walk).frame
                    #expect(frame.lines.count == rows || columns == 0)
                    #expect(
                        frame.lines.allSatisfy { DisplayWidth.of($0.text) <= columns }, "\(columns)x\(rows) \(keys)")
                    #expect(frame.cursor ?? 0 <= max(0, columns - 1))
                }
            }
        }
    }
}

@Suite struct `What is sent to a terminal` {
    private func frame(_ texts: String...) -> ScreenFrame {
        ScreenFrame(lines: texts.map { StyledLine($0) }, cursor: nil)
    }

    @Test func `is only the lines that changed`() {
        var painter = ScreenPainter(usesColour: false)
        #expect(painter.paint(frame("a", "b")).contains("\u{1B}[2;1H\u{1B}[2Kb"))
        #expect(painter.paint(frame("a", "b")) == "")
        #expect(painter.paint(frame("a", "c")) == "\u{1B}[2;1H\u{1B}[2Kc\u{1B}[?25l")
        painter.forget()
        #expect(painter.paint(frame("a", "c")).contains("\u{1B}[1;1H\u{1B}[2Ka"))
    }

    @Test func `sets the column of each part, and uses colour only if enabled`() {
        let line = StyledLine([
            StyledText(text: "家 ", ink: .selected), StyledText(text: "│", ink: .heading),
            StyledText(text: "x", ink: .problem),
        ])
        let frame = ScreenFrame(lines: [line], cursor: 2)
        var coloured = ScreenPainter(usesColour: true)
        #expect(
            coloured.paint(frame).hasSuffix(
                "\u{1B}[7m家 \u{1B}[0m\u{1B}[4G\u{1B}[2m│\u{1B}[0m\u{1B}[5G\u{1B}[31mx\u{1B}[0m\u{1B}[1;3H\u{1B}[?25h"))
        var plain = ScreenPainter(usesColour: false)
        #expect(plain.paint(frame).hasSuffix("\u{1B}[7m家 \u{1B}[0m\u{1B}[4G│\u{1B}[5Gx\u{1B}[1;3H\u{1B}[?25h"))
    }
}
