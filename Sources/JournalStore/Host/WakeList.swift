/// Streams that are closed and have a timer or a delayed effect, by the time at which it is due.
struct WakeList: Sendable {
    private struct Wake: Sendable {
        /// When the stream is due; nil if it does not wait any more.
        var due: Timestamp?
        /// Where its item is in the queue.
        var queued: Timestamp
    }

    private var queue = WakeQueue<String>()
    private var wakes: [ByteName: Wake] = [:]

    mutating func add(_ stream: String, at time: Timestamp) {
        let name = ByteName(stream)
        // A stream that is opened and closed again and again has one item: the earlier one is moved when it is popped.
        if let queued = wakes[name]?.queued, queued <= time {
            wakes[name]?.due = time
        } else {
            wakes[name] = Wake(due: time, queued: time)
            queue.add(stream, at: .microseconds(time.microseconds))
        }
    }

    /// A stream is being opened.
    mutating func remove(_ stream: String) {
        wakes[ByteName(stream)]?.due = nil
    }

    /// When the next stream may be due.
    var next: Timestamp? { queue.next.map { Timestamp(microseconds: $0.inMicroseconds) } }

    /// Takes the streams that are due, earliest first.
    mutating func take(at now: Timestamp) -> [String] {
        var taken: [String] = []
        while let tick = queue.next, let stream = queue.pop(until: .microseconds(now.microseconds)) {
            let name = ByteName(stream)
            guard let wake = wakes[name], wake.queued.microseconds == tick.inMicroseconds else { continue }
            wakes[name] = nil
            guard let due = wake.due else { continue }
            if due <= now { taken.append(stream) } else { add(stream, at: due) }
        }
        return taken
    }
}
