/// Compares the steps of a replay, one after the other, with the snapshots and records in the journal.
struct ReplayComparison<Action: Sendable, State: Sendable> {
    private let program: Program<Action, State>
    private let reader: JournalReader
    private let info: StreamInfo
    private let marks: [Int: SnapshotMark]
    /// No fold crosses this base, so differences up to it do no harm.
    private let newestBase: Int
    /// An opening begins with this one or a later one, so what newer code makes of the steps before it does no harm.
    private let newestSnapshot: Int
    /// The step of the newest snapshot that this version can read: an opening reduces the steps after it.
    private let openingStep: Int
    private var records: StepRecordPages
    private var runs: EffectRunPages
    private var effects: LiveEffects<Action, State>
    /// The state that folding on from the last snapshot results in; nil before the first.
    private var restarted: ReducedState<Action, State>?
    /// Whether an opening begins there with another state than this code computes, because older code stored it.
    private var opensElsewhere = false
    /// The runs that end with an action of which it is not known whether it counts.
    private var ending: Set<RunKey> = []
    /// The last step up to which the replay is known to match.
    private var lastGood: Int
    private(set) var report: ReplayReport

    init(
        _ program: Program<Action, State>, _ reader: JournalReader, _ info: StreamInfo, startsAt step: Int
    ) throws(JournalError) {
        (self.program, self.reader, self.info) = (program, reader, info)
        let marks = try reader.snapshotMarks(of: info)
        self.marks = Dictionary(marks.map { ($0.step, $0) }) { $1 }
        newestBase = marks.last { $0.isBase }?.step ?? 0
        let newestSnapshot = marks.last { $0.step <= info.settledStep && !$0.isDamaged }?.step ?? 0
        self.newestSnapshot = newestSnapshot
        records = StepRecordPages(reader: reader, stream: info.name, after: step)
        runs = EffectRunPages(reader: reader, stream: info.name, after: step)
        effects = try LiveEffects(program, reader, info)
        lastGood = step
        report = ReplayReport(stream: info.name, version: program.version, firstStep: step, lastStep: step)
        // If a base cannot be read, the replay ends there with that error.
        let opening = try? reader.startingPoint(of: info, atOrBefore: info.settledStep) { snapshot in
            try program.state(snapshot.state, version: snapshot.version, reader.location(info.name, snapshot.step))
        }
        openingStep = opening?.step ?? newestSnapshot
        if let error = opening?.skipped.first(where: \.concernsDecoding), let step = error.step {
            report.unreadableStart = ReplayReport.UnreadableSnapshot(
                step: step, message: error.message, advice: error.advice)
        }
    }

    // MARK: Steps

    /// Compares the state that the replay begins with.
    mutating func check(_ state: State, at step: Int) throws(JournalError) {
        try compareSnapshot(with: state, at: step, nil)
    }

    mutating func check(
        _ folded: FoldedStep<Action, State>, from before: @autoclosure () -> State
    ) throws(JournalError) {
        let step = folded.entry.step
        report.lastStep = step
        let isOlder = folded.entry.version < program.version
        if isOlder, step > openingStep, folded.entry.wasReduced(settledStep: info.settledStep) {
            report.olderSteps += 1
        }
        // A skipped step has no action here.
        let again: Reduction<Action>? =
            if let action = folded.action {
                restarted?.reduce(action, at: step, folded.entry.stamp, in: info, program)
            } else {
                nil
            }
        // The steps up to there are not reduced from this state: see end(_:).
        if step > openingStep { try effects.match(again ?? folded.reduction, of: step, folded.entry.stamp) }
        guard opensElsewhere, let restarted else { return try compare(folded, from: before()) }
        // An opening reduces the step from this state, and its result counts.
        let opened = FoldedStep(
            entry: folded.entry, action: folded.action, after: restarted.state, reduction: again ?? folded.reduction)
        try compare(opened, from: opened.reduction.isReduced ? restarted.previous : restarted.state)
    }

    private mutating func compare(
        _ folded: FoldedStep<Action, State>, from before: @autoclosure () -> State
    ) throws(JournalError) {
        let step = folded.entry.step
        // A step that is not settled yet has no record.
        if step <= info.settledStep { try compareRecords(with: folded, from: before()) }
        try compareSnapshot(with: folded.after, at: step, folded.action)
    }

