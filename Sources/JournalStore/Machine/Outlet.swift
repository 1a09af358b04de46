/// An action for another machine of the same journal.
struct Message: Codable, Hashable, Sendable {
    /// The stream of the receiver.
    var stream: String
    /// Its machine.
    var machine: String
    /// The version of that machine.
    var version: Int
    /// The action, as the receiver's codec writes it. It stands in a column of its own.
    var text = ""

    /// What the records of messages stand behind; no type has such a name.
    static let name = "message"

    private enum CodingKeys: CodingKey { case stream, machine, version }
}

/// The queue of all that a machine sends to others: one after the other, in the order of its steps.
struct Outbox: Oldest1SuspendNewEffectQueue {}

/// What a machine tells another one when something happens to it.
struct Outlet<Action: Sendable, State: Sendable>: Sendable {
    let message: @Sendable (Transition<Action, State>) throws -> Message?
}

extension Machine {
    /// Connects this machine to another one: when a step of it says so, the other one gets an action.
    ///
    /// The action becomes an entry of the receiver exactly once, through any crash: it is recorded with the step, and
    /// committed together with the end of that record. Messages arrive in the order of the sender's steps. The receiver need not be open: it finds the action at
    /// its next opening, and reduces it then. Both streams are in the same journal.
    ///
    /// ```swift
    /// let order = order.connected(to: shipping, stream: "shipping") { step in
    ///     step.after.isPaid && !step.before.isPaid ? .ship(step.after.number) : nil
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - receiver: the other machine.
    ///   - stream: its stream. It is made where there is none.
    ///   - message: the action for it, if any. Like a reducer it must give the same for the same.
    public func connected<Other, OtherState, OtherEnvironment>(
        to receiver: Machine<Other, OtherState, OtherEnvironment>, stream: String,
        _ message: @escaping @Sendable (Transition<Action, State>) -> Other?
    ) -> Machine {
        connected(to: receiver) { step in message(step).map { (stream, $0) } }
    }

    /// Connects this machine to another one, of which a step says in which stream it is.
    ///
    /// - Parameters:
    ///   - receiver: the other machine.
    ///   - message: the stream and the action for it, if any. Like a reducer it must give the same for the same.
    public func connected<Other, OtherState, OtherEnvironment>(
        to receiver: Machine<Other, OtherState, OtherEnvironment>,
        _ message: @escaping @Sendable (Transition<Action, State>) -> (stream: String, action: Other)?
    ) -> Machine {
        var machine = self
        machine.outlets.append(
            Outlet { [name = receiver.name, version = receiver.version, codec = receiver.codec] step in
                guard let (stream, action) = message(step) else { return nil }
                return Message(stream: stream, machine: name, version: version, text: try codec.encode(action))
            })
        return machine
    }
}
