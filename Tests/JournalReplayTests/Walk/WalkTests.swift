import JournalStore
import Testing

@testable import JournalReplayKit

@Suite struct `A walk` {
    @Test func `begins with the newest step, or with the one that is wanted`() {
        #expect(WalkStage.counter(1_000).selected == 1_000)
        #expect(WalkStage.counter(1_000, at: 17).selected == 17)
        #expect(WalkStage.counter(1_000, at: 5_000).selected == 1_000)
        #expect(WalkStage.counter(1_000, at: 5, prunedTo: 10).selected == 11)
        #expect(WalkStage([]).selected == nil)
    }

    @Test(arguments: [
        (KeyPress.up, 499), (.left, 499), (.text("k"), 499), (.text("p"), 499), (.down, 501), (.right, 501),
        (.text("j"), 501), (.text("n"), 501), (.pageUp, 483), (.pageDown, 517), (.home, 1), (.text("g"), 1),
        (.end, 1_000), (.text("G"), 1_000), (.tab, 500), (.text("x"), 500),
    ])
    func `goes where a key says`(key: KeyPress, step: Int) {
        var stage = WalkStage.counter(1_000, at: 500)
        stage.press(key)
        #expect(stage.selected == step)
    }

    @Test func `rings at both ends and says why`() {
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
        #expect(pruned.lastLine == "What was before was pruned.")
    }

    @Test func `keeps some hundred steps in memory, and reads on before they end`() {
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

    @Test func `shows what a running app adds`() {
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

    @Test func `sees an effect end`() {
        var stage = WalkStage.counter(3)
        stage.runs = [WalkStage.run(3, 0, "charge", .running)]
        stage.happen(.tick)
        #expect(stage.screen.contains("3.0  charge  running"))
        stage.runs = [WalkStage.run(3, 0, "charge", .completed)]
        stage.happen(.tick)
        #expect(stage.screen.contains("3.0  charge  completed"))
    }

    @Test func `goes over what a pruning left out`() {
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
            ("q", [.quit]), ("\u{3}", [.quit]), ("\u{1B}", [.quit]), ("\u{1A}", [.suspend]), ("\u{C}", [.redraw]),
        ] as [(String, [WalkCommand])])
    func `says what is to be done with the screen`(keys: String, commands: [WalkCommand]) {
        var stage = WalkStage.counter(3)
        stage.type(keys)
        #expect(stage.wanted() == commands)
    }
}

@Suite struct `A walk that is typed to` {
    @Test(arguments: [
        (":17\r", 17, "? help"), ("17\r", 17, "? help"), (":9999\r", 1_000, "The last step is 1000."),
        (":0\r", 1, "? help"),
        (":99999999999999999999999\r", 1_000, "? help"), (":\r", 500, "? help"), (":17\u{1B}", 500, "? help"),
        (":x17\r", 17, "? help"), (":18\u{7F}7\r", 17, "? help"), (":1\u{7F}\u{7F}", 500, "? help"),
        (":99\u{15}17\r", 17, "? help"),
    ])
    func `jumps to a step`(keys: String, step: Int, line: String) {
        var stage = WalkStage.counter(1_000, at: 500)
        stage.type(keys)
        #expect(stage.selected == step)
        #expect(stage.lastLine.hasPrefix(line))
    }

    @Test func `shows what was typed`() {
        var stage = WalkStage.counter(1_000)
        stage.type("12")
        #expect(stage.lastLine == "Step: 12")
        #expect(WalkView(walk: stage.walk).frame.cursor == 8)
        stage.type("\u{1B}")
        stage.type("/家 x")
        #expect(stage.lastLine == "Search: 家 x")
        #expect(WalkView(walk: stage.walk).frame.cursor == 12)
    }

    @Test func `finds a text, the next one, the one before, and begins anew behind the end`() {
        var stage = WalkStage.counter(100, at: 20)
        stage.type("/:7\r")
        #expect(stage.selected == 70)
        stage.type("nn")
        #expect(stage.selected == 72)
        stage.type("N")
        #expect(stage.selected == 71)
        stage.type("79\rn")
        #expect(stage.selected == 7)
        #expect(stage.lastLine == "Went on from the beginning.")
        stage.type("N")
        #expect(stage.selected == 79)
        #expect(stage.lastLine == "Went on from the end.")
        stage.type("/\rN")
        #expect(stage.selected == 79)
    }

    @Test func `has its n back when the search is over`() {
        var stage = WalkStage.counter(100, at: 20)
        stage.type("/:7\r\u{1B}")
        #expect(stage.lastLine == "The search is over.")
        #expect(stage.wanted().contains(.quit) == false)
        stage.type("n")
        #expect(stage.selected == 71)
    }

    @Test(arguments: ["/nothing\r", "/:20}\r"])
    func `stays where it is when nothing else matches`(keys: String) {
        var stage = WalkStage.counter(100, at: 20)
        stage.type(keys)
        #expect(stage.selected == 20)
        #expect(stage.wanted().contains(.quit) == false)
    }

    @Test func `says so when nothing matches`() {
        var stage = WalkStage.counter(10)
        stage.type("/no\u{E9}\r")
        #expect(stage.lastLine == "No action has 'noé' in it.")
        #expect(stage.wanted().last == .ring)
    }

