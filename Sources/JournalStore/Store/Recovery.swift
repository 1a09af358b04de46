/// Opens a store from its journal.
///
/// It folds from the newest snapshot up to the settlement watermark, reduces the entries after it again and commits
/// their outcomes, then applies the restart policies of effects that were running and starts their bodies. If the
/// process ends meanwhile, the next opening does the same.
struct Recovery<Action: Sendable, State: Sendable> {
    /// What is restored before anything is settled.
    struct Past: Sendable {
        var runs: [RecoveredRun<Action>] = []
        var orphaned: [EffectRun] = []
        /// Runs that were cancelled, and whose cancel actions were not committed.
        var cancelling: [EffectRun] = []
        /// The stored queues.
        var queues: [(row: QueueMemory, record: QueueRecord)] = []
        /// When the stream's host began; nil without one.
        var hostedSince: Timestamp?
        /// Whether the initial effect must be started.
        var startsInitialEffect = false
        /// What the opening does about crash loops; nil if it restores nothing that can crash the process.
        var crashLoopPlan: CrashLoopRecord.Plan?
        /// Whether earlier openings have left a record of a crash loop that does not count any more.
        var endsCrashLoop = false

        /// Whether there is nothing to restore.
        var isEmpty: Bool {
            runs.isEmpty && orphaned.isEmpty && cancelling.isEmpty && queues.isEmpty && !startsInitialEffect
                && crashLoopPlan == nil && !endsCrashLoop
        }
    }

    /// A step whose outcome is not recorded.
    struct Unsettled: Sendable {
        let entry: Entry
        /// Its action; nil if an operator has skipped it.
        let action: Action?
        let root: Int
        let priority: TaskPriority?
        let cancelID: String?
    }

    private let program: Program<Action, State>
    private let stream: JournalStream
    private let reader: JournalReader
    private var past = Past()
    private let options: OpenOptions
    /// The newest version of the machine that is known to have reduced steps of the stream; 0 if none is.
    private var reducingVersion: Int
    private var report = RecoveryReport()
    /// The state after the last settled step.
    private(set) var fold: Fold<Action, State>
    /// Checks the entries that are not settled.
    private var chain: ChainFollower?
    /// The dispatches behind the entries that are not settled.
    private var starts = ChainStarts()

    private var location: ErrorLocation { reader.location(stream.name) }

    /// Reads and folds. Writes nothing.
    init(_ program: Program<Action, State>, _ stream: JournalStream, _ options: OpenOptions) throws(JournalError) {
        (self.program, self.stream, self.options) = (program, stream, options)
        let reader = stream.journal.reader.pinned()
        self.reader = reader
        past.hostedSince = options.hostedSince
        defer { reader.unpin() }
        let location = reader.location(stream.name)
        let newest = try reader.newestEntry(of: stream.info)
        try reader.checkUnsettledSteps(of: stream.info)
        let records = try reader.restoredRecords(of: stream.info)
        if let newest, newest.version > program.version, !records.skippedSteps.contains(newest.step) {
            _ = try program.action(of: newest, location)
        }
        past.queues = records.queues.compactMap { row in
            program.record(of: row, headStep: stream.info.headStep).map { (row, $0) }
        }
        var runs = records.runs
        let isCancelling = runs.partition { $0.status == .cancelling }
        past.cancelling = runs[isCancelling...].sorted { $0.key < $1.key }
        runs.removeSubrange(isCancelling...)
        let live = Dictionary(grouping: runs.filter { $0.described == nil }, by: \.step)
        let settled = stream.info.settledStep
        var skipped: [JournalError] = []
        fold = try Fold(
            program, reader, stream.info, atOrBefore: settled, crossingBases: options.crossesBases,
            skippedSteps: records.skippedSteps
        ) { skipped.append($0) }
        reducingVersion = stream.snapshotVersion
        try noteVersionOfSettledSteps(newest)
        report.skippedSnapshots = skipped
        report.snapshotStep = fold.step
        let start = fold.step
        try restore(runs.filter { $0.described != nil })
        try findInitial(live[0] ?? [])
        try find(live, before: start)
        var way = fold
        try way.advance(to: settled) { step throws(JournalError) in
            try find(live, of: step)
            note(step.entry)
        }
        fold = way
        report.replayedSteps = settled - start
        try sortRuns()
        past.orphaned.sort { $0.key < $1.key }
        try refuseDifferences()
        try findWaiting()
        try findReleases()
        park()
        reportCrashedStep()
    }