    /// Checks a step after the last one of which it is known whether its action counts. An opening reduces it.
    ///
    /// - Throws: its action cannot be decoded. An opening throws the same error.
    mutating func check(undecided entry: Entry) throws(JournalError) {
        _ = try program.action(of: entry, reader.location(info.name))
        if entry.version < program.version, entry.wasReduced(settledStep: info.settledStep) { report.olderSteps += 1 }
        // Its run ends in both cases: if the action does not count, the run was cancelled.
        guard entry.isProvisional, let cause = entry.cause, let run = cause.run else { return }
        ending.insert(RunKey(step: cause.step, ordinal: run))
    }

    /// Ends the comparison with the fold that it has followed.
    mutating func end(_ fold: Fold<Action, State>) throws(JournalError) {
        compareRestarted(with: fold.state, at: fold.step, nil)
        // Last, because these steps are not passed to the tool: if a reducer crashes, the tool concludes from the last
        // state that it got which step that was.
        try effects.match(upTo: openingStep, fold)
        let lasting = effects.orphans.filter { !ending.contains($0.key) }
        let orphans = lasting.sorted { $0.key < $1.key }.map { run in
            ReplayReport.Orphan(
                step: run.step, name: run.name, type: run.describedType,
                outcome: !run.sendsOrphanAction ? .waits : run.onOrphan == nil ? .orphan : .action)
        }
        // Those that never end first.
        let listed = orphans.filter { $0.outcome == .orphan } + orphans.filter { $0.outcome != .orphan }
        report.orphans = Array(listed.prefix(ReplayReport.limit))
    }

    // MARK: States

    private mutating func compareSnapshot(with state: State, at step: Int, _ action: Action?) throws(JournalError) {
        guard let mark = marks[step] else { return }
        let row: Snapshot?
        do throws(JournalError) { row = try reader.snapshot(in: info.name, atOrBefore: step) } catch {
            // An opening passes over it, too. A base is not only a cache.
            guard error.code == .corrupt, !mark.isBase else { throw error }
            report.unreadableSnapshots.append(step)
            return
        }
        guard let snapshot = row, snapshot.step == step else { return }
        let stored: State
        do throws(JournalError) {
            stored = try program.state(snapshot.state, version: snapshot.version, reader.location(info.name, step))
        } catch {
            report.unreadableSnapshots.append(step)
            // A snapshot of this version is damaged, or other code wrote it.
            if snapshot.version == program.version {
                let change = ValueDiff.Change(path: "", old: "(cannot be decoded)", new: ValueDescription.brief(state))
                found(.snapshot, [change], at: step, action)
            }
            return
        }
        compareRestarted(with: state, at: step, action)
        report.snapshots += 1
        var isSame = true
        // The entries before the base of a pruned stream are gone: there is nothing to compare it with.
        if step > report.firstStep || step == 0 {
            let changes = Self.difference(stored, state)
            // Newer code may compute another state than older code stored; the next opening writes a base for it.
            let isOlder = snapshot.version < program.version
            found(.snapshot, changes, at: step, action, isOfOlderCode: mark.isBase || isOlder)
            isSame = changes.isEmpty || mark.isBase
        }
        // No opening begins with a snapshot of a step that is not settled.
        guard step <= openingStep else { return }
        if isSame { lastGood = step }
        opensElsewhere = !isSame && step == openingStep
        guard isSame || opensElsewhere else {
            restarted = nil
            return
        }
        var restarted = ReducedState<Action, State>(stored)
        // Then a rejected step never spoils it.
        restarted.keepPrevious()
        self.restarted = restarted
    }

    private mutating func compareRestarted(with state: State, at step: Int, _ action: Action?) {
        guard let restarted, !opensElsewhere, step > lastGood else { return }
        found(.restart, Self.difference(state, restarted.state), at: step, action)
    }

    /// Compares by value: the order of a set and the text of a number do not matter, and NaN equals NaN.
    static func difference(_ old: State, _ new: State) -> [ValueDiff.Change] {
        ValueEquality.areEqual(old, new) == true ? [] : ValueDiff(from: old, to: new).changes
    }

