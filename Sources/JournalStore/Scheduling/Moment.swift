/// A moment on two clocks: the store's clock, which measures waits, and the wall clock.
struct Moment: Hashable, Sendable {
    /// The time since the store was opened.
    var tick: Duration
    var date: Timestamp

    /// The date at another tick, if the wall clock is not set until then.
    func date(at tick: Duration) -> Timestamp {
        Timestamp(microseconds: date.microseconds.addingSaturating((tick - self.tick).inMicroseconds))
    }
}