    /// How many steps were reduced to compute the state.
    var replayedSteps: Int { report.replayedSteps }

    /// Whether only older versions of the machine have reduced steps of the stream.
    private var isNewVersion: Bool { 1..<program.version ~= reducingVersion }

    /// Notes which version has reduced the last settled steps: that of the newest of their entries that tells it.
    ///
    /// - Parameter newest: the newest entry of the stream.
    private mutating func noteVersionOfSettledSteps(_ newest: Entry?) throws(JournalError) {
        var place = stream.info.settledStep
        while place > stream.info.prunedStep {
            let entry =
                place == newest?.step
                ? newest : try reader.entries(in: stream.info, from: place, limit: 1, direction: .backwards).first
            guard let entry else { return }
            noteVersion(of: entry)
            if tellsVersion(entry) { return }
            place = entry.step - 1
        }
    }

    /// Notes which version has reduced an entry, if the entry tells it.
    private mutating func noteVersion(of entry: Entry) {
        if tellsVersion(entry) { reducingVersion = max(reducingVersion, entry.version) }
    }

    /// Whether an entry tells which version has reduced it. One of an older version always does: then that was there.
    private func tellsVersion(_ entry: Entry) -> Bool {
        if entry.version < program.version { return true }
        // Nothing has reduced a skipped step, nor a message that a closed stream got and that is not settled yet.
        if fold.skippedSteps.contains(entry.step) { return false }
        return entry.wasReduced(settledStep: stream.info.settledStep)
    }

    /// Plans for a crash loop, and parks the effect that seems to have crashed the last openings.
    private mutating func park() {
        let earlier = CrashLoopRecord(of: stream.info)
        // An opening that restores nothing that can crash the process is no part of a loop, and ends one. Asked before
        // an effect is parked: the opening that parks the last one is a part of the loop.
        let canCrash = past.runs.contains { $0.canCrashProcess }
        past.endsCrashLoop = !canCrash && stream.info.crashLoop != nil
        guard canCrash, earlier != nil || !options.continuesEffects else { return }
        let journal = stream.journal
        let random = Seed(stream: stream.info.seed, entry: stream.info.headDigest)
            .words(.crashLoop, earlier?.openings ?? 0, 0).0
        let plan = CrashLoopRecord.plan(
            after: earlier, lastSeen: journal.writer.remains.lastSeen, now: journal.options.wallClock(),
            tolerated: options.crashLoopLimit, randomPart: random.unitFraction)
        past.crashLoopPlan = plan
        report.isCrashLoop = plan.hold != nil
        var parked: EffectRun?
        for index in past.runs.indices where past.runs[index].record.key == plan.parked {
            past.runs[index].record.status = .parked
            past.runs[index].record.error =
                "\(CrashLoopRecord.suspicionsToPark) processes in a row ended right after its start, and not before."
            past.runs[index].isChanged = true
            parked = past.runs[index].record
        }
        // A host tells what is in its streams together.
        guard let hold = plan.hold, options.hostedSince == nil else { return }
        reportCrashLoop(plan.record.openings - 1, hold, parked)
    }

    private func reportCrashLoop(_ count: Int, _ hold: Duration, _ parked: EffectRun?) {
        let openings = "\(count) openings in a row ended before they were stable"
        let begins = "start in groups, the first in \(hold.inMicroseconds / 1000) ms."
        let waiting = parked.map { location.waiting($0) }
        let others = past.runs.contains { $0.canCrashProcess } ? " The other restored effects \(begins)" : ""
        stream.journal.options.notify(
            .crashLoop,
            (parked.map { location.at($0.step) } ?? location).error(
                .crashed,
                waiting.map { "\(openings). \($0.message)\(others)" } ?? "\(openings): restored effects \(begins)",
                advice: waiting?.advice ?? JournalError.adviceForCrashLoop(location)))
    }

