import Testing

@testable import JournalStore

@Suite struct `Machine, queue delays` {
    @Test func `a constant delay is independent of the random value`() {
        for random: UInt64 in [0, 1, .max] {
            #expect(EffectQueueDelay.constant(.milliseconds(300)).drawn(random) == .milliseconds(300))
            #expect(EffectQueueDelay.constant(0.5).drawn(random) == .milliseconds(500))
            #expect(EffectQueueDelay.zero.drawn(random) == .zero)
        }
    }

    @Test func `a random delay is drawn from its range`() {
        let delay = EffectQueueDelay.random(.seconds(2) ... .seconds(6))
        #expect(delay.drawn(0) == .seconds(2))
        #expect(delay.drawn(1 << 63) == .seconds(4))
        #expect(delay.drawn(.max) <= .seconds(6) && delay.drawn(.max) > .seconds(5.999))
        var step = Step.of()
        var drawn: Set<Duration> = []
        for _ in 0..<200 {
            let one = delay.drawn(step.next())
            #expect(delay.range.contains(one))
            drawn.insert(one)
        }
        #expect(drawn.count == 200)
        #expect(EffectQueueDelay.random(2...6) == delay)
    }

    @Test func `a negative delay is zero`() {
        #expect(EffectQueueDelay.constant(.seconds(-1)) == .zero)
        #expect(EffectQueueDelay.constant(-0.5) == .zero)
        #expect(EffectQueueDelay.random(.seconds(-3) ... .seconds(-1)) == .zero)
        #expect(EffectQueueDelay.random(-3...2) == .random(.zero ... .seconds(2)))
    }

    @Test func `a delay can be drawn from the widest range`() {
        let delay = EffectQueueDelay.random(.zero ... .seconds(Int64.max))
        #expect(delay.range.contains(delay.drawn(.max)))
        #expect(delay.drawn(0) == .zero)
    }

    @Test func `a delay is never longer than any clock can wait`() {
        let longest = Duration.longestWait
        #expect(EffectQueueDelay.constant(.seconds(Int64.max)).range == longest...longest)
        #expect(EffectQueueDelay.random(.seconds(1) ... .seconds(Int64.max)).range == Duration.seconds(1)...longest)
        // The same as is read back from the journal.
        #expect(EffectQueueDelay.constant(1e300) == .constant(.seconds(Int64.max)))
    }

    @Test func `seconds that are not a number, or too large, do not trap`() async {
        await #expect(processExitsWith: .success) { _ = EffectQueueDelay.constant(.nan) }
        await #expect(processExitsWith: .success) { _ = EffectQueueDelay.constant(1e300) }
        await #expect(processExitsWith: .success) { _ = EffectQueueDelay.random(0 ... .infinity) }
    }
}
