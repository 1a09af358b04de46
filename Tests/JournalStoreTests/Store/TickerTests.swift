import JournalTesting
import Testing

@testable import JournalStore

/// The clock of a store is asked for no long sleep: a cancelled one costs memory until its deadline.
@Suite struct `The sleeps of a ticker` {
    @Test func `a long sleep consists of short ones and ends on time`() async throws {
        let clock = JumpingClock()
        let ticker = Ticker(clock, longestSleep: .seconds(30))
        try await ticker.sleep(.seconds(70))
        #expect(clock.deadlines.value == [.seconds(30), .seconds(60), .seconds(70)])
        #expect(ticker.now() == .seconds(70))
        try await ticker.sleep(.seconds(100))
        try await ticker.sleep(.seconds(90))
        #expect(clock.deadlines.value.dropFirst(3) == [.seconds(100), .seconds(90)])
    }

    @Test func `a cancelled sleep begins no other part`() async throws {
        let ticker = Ticker(ContinuousClock(), longestSleep: .milliseconds(1))
        let sleep = ticker.sleep
        let task = Task { try await sleep(.seconds(1_000_000)) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `sleeps of the system's clocks are short, those of a manual clock whole`() async throws {
        #expect(Ticker.longestSleep(of: ContinuousClock()) == .seconds(30))
        #expect(Ticker.longestSleep(of: SuspendingClock()) == .seconds(30))
        #expect(Ticker.longestSleep(of: ManualClock()) == nil)
        let clock = JumpingClock()
        try await Ticker(clock, in: JournalOptions()).sleep(.seconds(86_400))
        #expect(clock.deadlines.value == [.seconds(86_400)])
    }
}

/// A clock on which each sleep ends at once, at its deadline.
private final class JumpingClock: Clock {
    typealias Instant = ManualClock.Instant

    private let offset = Box(Duration.zero)
    /// What it was asked for, in order.
    let deadlines = Box<[Duration]>([])

    var now: Instant { Instant(offset: offset.value) }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        deadlines.change { $0.append(deadline.offset) }
        offset.change { $0 = max($0, deadline.offset) }
    }
}