    /// Reports a step during whose reduction the last process ended: the reducer may crash this one as well.
    private mutating func reportCrashedStep() {
        let mark = stream.journal.writer.remains.reducing.first { $0.stream == stream.id }
        guard let mark, mark.step > stream.info.settledStep, !fold.skippedSteps.contains(mark.step) else { return }
        report.diedReducing = mark.step
        stream.journal.options.notify(
            .diedReducing,
            location.at(mark.step).error(
                .crashed,
                "The last process ended while it reduced this step: the reducer crashed, or something else ended it.",
                advice: "If this process ends there too, fix the reducer, or skip the step with "
                    + "`journal-replay skip \(location.fileWord) \(mark.step) "
                    + "--stream=\(ShellWord.quoted(stream.name))`."
            ))
    }

    /// Counts entries of older versions, and reports progress.
    private mutating func note(_ entry: Entry) {
        if entry.version < program.version, entry.wasReduced(settledStep: stream.info.settledStep) {
            report.olderSteps += 1
            if entry.origin != .machine { report.olderActions += 1 }
        }
        if entry.step % 1024 == 0 {
            options.progress(ReplayProgress(step: entry.step, last: stream.info.headStep))
        }
    }

    private func refuseDifferences() throws(JournalError) {
        guard options.differences == .refuse else { return }
        if let orphan = past.orphaned.first {
            throw location.orphan(
                orphan, advice: "Open it with the code that does, or with `differences = .report`.")
        }
        if let twin = past.runs.first(where: \.isAmbiguous) {
            throw location.at(twin.record.step).error(
                .otherEffects, "The step has several effects '\(twin.record.name)' that cannot be told apart.",
                advice: "Give each a name or an ID of its own, or open with `differences = .report`.")
        }
    }

    /// Notes which look-alikes an operator has released: those are not asked about again before they have run.
    ///
    /// A retry counts as a release, unless the code returns another number of them: the operator could not know that.
    private mutating func findReleases() throws(JournalError) {
        func mayBeReleased(_ run: RecoveredRun<Action>) -> Bool { run.isAmbiguous && run.mayBeReleased }
        guard past.runs.contains(where: mayBeReleased) else { return }
        // The last of them for each effect.
        var acts: [RunKey: Intervention.Act] = [:]
        for act in try interventions(on: past.runs.filter(mayBeReleased))
        where act.act == .release || act.act == .retry {
            if let ordinal = act.ordinal { acts[RunKey(step: act.step, ordinal: ordinal)] = act.act }
        }
        for index in past.runs.indices where mayBeReleased(past.runs[index]) {
            let (key, isMiscounted) = (past.runs[index].record.key, past.runs[index].isMiscounted)
            past.runs[index].isReleased = acts[key].map { $0 == .release || !isMiscounted } ?? false
        }
    }

    /// Puts the runs into the order in which they joined their queues: that of their steps. One that an operator has started
    /// again has joined its queue anew at the time of that act, behind the effects of the steps before.
    private mutating func sortRuns() throws(JournalError) {
        past.runs.sort { $0.record.key < $1.record.key }
        // Messages wait in a queue that is not recorded.
        let queued = past.runs.filter { $0.record.queueText != nil || $0.record.isMessage }
        guard queued.count > 1 else { return }
        let acts = try interventions(on: queued).filter(\.joinsQueueAgain)
        guard !acts.isEmpty else { return }
        var newest: [RunKey: Int] = [:]
        for (index, act) in acts.enumerated() {
            if let ordinal = act.ordinal { newest[RunKey(step: act.step, ordinal: ordinal)] = index }
        }
        let again = past.runs.compactMap { run in newest[run.record.key].map { (act: $0, run: run) } }
            .sorted { $0.act < $1.act }
        past.runs.removeAll { newest[$0.record.key] != nil }
        past.runs = JoiningOrder.merged(
            past.runs, again.map(\.run), times: past.runs.map(\.entry.time), again.map { acts[$0.act].time })
    }

