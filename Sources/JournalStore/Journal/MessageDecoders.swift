/// Checks messages to streams that are not open with the machines that this process hosts or has opened. A message that
/// the receiver cannot decode is not appended: the next opening would fail. An open store decodes its messages itself.
final class MessageDecoders: Sendable {
    private let known = Lock<[ByteName: MessageDecoder]>([:])

    /// Adds a machine that is hosted, or was opened: the one of its name with the highest version counts, and of those
    /// the newest.
    func learn<Action, State, Environment>(_ machine: Machine<Action, State, Environment>) {
        let decoder = machine.messageDecoder
        let name = ByteName(decoder.machine)
        known.withLock { known in
            if decoder.version >= known[name]?.version ?? 0 { known[name] = decoder }
        }
    }

    /// Checks that the receiver can decode a message. If its machine is not known, the message passes.
    ///
    /// - Throws: ``JournalError`` as the receiver would.
    func check(_ message: Message, in file: String?) throws(JournalError) {
        let decoder = known.withLock { $0[ByteName(message.machine)] }
        try decoder?.check(message, ErrorLocation(file: file, stream: message.stream))
    }
}
