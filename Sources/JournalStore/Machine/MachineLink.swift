/// An action for another machine of the same journal.
struct Message: Codable, Hashable, Sendable {
    /// The receiver's stream.
    var stream: String
    /// The receiver's machine.
    var machine: String
    /// The version of the receiver's machine.
    var version: Int
    /// The action, encoded with the receiver's codec. Stored in its own column.
    var text = ""
    /// Why the action cannot be encoded: then the message fails before it is sent.
    var failure: EncodingFailure?

    private enum CodingKeys: CodingKey { case stream, machine, version }
}

/// The queue of all messages that a machine sends: one at a time, in the order of its steps.
struct Outbox: Oldest1SuspendNewEffectQueue {}

extension Effect.Run {
    init(_ message: Message) {
        self.init(name: message.stream, queue: Outbox(), work: .message(message))
    }
}

/// A machine's declaration that some of its steps send a message to another machine.
struct MachineLink<Action: Sendable, State: Sendable>: Sendable {
    let message: @Sendable (Transition<Action, State>) -> Message?
}

extension Machine {
    /// Links this machine to another one: each step for which `message` returns an action sends that action.
    ///
    /// The action becomes an entry of the receiver exactly once, through any crash: it is recorded with the step, and
    /// committed together with the end of that record. Messages arrive in the order of the sender's steps. The receiver
    /// need not be open; it then reduces the action at its next opening. Both streams are in the same journal. A
    /// message that the receiver cannot decode fails, as an effect does: ``Notice/Kind/messageFailed``. If this process
    /// neither hosts the receiver's machine nor has opened it before, the message is appended, and the receiver's next
    /// opening throws ``JournalError/Code/notDecodable``.
    ///
    /// ```swift
    /// let order = order.connected(to: shipping, stream: "shipping") { step in
    ///     step.after.isPaid && !step.before.isPaid ? .ship(step.after.number) : nil
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - receiver: the machine that receives the messages.
    ///   - stream: the receiver's stream. It is created if it does not exist.
    ///   - message: returns the action to send, if any. Like a reducer it must be pure.
    public func connected<Other, OtherState, OtherEnvironment>(
        to receiver: Machine<Other, OtherState, OtherEnvironment>, stream: String,
        _ message: @escaping @Sendable (Transition<Action, State>) -> Other?
    ) -> Machine {
        connected(to: receiver) { step in message(step).map { (stream, $0) } }
    }

    /// Links this machine to another one; each message names its stream.
    ///
    /// ```swift
    /// let member = member.connected(to: book) { step in
    ///     if case .reserve(let title) = step.action { ("book-" + title, .reserved(by: step.stream)) } else { nil }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - receiver: the other machine.
    ///   - message: returns the stream and the action to send, if any. Like a reducer it must be pure.
    public func connected<Other, OtherState, OtherEnvironment>(
        to receiver: Machine<Other, OtherState, OtherEnvironment>,
        _ message: @escaping @Sendable (Transition<Action, State>) -> (stream: String, action: Other)?
    ) -> Machine {
        var machine = self
        machine.links.append(
            MachineLink {
                [name = receiver.name, version = receiver.version, codec = receiver.codec] step in
                guard let (stream, action) = message(step) else { return nil }
                var message = Message(stream: stream, machine: name, version: version)
                do { message.text = try codec.encode(action) } catch { message.failure = EncodingFailure(error) }
                return message
            })
        return machine
    }
}