    /// What operators did from the first to the last step of these runs. What they did before does not matter, and there can
    /// be much of it.
    private func interventions(on runs: [RecoveredRun<Action>]) throws(JournalError) -> [Intervention] {
        let steps = runs.map(\.record.step)
        guard let first = steps.min(), let last = steps.max() else { return [] }
        return try reader.interventions(in: stream.name, steps: first...last)
    }

    /// Finds the orphans that waited for their next start: their newest attempt had ended. A start is recorded before the
    /// body begins, as a newer attempt.
    private mutating func findWaiting() throws(JournalError) {
        for index in past.runs.indices where past.runs[index].mayHaveWaited {
            let run = past.runs[index].record
            let attempts = try reader.attempts(of: stream.name, step: run.step, ordinal: run.ordinal)
            let newest = attempts.last { $0.number == run.attempts }
            if newest?.ended != nil { past.runs[index].record.status = .waiting }
        }
    }

    /// Restores described effects from their records.
    private mutating func restore(_ described: [EffectRun]) throws(JournalError) {
        let rules = Dictionary(past.queues.map { ($0.row.key, $0.record.rule) }) { first, _ in first }
        for record in described {
            if let run = try program.restoreDescribed(record, rules, location.at(record.step)) {
                past.runs.append(run)
            } else {
                past.orphaned.append(record)
            }
        }
    }

    /// Matches the initial effect's live runs, or decides to start it: once in the life of a stream.
    private mutating func findInitial(_ live: [EffectRun]) throws(JournalError) {
        try take(match(live, at: 0, program.initialEffect, stream.info.birth))
        past.startsInitialEffect = stream.info.watermark < 0 && !program.initialEffect.effects.isEmpty
    }

    /// Finds effects of steps before the snapshot.
    private mutating func find(_ live: [Int: [EffectRun]], before start: Int) throws(JournalError) {
        let fold = fold
        try fold.visit(live, upTo: start) { step throws(JournalError) in try find(live, of: step) }
    }

    /// Matches the live runs of a step.
    private mutating func find(
        _ live: [Int: [EffectRun]], of step: FoldedStep<Action, State>
    ) throws(JournalError) {
        guard let records = live[step.entry.step] else { return }
        try take(match(records, at: step.entry.step, step.reduction, step.entry.stamp))
    }

    private func match(
        _ records: [EffectRun], at step: Int, _ reduction: Reduction<Action>, _ entry: Appended.Stamp
    ) throws(JournalError) -> (found: [RecoveredRun<Action>], orphaned: [EffectRun]) {
        guard !records.isEmpty else { return ([], []) }
        let trustsOrdinals = options.continuesEffects
        let all = trustsOrdinals ? records : try reader.effectRuns(in: stream.info, step: step)
        return program.match(records, among: all, with: reduction, entry, trustsOrdinals: trustsOrdinals)
    }

    private mutating func take(_ runs: (found: [RecoveredRun<Action>], orphaned: [EffectRun])) {
        past.runs += runs.found
        past.orphaned += runs.orphaned
    }

    // MARK: Settling and resuming

    /// Whether nothing is to be settled or resumed.
    var isDone: Bool { past.isEmpty && stream.info.settledStep == stream.info.headStep }

