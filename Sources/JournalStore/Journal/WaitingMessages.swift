/// Reports, once for each machine, that its messages wait because nothing in this process reduces them.
///
/// An app makes its hosts and opens its streams one after the other. So this looks ten seconds after a message whether
/// it, or one that came meanwhile, still waits.
final class WaitingMessages: Sendable {
    private enum Watch: Sendable {
        /// A look at these streams is planned: they have got messages.
        case soon(Set<ByteName>)
        case reported
    }

    /// How long after a message its stream is looked at.
    static var patience: Duration { .seconds(10) }
    /// How many streams of a machine are looked at.
    private static var mostStreams: Int { 1_000 }

    private let options: JournalOptions
    private let reader: JournalReader
    private let watched = Lock<[ByteName: Watch]>([:])

    init(_ options: JournalOptions, _ reader: JournalReader) {
        (self.options, self.reader) = (options, reader)
    }

    /// A message was appended to a stream that is not open, and its machine has no host.
    ///
    /// - Parameter unserved: returns those of the streams that nothing in this process reduces, in order.
    func arrived(_ message: Message, unserved: @escaping @Sendable (_ streams: Set<ByteName>) -> [String]) {
        let (machine, stream) = (ByteName(message.machine), ByteName(message.stream))
        let isFirst = watched.withLock { watched in
            switch watched[machine] {
            case nil:
                watched[machine] = .soon([stream])
                return true
            case .reported: return false
            case .soon(var streams):
                // The set has one owner while it grows.
                watched[machine] = .reported
                if streams.count < Self.mostStreams { streams.insert(stream) }
                watched[machine] = .soon(streams)
                return false
            }
        }
        guard isFirst else { return }
        _ = options.spawn { [weak self, sleep = options.sleep] in
            guard (try? await sleep(Self.patience)) != nil else { return }
            self?.look(at: machine, unserved)
        }
    }

    private func look(at machine: ByteName, _ unserved: (Set<ByteName>) -> [String]) {
        let streams: Set<ByteName> = watched.withLock { watched in
            guard case .soon(let streams) = watched[machine] else { return [] }
            // If none of them waits, the next message begins anew.
            watched[machine] = nil
            return streams
        }
        guard let waiting = unserved(streams).first(where: { hasUnsettledSteps($0) }) else { return }
        watched.withLock { $0[machine] = .reported }
        options.notify(.messagesWaiting, reader.location(waiting).waitingMessages(machine.name))
    }

    private func hasUnsettledSteps(_ stream: String) -> Bool {
        guard let info = try? reader.stream(stream) else { return false }
        return info.settledStep < info.headStep
    }
}

extension ErrorLocation {
    fileprivate func waitingMessages(_ machine: String) -> JournalError {
        error(
            .noMachine,
            "Messages wait, here and perhaps in other streams: this process has no host of the machine '\(machine)', "
                + "and none of its streams open.",
            advice: "Make a host of it (`journal.host`) and keep it, or open the stream: then they are reduced. "
                + "Nothing is lost.")
    }
}
