/// Records to be written, and how many changes of the scheduler they include.
///
/// `@unchecked`: it has one owner at a time, first the store that makes the records, then its outcome buffer.
final class OutcomeRecords: @unchecked Sendable {
    var steps: [StepRecord] = []
    var runs: [RunKey: EffectRun] = [:]
    var queues: [String: QueueMemory] = [:]
    /// In one transaction with the records that they changed.
    var interventions: [Intervention] = []
    /// The crash-loop record of the opening; the inner nil means: none any more.
    var crashLoop: String??
    /// The base of a new version, or none. It is written together with the first steps that this version settles.
    var bases: [NewSnapshot] = []
    var changes = 0
    /// The step that is settled with them, once a transaction has taken them.
    var settled: Int?

    var isEmpty: Bool { steps.isEmpty && !hasMoreThanSteps }

    /// Whether there is anything to write that does not wait until its step is settled.
    var hasMoreThanSteps: Bool {
        !runs.isEmpty || !queues.isEmpty || !interventions.isEmpty || crashLoop != nil || !bases.isEmpty
    }

    /// The runs of a step.
    func runs(of step: Int) -> [RunKey: EffectRun] { runs.filter { $0.key.step == step } }

    func batch(_ stream: StreamID) -> Batch {
        var batch = Batch()
        if let settled { batch.settled = [stream: settled] }
        if !steps.isEmpty { batch.steps = steps }
        // Sorted, so that equal histories make equal files.
        if !runs.isEmpty { batch.runs = runs.sorted { $0.key < $1.key }.map(\.value) }
        if !queues.isEmpty { batch.queues = queues.sorted { $0.key < $1.key }.map(\.value) }
        if !interventions.isEmpty { batch.interventions = [stream: interventions] }
        if let crashLoop { batch.crashLoops = [stream: crashLoop] }
        if !bases.isEmpty { batch.snapshots = bases }
        return batch
    }

    /// Adds newer records. Of each run and each queue they replace the older one.
    func add(_ newer: OutcomeRecords) {
        steps += newer.steps
        interventions += newer.interventions
        runs.merge(newer.runs) { _, newer in newer }
        queues.merge(newer.queues) { _, newer in newer }
        crashLoop = newer.crashLoop ?? crashLoop
        bases += newer.bases
        changes = max(changes, newer.changes)
    }
}
