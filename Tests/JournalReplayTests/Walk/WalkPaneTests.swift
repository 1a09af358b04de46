import Testing

@testable import JournalReplayKit

@Suite struct `The pane of a walk` {
    @Test func `shows the state, the changes, or the entry`() {
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

    @Test func `reports a step whose state fails, and continues`() {
        var stage = WalkStage.counter(3, states: CountingStates(broken: 2))
        stage.press(.up)
        #expect(stage.screen.contains(#"Step 2 has no state.\u001b[2J"#))
        stage.press(.up)
        #expect(stage.screen.contains(#""count": 1"#))
    }

    @Test func `explains how to load a machine if none is loaded`() {
        var stage = WalkStage.counter(3)
        #expect(stage.screen.contains("--machine lib….so"))
        stage.press(.tab)
        #expect(stage.lastLine == "No machine is loaded, so no state is shown: --machine lib….so loads one.")
    }

    @Test func `can be scrolled, and keeps its position from step to step`() {
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

    @Test func `waits for a slow machine, and ignores an answer to an old question`() {
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

    @Test func `is shown before playing continues with the next step`() {
        var walk = WalkStage.counter(3, states: CountingStates(), at: 1).walk
        _ = walk.handle(.key(.text(" ")))
        #expect(walk.handle(.tick) == [.inspect(2)])
        #expect(walk.handle(.tick) == [])
        _ = walk.handle(.answered(WalkAnswer(step: 2, pane: .state, content: .state("2"))))
        #expect(walk.handle(.tick) == [.inspect(3)])
    }
}
