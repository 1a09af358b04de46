/// Reports, once for each machine, that its messages wait because nothing in this process reduces them.
///
/// An app makes its hosts and opens its streams one after the other. So a message may wait for a while before that is
/// reported, and what has come meanwhile counts.
final class WaitingMessages: Sendable {
    /// How long a message may wait.
    static var patience: Duration { .seconds(10) }

    private let options: JournalOptions
    private let reader: JournalReader
    /// The machines that are looked at soon, or were reported.
    private let watched = Lock<Set<ByteName>>([])

    init(_ options: JournalOptions, _ reader: JournalReader) {
        (self.options, self.reader) = (options, reader)
    }

    /// A message was appended to a stream that is not open, and its machine has no host.
    ///
    /// - Parameter isServed: whether this process takes care of the stream, or of another one of its machine.
    func arrived(_ message: Message, isServed: @escaping @Sendable () -> Bool) {
        guard watched.withLock({ $0.insert(ByteName(message.machine)).inserted }) else { return }
        let (machine, stream) = (message.machine, message.stream)
        _ = options.spawn { [weak self, sleep = options.sleep] in
            guard (try? await sleep(Self.patience)) != nil else { return }
            self?.look(at: machine, stream, isServed())
        }
    }

    private func look(at machine: String, _ stream: String, _ isServed: Bool) {
        guard !isServed, let info = try? reader.stream(stream), info.settledStep < info.headStep else {
            // The next message begins anew.
            return watched.withLock { _ = $0.remove(ByteName(machine)) }
        }
        options.notify(.messagesWaiting, reader.location(stream).waitingMessages(machine))
    }
}

extension ErrorLocation {
    fileprivate func waitingMessages(_ machine: String) -> JournalError {
        error(
            .noMachine,
            "Messages wait, here and perhaps in other streams: this process has no host of the machine '\(machine)', and "
                + "none of its streams open.",
            advice: "Make a host of it (`journal.host`) and keep it, or open the stream: then they are reduced. "
                + "Nothing is lost.")
    }
}
