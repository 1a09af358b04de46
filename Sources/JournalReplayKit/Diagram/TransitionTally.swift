import JournalStore

/// The transitions of a journal, counted.
struct TransitionTally {
    struct Edge: Hashable {
        var from: String
        var to: String
        var action: String
        /// Whether the reducer rejected the action.
        var isRefused = false
    }

    struct Count {
        var steps = 0
        var first: Timestamp
        var last: Timestamp
        /// The steps of which it is known when the stream had entered the node before.
        var waits = 0
        /// How long the streams had been in that node, added up over these steps, in microseconds.
        var waited: Double = 0

        /// Nil if no wait is known.
        var meanWait: Double? { waits > 0 ? waited / Double(waits) : nil }
    }

    /// In the order in which they were first taken.
    private(set) var edges: [Edge] = []
    private(set) var counts: [Edge: Count] = [:]

    /// A diagram with more nodes cannot be read.
    static let mostNodes = 200

    private(set) var nodes: Set<String> = []

    /// - Parameter entered: when the stream entered the node that the edge leaves; nil if that was pruned.
    mutating func add(_ edge: Edge, at time: Timestamp, since entered: Timestamp?) {
        if counts[edge] == nil { edges.append(edge) }
        var count = counts[edge] ?? Count(first: time, last: time)
        count.steps += 1
        count.first = min(count.first, time)
        count.last = max(count.last, time)
        if let entered {
            count.waits += 1
            count.waited += max(0, Double(time.microseconds) - Double(entered.microseconds))
        }
        counts[edge] = count
        nodes.formUnion([edge.from, edge.to])
    }
}
