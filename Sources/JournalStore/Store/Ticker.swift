/// A clock without its type of instants: times count from when the ticker was made.
final class Ticker: Sendable {
    let clock: any Clock<Duration>
    /// The time since the ticker was made.
    let now: @Sendable () -> Duration
    /// Sleeps until this long after the ticker was made.
    let sleep: @Sendable (_ until: Duration) async throws -> Void

    init(_ clock: some Clock<Duration>) {
        let start = clock.now
        self.clock = clock
        now = { start.duration(to: clock.now) }
        sleep = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
    }
}
