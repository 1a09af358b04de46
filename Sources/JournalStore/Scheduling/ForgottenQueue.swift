// A described run that had ended can be live again: an operator retries it, or a fork begins before its end. Its queue
// may have been forgotten meanwhile, and the text of a queue does not tell its rule.

extension QueueRule {
    /// The rule of such a queue until an effect or an `updateQueue` brings its instance: it starts one run after
    /// another, and cancels and discards none.
    static let cautious = QueueRule(policy: .runOldest(maxCount: 1, .suspendNew))
}

extension QueueRecord {
    /// What is stored of such a queue. Each instance is newer than step 0.
    static let cautious = QueueRecord(rule: .cautious, since: RunKey(step: 0))

    var isCautious: Bool { rule == .cautious && since == Self.cautious.since }
}

extension QueueMemory {
    /// The row of such a queue.
    static func cautious(stream: StreamID, key: String) -> QueueMemory {
        QueueMemory(
            stream: stream, key: key, policy: #"{"maxCount":1,"policy":"suspendNew","since":[0,0]}"#, lastStart: nil)
    }
}
