/// The machines that this process hosts or has opened, so that a message which its receiver cannot decode is not appended to
/// a stream that is not open: it would block the next opening. An open store decodes its messages itself.
final class MessageReaders: Sendable {
    private let known = Lock<[ByteName: MessageReader]>([:])

    /// Learns a machine that is hosted, or was opened: the newest one of its name counts.
    func learn<Action, State, Environment>(_ machine: Machine<Action, State, Environment>) {
        let reader = machine.messageReader
        known.withLock { $0[ByteName(reader.machine)] = reader }
    }

    /// Checks that the receiver can decode a message. If its machine is not known, the message passes.
    ///
    /// - Throws: ``JournalError`` as the receiver would.
    func check(_ message: Message, in file: String?) throws(JournalError) {
        let reader = known.withLock { $0[ByteName(message.machine)] }
        try reader?.check(message, ErrorLocation(file: file, stream: message.stream))
    }
}
