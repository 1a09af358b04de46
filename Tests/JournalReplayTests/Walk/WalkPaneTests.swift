import Testing

@testable import JournalReplayKit

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
