/// A clock without its type of instants: times count from when the ticker was made.
final class Ticker: Sendable {
    /// The longest sleep that a clock of the system is asked for. If a sleep is cancelled, Swift's runtime keeps about
    /// 700 bytes of it until its deadline. With a timer of a month, each wait for something earlier cancels that sleep,
    /// and so does each closing of the stream.
    private static let longestSystemSleep = Duration.seconds(30)

    let clock: any Clock<Duration>
    /// How often the wall clock is read while something waits for a time of it.
    let clockCheck: Duration
    /// The time since the ticker was made.
    let now: @Sendable () -> Duration
    /// Sleeps until this long after the ticker was made.
    let sleep: @Sendable (_ until: Duration) async throws -> Void

    convenience init(_ clock: some Clock<Duration>, in options: JournalOptions) {
        self.init(
            clock, longestSleep: Ticker.longestSleep(of: clock),
            clockCheck: options.onlyClock === clock as AnyObject ? .longestWait : Scheduler.usualClockCheck)
    }

    /// - Parameters:
    ///   - longestSleep: the longest sleep that the clock is asked for; nil for any.
    ///   - clockCheck: how often to read the wall clock.
    init(_ clock: some Clock<Duration>, longestSleep: Duration?, clockCheck: Duration = Scheduler.usualClockCheck) {
        let start = clock.now
        let now: @Sendable () -> Duration = { start.duration(to: clock.now) }
        (self.clock, self.clockCheck) = (clock, clockCheck)
        self.now = now
        sleep = { until in
            if let longestSleep {
                while case let part = now() + longestSleep, part < until {
                    try await clock.sleep(until: start.advanced(by: part), tolerance: nil)
                }
            }
            try await clock.sleep(until: start.advanced(by: until), tolerance: nil)
        }
    }

    /// A manual clock stops at each moment at which something wakes, so it is asked for whole sleeps.
    static func longestSleep(of clock: some Clock<Duration>) -> Duration? {
        clock is ContinuousClock || clock is SuspendingClock ? longestSystemSleep : nil
    }
}