    /// Settles what is not settled, and resumes the effects.
    mutating func carryOut(on engine: StoreEngine<Action, State>) async throws(JournalError) -> RecoveryReport {
        defer { reader.unpin() }
        // The base is written before the first step that this version settles, or together with it. Otherwise the next
        // opening would conclude from that step that there is a base, and an older version could open the stream.
        let writesBaseFirst = isNewVersion && fold.step > 0
        var hasBase = writesBaseFirst
        // Before anything is written. An older version, which perhaps can decode what this one cannot, does not open a
        // stream with a newer base.
        var unsettled: [Unsettled]? = isDone ? nil : try nextUnsettled()
        if let last = unsettled?.last { try decodeActions(after: last.entry.step) }
        // Others need the connection, and what is awaited takes long.
        reader.unpin()
        // If it cannot be written, the opening fails: later ones would not know that it is missing.
        if writesBaseFirst, let base = engine.base(of: fold.state, at: fold.step) {
            try await stream.save(base)
            report.baseStep = base.step
        }
        if isDone { return report }
        let past = past
        try await engine.ask { .restore(past, $0) }
        while let page = unsettled {
            report.unsettledSteps += page.count
            // Only the entries of the page may tell that an older version has reduced steps, of which none was settled.
            let owesBase = isNewVersion && !hasBase
            let base: NewSnapshot? = try await engine.ask { .resettle(page, owesBase: owesBase, $0) }
            if let base {
                stream.wasSaved(base)
                report.baseStep = base.step
            }
            hasBase = hasBase || owesBase
            unsettled = try nextUnsettled()
            reader.unpin()
        }
        report.replayedSteps += report.unsettledSteps
        // The steps that were just settled may have ended some of them, or cancelled them: then their cancel actions
        // are on their way.
        let liveRuns: [EffectRun] = try await engine.ask { .list(ephemeral: false, $0) }
        let live = Set(liveRuns.lazy.filter { $0.status != .cancelling }.map(\.key))
        let decisions = past.runs.filter { live.contains($0.record.key) }.map { ($0, $0.decision(options.restart)) }
        for (run, decision) in decisions { report.add(run.record, decision.kind) }
        // The steps that were just settled may have effects that another journal runs.
        let known = Set(decisions.map(\.0.record.key)).union(past.orphaned.map(\.key))
        for run in liveRuns where run.status == .asked && !known.contains(run.key) { report.add(run, .asked) }
        let orphaned = past.orphaned.filter { live.contains($0.key) }
        report.orphaned = orphaned
        try await engine.ask { .resume(decisions, orphaned: orphaned, $0) }
        return report
    }

    /// Decodes the actions after a step, and drops them: there can be many. They are decoded again when their turn
    /// comes.
    private func decodeActions(after step: Int) throws(JournalError) {
        var last = step
        while last < stream.info.headStep {
            let page = try reader.page(in: stream.info, from: last + 1, limit: Self.pageSize)
            for entry in page { _ = try action(of: entry) }
            guard let end = page.last?.step else { return }
            last = end
        }
    }

    /// The action of an entry; nil if an operator has skipped it, which is the way out if it cannot be decoded.
    private func action(of entry: Entry) throws(JournalError) -> Action? {
        if fold.skippedSteps.contains(entry.step) { return nil }
        return try program.action(of: entry, location)
    }

    /// The number of unsettled entries that are read at once.
    private static var pageSize: Int { 512 }

    /// The next steps to settle, up to the newest one of the stream's row; nil after that.
    private mutating func nextUnsettled() throws(JournalError) -> [Unsettled]? {
        let from = stream.info.settledStep + report.unsettledSteps + 1
        let left = stream.info.headStep - from + 1
        guard left > 0 else { return nil }
        var page: [Unsettled] = []
        if chain == nil { chain = try reader.chain(of: stream.info, after: from - 1) }
        for entry in try reader.page(in: stream.info, from: from, limit: min(left, Self.pageSize)) {
            do throws(ChainFollower.Break) {
                try chain?.follow(entry.step, .body(of: entry), position: entry.position, entry.stamp)
            } catch {
                throw error.error(location)
            }
            note(entry)
            noteVersion(of: entry)
            let start = try start(of: entry)
            page.append(
                Unsettled(
                    entry: entry, action: try action(of: entry), root: start.root, priority: start.priority,
                    cancelID: start.cancelID))
        }
        guard !page.isEmpty else { throw location.at(from).missingEntry }
        return page
    }

    /// The dispatch that led to an entry, by way of effects.
    private mutating func start(of entry: Entry) throws(JournalError) -> ChainStarts.Start {
        let (reader, info) = (reader, stream.info)
        return try starts.start(
            of: entry,
            run: { key throws(JournalError) in try reader.effectRun(key, in: info.name) },
            entry: { step throws(JournalError) in
                try reader.entries(in: info, from: step, limit: 1).first { $0.step == step }
            })
    }
}
