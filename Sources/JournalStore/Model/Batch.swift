/// Entries and records that are committed in one transaction: all of them or none.
///
/// Batches that arrive at the same time share a transaction; if one of them cannot be stored, only that one fails.
@dynamicMemberLookup
package struct Batch: Sendable {
    package var entries: [NewEntry] = []
    /// The settlement watermark that this batch records for each stream.
    package var settled: [StreamID: Int] = [:]
    /// Rarely used parts. Boxed, because most batches have none of them and batches are passed on often.
    private var others: Others?
    var records: Records? { others?.records }

    private final class Others: Sendable {
        let records: Records

        init(_ records: Records) {
            self.records = records
        }
    }

    package struct Records: Sendable {
        package var steps: [StepRecord] = []
        package var runs: [EffectRun] = []
        package var remembered: [RememberedStep] = []
        package var queues: [QueueMemory] = []
        package var snapshots: [NewSnapshot] = []
        package var interventions: [StreamID: [Intervention]] = [:]
        /// The crash-loop record to store for the next opening of a stream; nil removes it.
        package var crashLoops: [StreamID: String?] = [:]

        var isEmpty: Bool {
            steps.isEmpty && runs.isEmpty && remembered.isEmpty && queues.isEmpty && snapshots.isEmpty
                && interventions.isEmpty && crashLoops.isEmpty
        }
    }

    package init() {}

    package init(entries: [NewEntry]) {
        self.entries = entries
    }

    /// The streams whose records it has, beside entries.
    var recordedStreams: Set<StreamID> {
        guard let records else { return [] }
        return Set(records.steps.map(\.stream) + records.runs.map(\.stream) + records.remembered.map(\.stream))
            .union(records.queues.map(\.stream)).union(records.interventions.keys).union(records.crashLoops.keys)
    }

    /// The streams whose rows it changes.
    var streams: Set<StreamID> {
        recordedStreams.union(entries.map(\.stream)).union(settled.keys).union(records?.snapshots.map(\.stream) ?? [])
    }

    package var isEmpty: Bool { entries.isEmpty && settled.isEmpty && records?.isEmpty ?? true }

    /// One of the boxed parts. Set it as a whole: each change copies the box.
    package subscript<Value>(dynamicMember part: WritableKeyPath<Records, Value>) -> Value {
        get { (records ?? Records())[keyPath: part] }
        set {
            var all = records ?? Records()
            all[keyPath: part] = newValue
            others = Others(all)
        }
    }
}

/// The recorded outcome of a step. Its entry belongs to an earlier batch or to this one.
package struct StepRecord: Hashable, Sendable {
    package enum Outcome: String, Hashable, Sendable {
        case reduced, rejected
        /// An operator skipped it.
        case skipped
        /// Its action came from an effect that an earlier step of the same transaction had cancelled.
        case cancelled

        /// The outcomes of steps that a fold does not reduce.
        static let notReduced: [Outcome] = [.skipped, .cancelled]
    }

    package var stream: StreamID
    package var step: Int
    package var outcome: Outcome
    /// Why the step was rejected.
    package var reason: String?
    package var cascade: String?
    package var effects: String?

    /// The length of its texts: what a page of records is measured by.
    var textBytes: Int { [reason, cascade, effects].reduce(0) { $0 + ($1?.utf8.count ?? 0) } }

    /// Why the step was rejected, empty if the reducer gave no reason; nil if it was not rejected.
    var rejection: String? { outcome == .rejected ? reason ?? "" : nil }

    package init(
        stream: StreamID, step: Int, outcome: Outcome = .reduced, reason: String? = nil, cascade: String? = nil,
        effects: String? = nil
    ) {
        (self.stream, self.step, self.outcome) = (stream, step, outcome)
        (self.reason, self.cascade, self.effects) = (reason, cascade, effects)
    }
}

/// The result of a remembered step inside a run.
package struct RememberedStep: Hashable, Sendable {
    package var stream: StreamID
    package var step: Int
    package var ordinal: Int
    package var path: String
    package var name: String
    package var use: Int
    package var result: String

    package init(stream: StreamID, step: Int, ordinal: Int, path: String, name: String, use: Int, result: String) {
        (self.stream, self.step, self.ordinal) = (stream, step, ordinal)
        (self.path, self.name, self.use, self.result) = (path, name, use, result)
    }
}

/// The first remembered steps of a run, up to a limit.
package struct RememberedPage: Hashable, Sendable {
    package var steps: [RememberedStep] = []
    /// Whether there are more.
    package var hasMore = false
    /// The length of their results.
    package var bytes = 0

    package init() {}
}

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

/// A snapshot to be stored. The digest of its state is computed here, by the caller and not by the writer.
package struct NewSnapshot: Hashable, Sendable {
    package let stream: StreamID
    package let step: Int
    package let version: Int
    package var isBase: Bool
    package let state: String
    let stateDigest: Digest

    package init(stream: StreamID, step: Int, version: Int, isBase: Bool = false, state: String) {
        (self.stream, self.step, self.version, self.isBase, self.state) = (stream, step, version, isBase, state)
        stateDigest = Digest(of: state)
    }
}
