/// Collects the records that an engine makes while it processes events, and adds them to the outcome buffer together.
struct OutcomeRecorder {
    let buffer: OutcomeBuffer
    /// The newest settled step that the buffer does not know of.
    private(set) var settled: Int?
    private var steps: [StepRecord] = []
    private var runs: [EffectRun] = []
    private var queues: [QueueMemory] = []
    private var interventions: [Intervention] = []
    /// The crash-loop record of the opening; the inner nil means: none any more.
    private var crashLoop: String??
    /// The base of a new version, or none. It is written together with the steps.
    private var bases: [NewSnapshot] = []
    /// How many changes of the scheduler the buffer knows of.
    private var knownChanges = 0

    init(_ buffer: OutcomeBuffer) {
        self.buffer = buffer
    }

    mutating func settle(_ step: Int) { settled = step }
    mutating func record(_ step: StepRecord) { steps.append(step) }
    mutating func record(_ run: EffectRun) { runs.append(run) }
    mutating func record(_ queue: QueueMemory) { queues.append(queue) }
    /// The records that it changes are kept with it.
    mutating func record(_ intervention: Intervention) { interventions.append(intervention) }
    mutating func record(crashLoop text: String?) { crashLoop = .some(text) }
    mutating func record(base snapshot: NewSnapshot) { bases = [snapshot] }

    /// The record of a step that is not on the disk yet.
    func unwrittenRecord(of step: Int) -> StepRecord? {
        steps.last { $0.step == step } ?? buffer.unwrittenRecord(of: step)
    }

    /// Adds what was collected to the buffer.
    ///
    /// - Parameter changes: the number of changes of the scheduler.
    mutating func keep(changes: Int) {
        let isPlain = steps.isEmpty && !hasMoreThanSteps && changes == knownChanges
        guard let settled, isPlain else { return keepRecords(changes: changes) }
        buffer.add(settled: settled)
        self.settled = nil
    }

    private mutating func keepRecords(changes: Int) {
        guard settled != nil || hasMoreThanSteps else { return }
        knownChanges = changes
        buffer.add(
            settled: settled, steps: steps, runs: runs, queues: queues, interventions: interventions,
            crashLoop: crashLoop, bases: bases, changes: changes)
        (settled, steps, runs, queues, interventions, crashLoop, bases) = (nil, [], [], [], [], nil, [])
    }

    /// Whether there is anything to write that does not wait until its step is settled.
    private var hasMoreThanSteps: Bool {
        !runs.isEmpty || !queues.isEmpty || !interventions.isEmpty || crashLoop != nil || !bases.isEmpty
    }
}
