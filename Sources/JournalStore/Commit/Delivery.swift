/// A message on its way from one machine to another.
struct Delivery: Sendable {
    let message: Message
    let from: StreamID
    let key: RunKey
    /// The sender's record of the delivered message, committed together with the receiver's entry.
    let record: EffectRun
    /// The sender's earlier records, which must be written before; nil if those of all streams must be.
    var earlierRecords: (any DeferredWriteSource)?
    /// Called with the outcome, on any thread; must not block.
    let reply: @Sendable (Outcome) -> Void

    enum Outcome: Sendable {
        case delivered
        /// The receiving store ended before it took the message.
        case notTaken
        case failed(JournalError)
    }

    /// What to do if the receiver's stream belongs to another machine.
    static let adviceForOtherMachine =
        "Connect the sender to the machine of that stream, or let it name another stream."

    var cause: Cause { Cause(stream: from, step: key.step, run: key.ordinal) }

    /// The batch that is committed if the receiver is not open.
    func batch(for receiver: StreamID) -> Batch {
        var batch = Batch(entries: [
            NewEntry(stream: receiver, action: message.text, version: message.version, origin: .machine, cause: cause)
        ])
        batch.runs = [record]
        return batch
    }
}
