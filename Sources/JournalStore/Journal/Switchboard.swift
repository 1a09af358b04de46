/// An action on its way from one machine to another.
struct Delivery: Sendable {
    let message: Message
    let from: StreamID
    let key: RunKey
    /// The sender's record of it, once it is delivered: committed together with the receiver's entry.
    let record: EffectRun
    /// Told what became of it; on any thread, and must not wait.
    let reply: @Sendable (Outcome) -> Void

    enum Outcome: Sendable {
        case delivered
        /// The store that was to take it in has ended meanwhile.
        case notTaken
        case failed(JournalError)
    }

    var cause: Cause { Cause(stream: from, step: key.step, run: key.ordinal) }

    /// What is committed where the receiver is not at work.
    func batch(for receiver: StreamID) -> Batch {
        var batch = Batch(entries: [
            NewEntry(
                stream: receiver, action: message.text, version: message.version, origin: .machine, cause: cause)
        ])
        batch.runs = [record]
        return batch
    }
}

/// Who takes in what other machines send. A store that is open takes it between its own entries; for a stream that is not, the writer
/// does; while one is being opened or closed, it waits.
final class Switchboard: Sendable {
    private enum Receiver: Sendable {
        /// So many are being opened, or come to their end, and this waits for them.
        case notOpen(Int, [Delivery])
        case open(@Sendable (Delivery) -> Void)
    }

    private let receivers = Lock<[ByteName: Receiver]>([:])
    private let writer: Writer

    init(_ writer: Writer) {
        self.writer = writer
    }

    /// A store is being opened on a stream.
    ///
    /// - Returns: whether ``closed(_:)`` is to be called where that fails. Not so where one is open: that opening will be refused.
    func opens(_ name: String) -> Bool {
        let stream = ByteName(name)
        return receivers.withLock { receivers in
            switch receivers[stream] {
            case nil: receivers[stream] = .notOpen(1, [])
            case .notOpen(let count, let waiting): receivers[stream] = .notOpen(count + 1, waiting)
            case .open: return false
            }
            return true
        }
    }

    /// It could not be opened, or what was open has ended: it hands nothing in any more.
    func closed(_ name: String) {
        let stream = ByteName(name)
        let mustWork = receivers.withLock { receivers in
            guard case .notOpen(let count, let waiting) = receivers[stream] else { return false }
            if count > 1 {
                receivers[stream] = .notOpen(count - 1, waiting)
                return false
            }
            receivers[stream] = nil
            return waiting.reduce(false) { handIn($1) || $0 }
        }
        if mustWork { writer.workAside() }
    }

    /// A store is open, and takes in what comes.
    func opened(_ name: String, _ take: @escaping @Sendable (Delivery) -> Void) {
        let stream = ByteName(name)
        let waiting = receivers.withLock { receivers in
            defer { receivers[stream] = .open(take) }
            if case .notOpen(_, let waiting) = receivers[stream] { return waiting }
            return []
        }
        for delivery in waiting { take(delivery) }
    }

    /// The store takes nothing more in. What comes waits until it has ended.
    func closes(_ name: String) {
        let stream = ByteName(name)
        receivers.withLock { receivers in
            if case .open = receivers[stream] { receivers[stream] = .notOpen(1, []) }
        }
    }

    func deliver(_ delivery: Delivery) {
        let stream = ByteName(delivery.message.stream)
        let (take, mustWork): ((@Sendable (Delivery) -> Void)?, Bool) = receivers.withLock { receivers in
            switch receivers[stream] {
            case .open(let take): return (take, false)
            case .notOpen(let count, let waiting):
                receivers[stream] = .notOpen(count, waiting + [delivery])
                return (nil, false)
            case nil:
                // Under the lock, so that an opening that begins now comes behind it.
                return (nil, handIn(delivery))
            }
        }
        take?(delivery)
        if mustWork { writer.workAside() }
    }

    /// - Returns: whether somebody has to make the writer work.
    private func handIn(_ delivery: Delivery) -> Bool {
        writer.enqueue { [arrivals = writer.arrivals] state in
            do throws(JournalError) {
                if let position = try state.deliver(delivery) { arrivals.announce(position) }
                delivery.reply(.delivered)
            } catch {
                delivery.reply(.failed(error))
            }
        }
    }
}
