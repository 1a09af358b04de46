/// Routes messages to their receivers. An open store takes a message between its own entries. If the stream is not
/// open, the writer appends the message. While a store is being opened or closed, the message waits. A message that the
/// receiver cannot decode fails, whether the receiver is open or not.
final class MessageRouter: Sendable {
    private enum Receiver: Sendable {
        /// How many stores are being opened or closed, and the deliveries that wait for them.
        case notOpen(Int32, [Delivery])
        /// A store, and how many others are being opened meanwhile: their openings will fail.
        case open(WeakStore, opening: Int32)
    }

    private let receivers = Lock<[ByteName: Receiver]>([:])
    private let writer: JournalWriter
    private let hosts: HostRegistry
    private let decoders: MessageDecoders
    private let waiting: WaitingMessages

    init(_ writer: JournalWriter, _ hosts: HostRegistry, _ decoders: MessageDecoders, _ waiting: WaitingMessages) {
        (self.writer, self.hosts, self.decoders, self.waiting) = (writer, hosts, decoders, waiting)
    }

    /// Call before a store is opened on a stream. If that fails, call ``closed(_:)``.
    func opens(_ name: String) {
        let stream = ByteName(name)
        receivers.withLock { receivers in
            switch receivers[stream] {
            case nil: receivers[stream] = .notOpen(1, [])
            case .notOpen(let count, let waiting): receivers[stream] = .notOpen(count + 1, waiting)
            case .open(let store, let opening): receivers[stream] = .open(store, opening: opening + 1)
            }
        }
    }

    /// Call when a store could not be opened, or has ended and submits nothing more.
    func closed(_ name: String) {
        let stream = ByteName(name)
        let waiting: [Delivery] = receivers.withLock { receivers in
            switch receivers[stream] {
            case nil: break
            case .open(_, 0): receivers[stream] = nil
            case .open(let store, let opening): receivers[stream] = .open(store, opening: opening - 1)
            case .notOpen(let count, let waiting) where count > 1: receivers[stream] = .notOpen(count - 1, waiting)
            case .notOpen(_, let waiting):
                receivers[stream] = nil
                return waiting
            }
            return []
        }
        for delivery in waiting { deliver(delivery) }
    }

    /// Call when a store is open and takes messages.
    func opened(_ name: String, _ store: any OpenStore) {
        let stream = ByteName(name)
        let waiting: [Delivery] = receivers.withLock { receivers in
            switch receivers[stream] {
            case nil: return []
            // The one before has ended while it was being opened.
            case .open(_, let opening): receivers[stream] = .open(WeakStore(store), opening: max(0, opening - 1))
            case .notOpen(let count, let waiting):
                receivers[stream] = .open(WeakStore(store), opening: count - 1)
                return waiting
            }
            return []
        }
        for delivery in waiting { store.take(delivery) }
    }

    /// Call when a store takes no more messages. Later ones wait until it has ended.
    func closes(_ name: String) {
        let stream = ByteName(name)
        receivers.withLock { receivers in
            if case .open(_, let opening) = receivers[stream] { receivers[stream] = .notOpen(opening + 1, []) }
        }
    }

    func deliver(_ delivery: Delivery) {
        if route(delivery, isDecodable: false) { return }
        // The stream is not open. Decoding runs code of the app, so no lock is held.
        do throws(JournalError) { try decoders.check(delivery.message, in: writer.file) } catch {
            return delivery.reply(.failed(error))
        }
        _ = route(delivery, isDecodable: true)
    }

    private enum Route: Sendable {
        case open(WeakStore)
        case waits
        case handedIn(mustWork: Bool)
        case mustBeDecoded
    }

    /// Passes a message to the open store or to the writer, or lets it wait.
    ///
    /// - Parameter isDecodable: whether it is known that the receiver can decode it. An open store decodes it itself.
    /// - Returns: false if the caller must decode the message first.
    private func route(_ delivery: Delivery, isDecodable: Bool) -> Bool {
        let stream = ByteName(delivery.message.stream)
        let route: Route = receivers.withLock { receivers in
            switch receivers[stream] {
            case .open(let open, _): return .open(open)
            case .notOpen(let count, var waiting):
                // The list has one owner while it grows.
                receivers[stream] = nil
                waiting.append(delivery)
                receivers[stream] = .notOpen(count, waiting)
                return .waits
            case nil where !isDecodable: return .mustBeDecoded
            case nil:
                // Under the lock, so that an opening that begins now comes after it.
                return .handedIn(mustWork: handIn(delivery))
            }
        }
        switch route {
        case .open(let open):
            if let store = open.store { store.take(delivery) } else { delivery.reply(.notTaken) }
        case .waits: break
        case .handedIn(let mustWork): if mustWork { writer.workElsewhere() }
        case .mustBeDecoded: return false
        }
        return true
    }

    /// - Returns: whether the caller must start the writer: ``JournalWriter/workElsewhere()``.
    private func handIn(_ delivery: Delivery) -> Bool {
        writer.enqueue(
            Handover(delivery) { [weak self] result in
                switch result {
                case .success(let arrival):
                    if case .new(let isLog) = arrival { self?.arrived(delivery.message, isLog: isLog) }
                    delivery.reply(.delivered)
                case .failure(let error): delivery.reply(.failed(error))
                }
            })
    }

    /// The writer has appended a message.
    ///
    /// - Parameter isLog: whether the stream is open as a log: then it waits for no store.
    private func arrived(_ message: Message, isLog: Bool) {
        if hosts.messageArrived(for: message.machine, in: message.stream) || isLog { return }
        waiting.arrived(message) { [weak self, machine = message.machine] streams in
            self?.unserved(streams, of: machine) ?? []
        }
    }

    /// Those of the streams that nothing in this process reduces: none if the process has a host of their machine or
    /// any stream of it open, or if the journal is closed.
    private func unserved(_ streams: Set<ByteName>, of machine: String) -> [String] {
        if hosts.isClosed || hosts.hasHost(machine) { return [] }
        let (free, open): (Set<ByteName>, [WeakStore]) = receivers.withLock { receivers in
            let open = receivers.values.compactMap { receiver -> WeakStore? in
                if case .open(let store, _) = receiver { store } else { nil }
            }
            return (streams.filter { receivers[$0] == nil }, open)
        }
        // Not under the lock: the last reference to a store can end here.
        let isOpen = open.contains { $0.store.map { ByteName($0.machine) } == ByteName(machine) }
        return isOpen ? [] : free.map(\.name).sorted()
    }
}
