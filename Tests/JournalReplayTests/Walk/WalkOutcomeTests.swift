import JournalStore
import Testing

@testable import JournalReplayKit

@Suite struct `The outcome of a step in a walk` {
    private func stage(at step: Int, states: (any WalkStates)? = nil) -> WalkStage {
        var stage = WalkStage([#""add""#, #""pay""#, #""crash""#, #""ship""#], states: states, columns: 80, at: 1)
        stage.outcomes = [
            2: StepOutcome(.rejected, reason: "cart is \u{1B}[2Jempty"), 3: StepOutcome(.skipped, reason: "crashes"),
            4: StepOutcome(),
        ]
        stage.type(":\(step)\r")
        return stage
    }

    @Test func `is in the list once the step was looked at, and in red`() throws {
        var stage = stage(at: 2)
        stage.type("j")
        stage.type("j")
        #expect(stage.screen.contains("rejected pay"))
        #expect(stage.screen.contains("skipped crash"))
        #expect(!stage.screen.contains("reduced"))
        let line = try #require(
            WalkView(walk: stage.walk).frame.lines.first { $0.trimmed.contains("rejected pay") })
        #expect(line.parts.first?.ink == .problem)
    }

    @Test func `is in the entry with its reason`() {
        #expect(stage(at: 2).screen.contains(#"Outcome   rejected: cart is \u001b[2Jempty"#))
        #expect(stage(at: 4).screen.contains("Outcome   unsettled"))
        #expect(!stage(at: 1).screen.contains("Outcome"))
    }

    @Test func `is beside the effects, whatever the pane shows`() {
        let stage = stage(at: 3, states: CountingStates())
        #expect(stage.screen.contains("EFFECTS of step 3: none, skipped: crashes"))
    }
}
