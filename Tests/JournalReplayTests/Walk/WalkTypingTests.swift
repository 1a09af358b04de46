import Testing

@testable import JournalReplayKit

@Suite struct `Typing in a walk` {
    @Test(arguments: [
        (":17\r", 17, "? help"), ("17\r", 17, "? help"), (":9999\r", 1_000, "The last step is 1000."),
        (":0\r", 1, "There is no step before"),
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

    @Test func `shows the typed text`() {
        var stage = WalkStage.counter(1_000)
        stage.type("12")
        #expect(stage.lastLine == "Step: 12")
        #expect(WalkView(walk: stage.walk).frame.cursor == 8)
        stage.type("\u{1B}")
        stage.type("/家 x")
        #expect(stage.lastLine == "Search: 家 x")
        #expect(WalkView(walk: stage.walk).frame.cursor == 12)
    }

    @Test func `finds a text, the next and the previous match, and wraps around`() {
        var stage = WalkStage.counter(100, at: 20)
        stage.type("/:7\r")
        #expect(stage.selected == 70)
        stage.type("nn")
        #expect(stage.selected == 72)
        stage.type("N")
        #expect(stage.selected == 71)
        stage.type("79\rn")
        #expect(stage.selected == 7)
        #expect(stage.lastLine == "Continued from the beginning.")
        stage.type("N")
        #expect(stage.selected == 79)
        #expect(stage.lastLine == "Continued from the end.")
        stage.type("/\rN")
        #expect(stage.selected == 79)
    }

    @Test func `moves with n again after the search has ended`() {
        var stage = WalkStage.counter(100, at: 20)
        stage.type("/:7\r\u{1B}")
        #expect(stage.lastLine == "The search has ended.")
        #expect(stage.wanted().contains(.quit) == false)
        stage.type("n")
        #expect(stage.selected == 71)
    }

    @Test(arguments: ["/nothing\r", "/:20}\r"])
    func `stays at its step if nothing else matches`(keys: String) {
        var stage = WalkStage.counter(100, at: 20)
        stage.type(keys)
        #expect(stage.selected == 20)
        #expect(stage.wanted().contains(.quit) == false)
    }

    @Test func `reports that nothing matches`() {
        var stage = WalkStage.counter(10)
        stage.type("/no\u{E9}\r")
        #expect(stage.lastLine == "No action contains 'noé'.")
        #expect(stage.wanted().last == .ring)
    }

    @Test func `can stop a search`() {
        var walk = WalkStage.counter(10).walk
        let search = WalkSearch(text: "x", isBackwards: false, origin: 3)
        walk.mode = .searching(search)
        #expect(walk.handle(.key(.down)) == [])
        #expect(walk.handle(.key(.escape)) == [])
        #expect(walk.mode == .walking)
        #expect(walk.handle(.searched(search, .found(step: 1))) == [])
    }

    @Test func `ignores the result of an earlier search`() {
        var walk = WalkStage.counter(10).walk
        walk.mode = .searching(WalkSearch(text: "x", isBackwards: false, origin: 3))
        let older = WalkSearch(text: "y", isBackwards: false, origin: 3)
        #expect(walk.handle(.searched(older, .found(step: 1))) == [])
        #expect(walk.mode != .walking)
    }

    @Test func `says of a text that it finds at the beginning that the state before has it too`() {
        var walk = WalkStage.counter(10).walk
        let search = WalkSearch(text: "x", isBackwards: false, origin: 0)
        walk.mode = .searching(search)
        _ = walk.handle(.searched(search, .found(step: 1, isInState: true, wasBefore: true)))
        #expect(walk.message == "The state before this step has it too.")
    }

    @Test func `finds where a text appears in the state, and scrolls to it`() {
        var stage = WalkStage.counter(60, states: CountingStates(), columns: 80, rows: 16, at: 2)
        stage.type("\tn")
        // `"count":40` is only in the state after step 40, and 40 is in the action of that step.
        stage.type("/\"count\":40\r")
        #expect(stage.selected == 40)
        #expect(stage.walk.pane == .state)
        #expect(stage.screen.contains("\"count\": 40"))
        stage.type("/38]\r")
        #expect(stage.selected == 38)
        #expect(stage.screen.contains("38"))
        stage.type("/no such text\r")
        #expect(stage.lastLine == "No action contains 'no such text', and it appears in no state.")
    }

    @Test func `finds a text as it is shown and as it is stored`() {
        let stored = #"{"name":"Smith, John: x","age":7}"#
        for text in ["Smith, John", #""name": "Smith, John: x", "age": 7"#, #""name":"Smith"#, "age\": 7", stored] {
            #expect(WalkSearch(text: text, isBackwards: false, origin: 1).isIn(stored), "\(text)")
        }
        for text in ["Smith; John", "Smith,John"] {
            #expect(!WalkSearch(text: text, isBackwards: false, origin: 1).isIn(stored), "\(text)")
        }
    }

    @Test func `never ends with Escape`() {
        var stage = WalkStage.counter(10)
        for keys in [
            "\u{1B}", "/x\u{1B}\u{1B}", ":1\u{1B}\u{1B}", "?\u{1B}\u{1B}", " \u{1B}\u{1B}", "/5\r\u{1B}\u{1B}",
        ] {
            stage.type(keys)
        }
        #expect(!stage.wanted().contains(.quit))
        #expect(stage.lastLine == "q quits.")
    }

    @Test func `plays until a key is pressed, and stops at the end`() {
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
