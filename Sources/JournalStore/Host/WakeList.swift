/// Streams to open at a time, earliest first.
struct WakeList<Time: Hashable & Comparable & Sendable>: Sendable {
    private struct Wake: Sendable {
        /// When the stream is due; nil if it does not wait any more.
        var due: Time?
        /// Where its item is in the queue.
        var queued: Time
    }

    private var queue = WakeQueue<ByteName, Time>()
    private var wakes: [ByteName: Wake] = [:]
    /// How many of them have a time.
    private var waitingCount = 0
    /// How many items the queue has, obsolete ones included.
    var itemCount: Int { queue.count }

    mutating func add(_ stream: String, at time: Time) {
        let name = ByteName(stream)
        if wakes[name]?.due == nil { waitingCount += 1 }
        // A stream that is opened and closed again and again has one item: the earlier one is moved when it is popped.
        if let queued = wakes[name]?.queued, queued <= time {
            wakes[name]?.due = time
        } else {
            wakes[name] = Wake(due: time, queued: time)
            queue.add(name, at: time)
        }
        tidy()
    }

    /// Adds a stream, unless it is due earlier: this time was found out before that one.
    mutating func add(_ stream: String, noLaterThan time: Time) {
        if let due = wakes[ByteName(stream)]?.due, due <= time { return }
        add(stream, at: time)
    }

    /// A stream is being opened.
    mutating func remove(_ stream: String) {
        let name = ByteName(stream)
        guard wakes[name]?.due != nil else { return }
        wakes[name]?.due = nil
        waitingCount -= 1
        tidy()
    }

    /// Drops obsolete items when they are the majority: a stream with a timer of a month that is opened for shorter
    /// timers in between would otherwise leave one behind for a month each time.
    private mutating func tidy() {
        guard queue.count > 64, queue.count > 2 * waitingCount else { return }
        wakes = wakes.filter { $0.value.due != nil }
        queue.keep { name, tick in wakes[name]?.queued == tick }
    }

    /// When the next stream may be due.
    var next: Time? { queue.next }

    /// Takes the streams that are due, earliest first.
    mutating func take(at now: Time) -> [String] {
        var taken: [String] = []
        while let tick = queue.next, let name = queue.pop(until: now) {
            guard let wake = wakes[name], wake.queued == tick else { continue }
            wakes[name] = nil
            guard let due = wake.due else { continue }
            waitingCount -= 1
            if due <= now { taken.append(name.name) } else { add(name.name, at: due) }
        }
        return taken
    }
}
