/// Names one run inside a stream: the step that returned the effect, and its place among that step's effects.
struct RunKey: Hashable, Comparable, Sendable {
    var step: Int
    var ordinal: Int

    static func < (left: RunKey, right: RunKey) -> Bool {
        (left.step, left.ordinal) < (right.step, right.ordinal)
    }
}

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
