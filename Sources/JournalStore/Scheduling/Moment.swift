/// A moment on two clocks: the store's clock, which measures waits, and the wall clock.
struct Moment: Hashable, Sendable {
    /// The time since the store was opened.
    var tick: Duration
    var date: Timestamp

    /// The date at another tick, if the wall clock is not set until then. Rounded up, so that a run which a restart
    /// lets wait for that date does not start too early.
    func date(at tick: Duration) -> Timestamp {
        let wait = tick - self.tick
        let whole = wait.inMicroseconds
        let rest: Int64 = wait > .microseconds(whole) ? 1 : 0
        return Timestamp(microseconds: date.microseconds.addingSaturating(whole).addingSaturating(rest))
    }
}
