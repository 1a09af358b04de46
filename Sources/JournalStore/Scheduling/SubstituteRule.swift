// The text of a queue does not tell its rule. So when a described run that had ended is live again (an operator retries
// it, or a fork begins before its end) and its queue was forgotten meanwhile, the queue gets a substitute rule.

extension QueueRule {
    /// The rule of such a queue until an effect or an `updateQueue` brings another one: it starts one run after
    /// another, and cancels and discards none.
    static let substitute = QueueRule(policy: .runOldest(maxCount: 1, .suspendNew))
}

extension QueueRecord {
    /// What is stored of such a queue. Each instance is newer than step 0.
    static let substitute = QueueRecord(rule: .substitute, since: RunKey(step: 0))

    var isSubstitute: Bool { rule == .substitute && since == Self.substitute.since }
}

extension QueueMemory {
    /// The row of such a queue.
    static func substitute(stream: StreamID, key: String) -> QueueMemory {
        QueueMemory(
            stream: stream, key: key, policy: #"{"maxCount":1,"policy":"suspendNew","since":[0,0]}"#, lastStart: nil)
    }
}
