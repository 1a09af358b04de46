/// The live effects of a stream, restored as an opening restores them, to find those that become orphans.
struct LiveEffects<Action: Sendable, State: Sendable> {
    private let program: Program<Action, State>
    private let reader: JournalReader
    private let info: StreamInfo
    /// The closure effects, by the steps that returned them.
    private let closures: [Int: [EffectRun]]
    /// The effects that the code does not return any more, or has no handler for.
    private(set) var orphans: [EffectRun] = []

    /// Restores the described effects from their records, and matches the initial effect.
    ///
    /// - Throws: ``JournalError`` if the value or an action of one cannot be decoded. An opening throws the same error;
    ///   of a cancel or an orphan action it reports it, and does without the action.
    init(_ program: Program<Action, State>, _ reader: JournalReader, _ info: StreamInfo) throws(JournalError) {
        (self.program, self.reader, self.info) = (program, reader, info)
        let records = try reader.restoredRecords(of: info)
        let rules = program.rules(of: records.queues, headStep: info.headStep)
        // A cancelled effect only sends its action.
        let live = records.runs.filter { $0.status != .cancelling }
        for run in records.runs where run.status == .cancelling {
            if let text = run.onCancel { _ = try program.action(text, "cancel", of: run, reader.location(info.name)) }
        }
        closures = Dictionary(grouping: live.filter { $0.described == nil }, by: \.step)
        for run in live where run.described != nil {
            let place = reader.location(info.name, run.step)
            if try program.restoreDescribed(run, rules, place) == nil { try add([run]) }
        }
        try match(program.initialEffect, of: 0, info.birth)
    }

    /// Matches the closure effects of a step with what it returns.
    mutating func match(
        _ reduction: Reduction<Action>, of step: Int, _ entry: Appended.Stamp
    ) throws(JournalError) {
        guard let records = closures[step] else { return }
        let all = try reader.effectRuns(in: info, step: step)
        try add(program.match(records, among: all, with: reduction, entry).orphaned)
    }

    private mutating func add(_ runs: [EffectRun]) throws(JournalError) {
        for run in runs where run.sendsOrphanAction {
            if let text = run.onOrphan { _ = try program.action(text, "orphan", of: run, reader.location(info.name)) }
        }
        orphans += runs
    }

    /// Matches the closure effects of the steps up to the one with which an opening begins.
    ///
    /// - Parameter fold: any fold of the stream.
    mutating func match(upTo opening: Int, _ fold: Fold<Action, State>) throws(JournalError) {
        try fold.visit(closures, upTo: opening) { step throws(JournalError) in
            try match(step.reduction, of: step.entry.step, step.entry.stamp)
        }
    }
}
