/// A moment, on both clocks: the one that waits are measured with, and the one that people read.
struct Moment: Hashable, Sendable {
    /// Since the store was opened.
    var tick: Duration
    var date: Timestamp

    /// The date at another tick, as far as can be told now.
    func date(at tick: Duration) -> Timestamp {
        Timestamp(microseconds: date.microseconds.addingSaturating((tick - self.tick).inMicroseconds))
    }
}
