public import JournalStore

extension Journal.Options {
    /// Runs a journal on a manual clock: the journal's time is that of the clock, and its tasks run one at a time, so
    /// that the clock knows when they have done what was due.
    ///
    /// ```swift
    /// var options = Journal.Options()
    /// options.follow(clock)
    /// let journal = try Journal.inMemory(options: options)
    /// let store = try await journal.open(machine, stream: "test", clock: clock)
    /// try await store.dispatch(.start)
    /// await clock.advance(by: .seconds(60))
    /// #expect(store.state.ticks == 60)
    /// ```
    public mutating func follow(_ clock: ManualClock) {
        wallClock = clock.wallClock
        onlyClock = clock
        executor = clock.stillness.executor
        probe = { [stillness = clock.stillness] in stillness.noticed($0) }
    }
}

extension ManualClock {
    /// Moves the clock, and stops on the way at each moment at which something is due, until effects have done all that
    /// they can do then and their actions are reduced. The journal must follow the clock.
    public func advance(by duration: Duration) async {
        let end = now.advanced(by: duration)
        _ = await stillness.wait(on: self)
        while moveToNextWake(within: now.duration(to: end)) { _ = await stillness.wait(on: self) }
    }

    /// Moves the clock from one moment at which something is due to the next, until nothing sleeps any more. The
    /// journal must follow the clock.
    ///
    /// - Parameter moments: how many moments to stop at. A repeated timer never ends by itself.
    /// - Returns: false if something still sleeps after so many moments.
    @discardableResult
    public func runUntilIdle(atMost moments: Int = 1_000) async -> Bool {
        _ = await stillness.wait(on: self)
        for _ in 0..<max(0, moments) {
            guard moveToNextWake(within: nil) else { return true }
            _ = await stillness.wait(on: self)
        }
        return nextWake == nil
    }
}
