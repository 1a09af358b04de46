/// Streams to open at a time, and the task that sleeps until the first is due.
struct Alarm<Time: Hashable & Comparable & Sendable>: Sendable {
    var streams = WakeList<Time>()
    var sleeper: (until: Time, task: Task<Void, Never>)?

    /// When the next stream may be due; nil if none waits, or if the sleeper wakes early enough.
    var next: Time? {
        guard let next = streams.next, sleeper.map({ next < $0.until }) ?? true else { return nil }
        return next
    }

    mutating func cancelSleeper() {
        sleeper?.task.cancel()
        sleeper = nil
    }

    /// The sleeper has slept until a time. It can have been replaced meanwhile: then the other one goes on.
    mutating func endSleep(_ until: Time) {
        if sleeper?.until == until { sleeper = nil }
    }
}