    // MARK: Records

    private mutating func compareRecords(
        with folded: FoldedStep<Action, State>, from before: @autoclosure () -> State
    ) throws(JournalError) {
        let step = folded.entry.step
        let record = try records.record(of: step)
        let stored = try runs.runs(of: step)
        report.records += (record == nil ? 0 : 1) + stored.count
        // Most steps only change the state.
        if record == nil, stored.isEmpty, folded.reduction.isPlain, program.links.isEmpty { return }
        let notes = program.effects(of: folded, from: before())
        let differences: [(Divergence.Kind, [ValueDiff.Change])] = [
            (.outcome, folded.reduction.outcome.difference(from: record)),
            (.cascade, cascadeDifference(record?.cascade, folded)),
            (.effects, EffectNote.difference(record?.effects, notes)),
            (.record, EffectNote.difference(stored, notes)),
        ]
        // The records of a step that was pruned meanwhile are gone, too.
        if differences.contains(where: { !$0.1.isEmpty }) { try reader.checkWasNotPruned(step, of: info, asked: step) }
        let isOlder = folded.entry.version < program.version
        for (kind, changes) in differences {
            // No snapshot has the state after this step, so an opening reduces it again with this code, and the
            // difference counts.
            let changesState = step > newestSnapshot && (kind == .outcome || kind == .cascade)
            found(
                kind, changes, at: step, folded.action, isOfOlderCode: isOlder && !changesState,
                isReducedAgain: isOlder && changesState)
        }
    }

    private func cascadeDifference(_ text: String?, _ folded: FoldedStep<Action, State>) -> [ValueDiff.Change] {
        let place = reader.location(info.name, folded.entry.step)
        let derived = folded.reduction.cascade.map { try? program.encode($0, place) }
        let listed = derived.map { $0.map(program.listed) ?? "null" }
        let derivedText = derived.isEmpty ? nil : "[" + listed.joined(separator: ",") + "]"
        // A record is incomplete if an action could not be encoded; that was reported at the time.
        guard text != derivedText, !(text == nil && derived.contains(nil)) else { return [] }
        guard let stored = try? program.records.decode([JSONTree].self, from: text ?? "[]") else {
            // Version 0.1.0 joined texts that are no JSON, so that it is not known where each ends.
            if !(program.codec is JSONCodec), derivedText != nil { return [] }
            return [ValueDiff.Change(path: "cascade", old: text, new: derivedText)]
        }
        let texts = stored.map { try? program.records.encode($0) }
        var changes: [ValueDiff.Change] = []
        for index in 0..<max(texts.count, derived.count) {
            let old = index < texts.count ? texts[index] : nil
            let new = index < derived.count ? derived[index] : nil
            // It could not be encoded at the time, which was reported.
            if old == "null" { continue }
            // A later version has recorded the step if an opening of it settled the step.
            if let old, index < folded.reduction.cascade.count {
                let (action, version) = (folded.reduction.cascade[index], folded.entry.version)
                if program.isSame(old, since: version, as: action, place) { continue }
                // A text that is no JSON is in the list as a string.
                if case .text(let old) = stored[index], program.isSame(old, since: version, as: action, place) {
                    continue
                }
            }
            changes.append(ValueDiff.Change(path: "cascade[\(index)]", old: old, new: new))
        }
        return changes
    }

    private mutating func found(
        _ kind: Divergence.Kind, _ changes: [ValueDiff.Change], at step: Int, _ action: Action?,
        isOfOlderCode: Bool = false, isReducedAgain: Bool = false
    ) {
        guard !changes.isEmpty, report.divergence == nil else { return }
        let divergence = Divergence(
            kind: kind, step: step, lastGood: lastGood, action: action.map { StoredName.ofCase($0) },
            changes: changes, isReducedAgain: isReducedAgain)
        if isOfOlderCode || step <= newestBase {
            if report.ofOlderCode.count < ReplayReport.limit { report.ofOlderCode.append(divergence) }
        } else {
            report.divergence = divergence
        }
    }
}
