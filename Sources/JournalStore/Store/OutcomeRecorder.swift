/// Collects the records that an engine makes while it processes events, and adds them to the outcome buffer together.
struct OutcomeRecorder {
    let buffer: OutcomeBuffer
    /// The newest settled step that the buffer does not know of.
    private(set) var settled: Int?
    /// Nil if there are none.
    private var records: OutcomeRecords?
    /// How many changes of the scheduler the buffer knows of.
    private var knownChanges = 0

    init(_ buffer: OutcomeBuffer) {
        self.buffer = buffer
    }

    mutating func settle(_ step: Int) { settled = step }
    mutating func record(_ step: StepRecord) { collected().steps.append(step) }
    mutating func record(_ run: EffectRun) { collected().runs[run.key] = run }
    mutating func record(_ queue: QueueMemory) { collected().queues[queue.key] = queue }
    /// The records that it changes are kept with it.
    mutating func record(_ intervention: Intervention) { collected().interventions.append(intervention) }
    mutating func record(crashLoop text: String?) { collected().crashLoop = .some(text) }
    mutating func record(base snapshot: NewSnapshot) { collected().bases = [snapshot] }

    private mutating func collected() -> OutcomeRecords {
        if let records { return records }
        let new = OutcomeRecords()
        records = new
        return new
    }

    /// The record of a step that is not on the disk yet.
    func unwrittenRecord(of step: Int) -> StepRecord? {
        records?.steps.last { $0.step == step } ?? buffer.unwrittenRecord(of: step)
    }

    /// The records of a step's runs that are not on the disk.
    func unwrittenRuns(of step: Int) -> [RunKey: EffectRun] {
        buffer.unwrittenRuns(of: step).merging(records?.runs(of: step) ?? [:]) { _, newer in newer }
    }

    /// Adds what was collected to the buffer.
    ///
    /// - Parameter changes: the number of changes of the scheduler.
    mutating func keep(changes: Int) {
        guard let settled, records == nil, changes == knownChanges else { return keepRecords(changes: changes) }
        buffer.add(settled: settled)
        self.settled = nil
    }

    private mutating func keepRecords(changes: Int) {
        guard settled != nil || records?.hasMoreThanSteps == true else { return }
        knownChanges = changes
        let records = collected()
        records.changes = changes
        buffer.add(settled: settled, records)
        (settled, self.records) = (nil, nil)
    }
}
