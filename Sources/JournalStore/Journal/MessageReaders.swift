/// What this process knows of the receivers of messages, so that a message which its receiver cannot decode is not
/// appended to a stream that is not open: it would block the next opening. An open store decodes its messages itself.
final class MessageReaders: Sendable {
    private struct Known: Sendable {
        var reader: MessageReader
        /// Whether it is the machine itself, and not only what a link was made with.
        var isOfReceiver: Bool
    }

    private let known = Lock<[ByteName: Known]>([:])

    /// Learns what a machine's links know of their receivers: it counts until those are hosted or opened themselves.
    /// Call before the machine can send.
    func learn<Action, State, Environment>(linksOf machine: Machine<Action, State, Environment>) {
        let readers = machine.links.map(\.receiver)
        known.withLock { known in
            for reader in readers where known[ByteName(reader.machine)]?.isOfReceiver != true {
                known[ByteName(reader.machine)] = Known(reader: reader, isOfReceiver: false)
            }
        }
    }

    /// Learns a machine that is hosted, or was opened: the newest one of its name counts.
    func learn<Action, State, Environment>(_ machine: Machine<Action, State, Environment>) {
        let reader = machine.messageReader
        known.withLock { $0[ByteName(reader.machine)] = Known(reader: reader, isOfReceiver: true) }
    }

    /// Checks that the receiver can decode a message. Without any code of it nothing is known, and the message passes.
    ///
    /// - Throws: ``JournalError`` as the receiver would.
    func check(_ message: Message, in file: String?) throws(JournalError) {
        let reader = known.withLock { $0[ByteName(message.machine)]?.reader }
        try reader?.check(message, ErrorLocation(file: file, stream: message.stream))
    }
}
