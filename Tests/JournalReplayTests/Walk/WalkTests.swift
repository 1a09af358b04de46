import JournalStore
import Testing

@testable import JournalReplayKit

@Suite struct `A walk` {
    @Test func `begins with the newest step, or with the requested one`() {
        #expect(WalkStage.counter(1_000).selected == 1_000)
        #expect(WalkStage.counter(1_000, at: 17).selected == 17)
        let late = WalkStage.counter(1_000, at: 5_000)
        #expect(late.selected == 1_000)
        #expect(late.lastLine == "The last step is 1000.")
        let early = WalkStage.counter(1_000, at: 5, prunedTo: 10)
        #expect(early.selected == 11)
        #expect(early.lastLine == "Step 5 was pruned.")
        #expect(WalkStage([]).selected == nil)
    }

    @Test func `looks at the stream first, and then loads only the steps around the one it begins with`() {
        var walk = Walk(file: "shop.db", stream: "cart", hasStates: false, size: ScreenSize(columns: 80, rows: 24))
        #expect(Walk.start(at: 17) == [.look(nil), .load(around: 17)])
        #expect(walk.handle(.looked(WalkStage.counter(1_000).info, nil)) == [])
        #expect(walk.head == 1_000)
    }

    @Test(arguments: [
        (KeyPress.up, 499), (.left, 499), (.text("k"), 499), (.text("p"), 499), (.down, 501), (.right, 501),
        (.text("j"), 501), (.text("n"), 501), (.pageUp, 483), (.pageDown, 517), (.home, 1), (.text("g"), 1),
        (.end, 1_000), (.text("G"), 1_000), (.tab, 500), (.text("x"), 500),
    ])
    func `moves to the step that a key selects`(key: KeyPress, step: Int) {
        var stage = WalkStage.counter(1_000, at: 500)
        stage.press(key)
        #expect(stage.selected == step)
    }

    @Test func `rings at both ends and shows why`() {
        var stage = WalkStage.counter(3)
        stage.press(.down)
        #expect(stage.wanted() == [.ring])
        #expect(stage.lastLine == "This is the last step.")
        stage.press(.home)
        #expect(stage.lastLine.hasPrefix("? help"))
        stage.press(.up)
        #expect(stage.lastLine == "This is the first step.")
        var pruned = WalkStage.counter(30, at: 1, prunedTo: 10)
        #expect(pruned.selected == 11)
        pruned.press(.up)
        #expect(pruned.lastLine == "Earlier steps were pruned.")
    }

    @Test func `keeps a few hundred steps in memory, and loads more before they run out`() {
        var stage = WalkStage.counter(5_000, at: 1)
        var most = 0
        var loads = 0
        for step in 2...5_000 {
            stage.press(.down)
            #expect(stage.selected == step)
            most = max(most, stage.walk.window.rows.count)
            loads += stage.wanted().count { if case .load = $0 { true } else { false } }
            let rows = stage.walk.window.rows
            #expect(rows.last?.step == 5_000 || rows.count - stage.walk.window.index > stage.walk.layout.listRows)
        }
        #expect(most == 2 * WalkWindow.reach + 1)
        #expect(loads < 30)
    }

    @Test func `shows the steps that a running app adds`() {
        var stage = WalkStage.counter(3)
        stage.append(#""late""#, #""later""#)
        stage.happen(.tick)
        #expect(stage.selected == 3)
        #expect(stage.screen.contains("step 3 of 5"))
        #expect(stage.walk.window.rows.map(\.step) == [1, 2, 3, 4, 5])
        stage.append(#""latest""#)
        stage.press(.end)
        #expect(stage.selected == 6)
        var empty = WalkStage([])
        empty.append(#""first""#)
        empty.happen(.tick)
        #expect(empty.selected == 1)
    }

    @Test func `shows when an effect ends`() {
        var stage = WalkStage.counter(3)
        stage.runs = [WalkStage.run(3, 0, "charge", .running)]
        stage.happen(.tick)
        #expect(stage.screen.contains("3.0  charge  running"))
        stage.runs = [WalkStage.run(3, 0, "charge", .completed)]
        stage.happen(.tick)
        #expect(stage.screen.contains("3.0  charge  completed"))
    }

    @Test func `moves across a gap that pruning left`() {
        var stage = WalkStage.counter(100)
        stage.entries.removeAll { (11...60).contains($0.step) }
        stage.pruned = 60
        stage.happen(.tick)
        stage.press(.home)
        stage.type("10\r")
        #expect(stage.selected == 10)
        stage.press(.down)
        #expect(stage.selected == 61)
        stage.type("30\r")
        #expect(stage.selected == 61)
        #expect(stage.lastLine == "Step 30 was pruned.")
    }

    @Test(
        arguments: [
            ("q", [.quit]), ("\u{3}", [.quit]), ("\u{1B}", [.ring]), ("\u{4}", [.quit]), ("\u{1A}", [.suspend]),
            ("\u{C}", [.redraw]),
        ] as [(String, [WalkCommand])])
    func `returns the commands to quit, suspend and redraw`(keys: String, commands: [WalkCommand]) {
        var stage = WalkStage.counter(3)
        stage.type(keys)
        #expect(stage.wanted() == commands)
    }
}
