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
