/// What is stored of a queue, or that its row is to be deleted.
package struct QueueMemory: Hashable, Sendable {
    package var stream: StreamID
    package var key: String
    package var policy: String
    package var lastStart: Timestamp?
    /// Whether the row is to be deleted, because nothing depends on the queue any more.
    package private(set) var isForgotten = false

    package init(stream: StreamID, key: String, policy: String, lastStart: Timestamp?) {
        (self.stream, self.key, self.policy, self.lastStart) = (stream, key, policy, lastStart)
    }

    /// Deletes the row of a queue.
    package static func forgotten(stream: StreamID, key: String) -> QueueMemory {
        var memory = QueueMemory(stream: stream, key: key, policy: "", lastStart: nil)
        memory.isForgotten = true
        return memory
    }
}