    @Test func `can be stopped while it searches`() {
        var walk = WalkStage.counter(10).walk
        walk.mode = .searching(WalkSearch(text: "x", isBackwards: false, origin: 3))
        #expect(walk.handle(.key(.down)) == [])
        #expect(walk.handle(.key(.escape)) == [])
        #expect(walk.mode == .walking)
        #expect(walk.handle(.searched(.found(step: 1))) == [])
    }

    @Test func `plays until a key is pressed, and rests at the end`() {
        var stage = WalkStage.counter(20, at: 10)
        stage.type(" ")
        #expect(stage.walk.pause == 500)
        stage.happen(.tick)
        stage.happen(.tick)
        #expect(stage.selected == 12)
        stage.type("+")
        #expect(stage.walk.pause == 300)
        stage.type("--")
        #expect(stage.walk.pause == 800)
        stage.happen(.tick)
        #expect(stage.selected == 13)
        stage.type("j")
        stage.happen(.tick)
        #expect(stage.selected == 13)
        stage.type(" ")
        for _ in 0..<20 { stage.happen(.tick) }
        #expect(stage.selected == 20)
        #expect(stage.walk.mode == .walking)
        stage.type(" ")
        #expect(stage.selected == 1)
    }

    @Test func `has a fastest and a slowest pace`() {
        var stage = WalkStage.counter(2)
        stage.type(" ++++++++")
        #expect(stage.walk.pause == 100)
        #expect(stage.wanted().last == .ring)
        stage.type("-----------")
        #expect(stage.walk.pause == 2_000)
    }

    @Test func `shows help until a key is pressed`() {
        var stage = WalkStage.counter(2, rows: 12)
        stage.type("?")
        #expect(stage.screen.contains("MOVING"))
        stage.press(.down, .down)
        #expect(!stage.screen.contains("MOVING"))
        stage.press(.down, .down, .down, .down, .down, .down, .down, .down, .down, .down, .down, .down)
        #expect(stage.screen.contains("Before an action"))
        stage.type("q")
        #expect(!stage.screen.contains("Before an action"))
        #expect(!stage.wanted().contains(.quit))
    }
}

@Suite struct `The pane of a walk` {
    @Test func `shows the state, what changed, or the entry`() {
        var stage = WalkStage.counter(3, states: CountingStates())
        #expect(stage.screen.contains(#""steps": [1, 2, 3]"#))
        stage.press(.tab)
        #expect(stage.screen.contains("CHANGES by step 3"))
        #expect(stage.screen.contains("count: 2 → 3"))
        #expect(stage.screen.contains("+ steps[2]: 3"))
        stage.press(.up)
        #expect(stage.screen.contains("count: 1 → 2"))
        stage.type("d")
        #expect(stage.screen.contains("STATE after step 2"))
        stage.type("a")
        #expect(stage.screen.contains("ENTRY of step 2"))
        stage.type("a")
        #expect(stage.screen.contains("STATE after step 2"))
    }

    @Test func `tells of a step that has no state, and goes on`() {
        var stage = WalkStage.counter(3, states: CountingStates(broken: 2))
        stage.press(.up)
        #expect(stage.screen.contains(#"Step 2 has no state.\u001b[2J"#))
        stage.press(.up)
        #expect(stage.screen.contains(#""count": 1"#))
    }

    @Test func `says how a machine is given where there is none`() {
        var stage = WalkStage.counter(3)
        #expect(stage.screen.contains("--machine lib….so"))
        stage.press(.tab)
        #expect(stage.lastLine == "Without a machine there are no states: --machine lib….so loads one.")
    }

    @Test func `is scrolled, and stays where it is from step to step`() {
        var stage = WalkStage.counter(60, states: CountingStates(), rows: 24, at: 50)
        #expect(stage.screen.contains("1-17/55"))
        stage.type("]]")
        #expect(stage.screen.contains("3-19/55"))
        stage.press(.down)
        #expect(stage.screen.contains("3-19/56"))
        stage.type("}}}}")
        #expect(stage.screen.contains("40-56/56"))
        stage.press(.home)
        #expect(stage.walk.scroll == 0)
        stage.type("[")
        #expect(stage.wanted().last == .ring)
    }

    @Test func `waits for a machine that takes its time, and takes no answer to an old question`() {
        var walk = WalkStage.counter(3, states: CountingStates()).walk
        _ = walk.handle(.key(.up))
        #expect(walk.isWaiting)
        #expect(WalkView(walk: walk).frame.lines.contains { $0.text.hasSuffix("│ …") })
        let old = WalkAnswer(step: 3, pane: .state, content: .state("3"))
        _ = walk.handle(.answered(old))
        #expect(walk.isWaiting)
        _ = walk.handle(.answered(WalkAnswer(step: 2, pane: .changes, content: .changes([]))))
        #expect(walk.isWaiting)
        _ = walk.handle(.answered(WalkAnswer(step: 2, pane: .state, content: .state("2"))))
        #expect(!walk.isWaiting)
    }

    @Test func `is seen before a walk that plays goes on`() {
        var walk = WalkStage.counter(3, states: CountingStates(), at: 1).walk
        _ = walk.handle(.key(.text(" ")))
        #expect(walk.handle(.tick) == [.inspect(2)])
        #expect(walk.handle(.tick) == [])
        _ = walk.handle(.answered(WalkAnswer(step: 2, pane: .state, content: .state("2"))))
        #expect(walk.handle(.tick) == [.inspect(3)])
    }
}
