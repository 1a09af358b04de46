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
        number = clock.stillness.nextNumber()
        probe = { [stillness = clock.stillness] in stillness.noticed($0) }
    }
}

extension ManualClock {
    /// Moves the clock, and stops on the way at each moment at which something is due, until effects have done all that
    /// they can do then and their actions are reduced. The journal must follow the clock.
    ///
    /// It waits for a body that blocks its thread. Only the test may call it: in the body of an effect it would wait for
    /// itself, so it ends the process there.
    ///
    /// - Returns: false if effects lead to each other for ever and never sleep, or the task is cancelled: the clock has
    ///   stopped at that moment.
    @discardableResult
    public func advance(by duration: Duration) async -> Bool {
        let end = now.advanced(by: duration)
        guard await settle() else { return false }
        while moveToNextWake(within: now.duration(to: end)) {
            guard await settle() else { return false }
        }
        return true
    }

    /// Moves the clock from one moment at which something is due to the next, until nothing sleeps any more. The
    /// journal must follow the clock.
    ///
    /// - Parameter moments: how many moments to stop at. A repeated timer never ends by itself.
    /// - Returns: false if something still sleeps after so many moments, or effects lead to each other for ever and
    ///   never sleep.
    @discardableResult
    public func runUntilIdle(atMost moments: Int = 1_000) async -> Bool {
        guard await settle() else { return false }
        for _ in 0..<max(0, moments) {
            guard moveToNextWake(within: nil) else { return true }
            guard await settle() else { return false }
        }
        return nextWake == nil
    }

    /// - Returns: false if effects go on and on, or the task was cancelled.
    private func settle() async -> Bool {
        if let body = Stillness.Body.current, stillness.activity.read({ $0.bodies.contains(body) }) {
            fatalError(
                "The body of an effect moves the clock that its journal follows, and would wait for itself. Let it sleep: "
                    + "`try await context.clock.sleep(for:)`.")
        }
        return await stillness.wait(on: self, changes: stillness.activity.read { $0.patience })
    }
}
