/// The way back: what a stream's journal says, made into a machine at work.
///
/// In this order: the newest snapshot that is not after the last settled step; the fold up to there; the steps after it reduced
/// again, their outcomes committed; only then what restarts mean for the effects that were running; only then their bodies.
/// A crash in the middle of it changes nothing: the next opening does the same.
struct Recovery<Action: Sendable, State: Sendable> {
    /// A recorded run that has not ended, with what the code returns for it.
    struct Found: Sendable {
        var record: EffectRun
        let run: Effect<Action>.Run
        /// Of its step's entry.
        let entry: Appended.Stamp
        /// Whether its step returned another one that looks the same, so that it cannot be told which of them it is.
        let isAmbiguous: Bool
        /// Whether the journal is to be told of the status.
        var isNews = false

        init(
            _ record: EffectRun, _ run: Effect<Action>.Run, _ entry: Appended.Stamp, isAmbiguous: Bool = false
        ) {
            self.record = record
            self.run = run
            self.entry = entry
            self.isAmbiguous = isAmbiguous
        }

        /// Whether its body was started, so that it matters what a restart means for it.
        var wasStarted: Bool {
            record.status == .running || record.status == .delayed && record.attempts > 0
        }
    }

    /// What is had again before anything is settled.
    struct Past: Sendable {
        var found: [Found] = []
        var orphaned: [EffectRun] = []
        /// The cancel IDs of dispatches that something is left of, by their steps.
        var cancelIDs: [Int: String] = [:]
        /// What is remembered of each queue.
        var queues: [QueueMemory] = []
        /// Whether what the machine begins with is to be started.
        var begins = false
        /// How to look after the opening; nil where nothing comes back.
        var watch: Caution.Plan?
    }

    /// A step whose outcome is not recorded.
    struct Unsettled: Sendable {
        let entry: Entry
        let action: Action
        let root: Int
        let cancelID: String?
        /// An operator had it passed over.
        let isSkipped: Bool
    }

    private let program: Program<Action, State>
    private let stream: JournalStream
    private let reader: JournalReader
    private var past = Past()
    private let options: OpenOptions
    /// Whether this version of the machine opens the stream for the first time.
    private let isNewVersion: Bool
    private var report = RecoveryReport()
    /// The state after the last settled step.
    private(set) var fold: Fold<Action, State>

    /// Reads and folds; nothing is written.
    init(
        _ program: Program<Action, State>, _ stream: JournalStream, _ options: OpenOptions
    ) throws(JournalError) {
        self.program = program
        self.stream = stream
        self.options = options
        reader = stream.journal.reader
        let place = Place(file: reader.file, stream: stream.name)
        guard program.version > 0 else {
            throw JournalError(
                .badArgument, "The machine's version is \(program.version).", advice: "Begin with 1.",
                file: reader.file, stream: stream.name)
        }
        let newest = try reader.entries(in: stream.name, limit: 1, .backwards).first
        if let newest, newest.version > program.version {
            _ = try program.action(newest.action, version: newest.version, place.at(newest.step))
        }
        guard program.ambiguousHandlers.isEmpty else {
            throw JournalError(
                .badArgument, "There are two handlers for \(program.ambiguousHandlers.joined(separator: ", ")).",
                advice: "Give each use of a reducer a scope: `contramap(action:scope:)`.", file: reader.file,
                stream: stream.name)
        }
        let caution: String?
        (past.cancelIDs, past.queues, caution) = try reader.read("reading the effects", stream: stream.name) {
            [id = stream.id] database throws(DatabaseError) in
            (try database.liveCancelIDs(of: id), try database.queues(of: id), try database.caution(of: id))
        }
        let runs = try reader.liveRuns(of: stream.name)
        let live = Dictionary(grouping: runs.filter { $0.described == nil }, by: \.step)
        let settled = stream.info.settledStep
        var skipped: [JournalError] = []
        fold = try Fold(
            program, reader, stream.info, atOrBefore: settled, crossingBases: options.crossesBases
        ) { skipped.append($0) }
        let written = fold.marks.last?.version ?? 0
        isNewVersion = newest.map { max($0.version, written) < program.version } ?? false
        report.skippedSnapshots = skipped
        report.snapshotStep = fold.step
        let start = fold.step
        try find(runs.filter { $0.described != nil })
        try findInitial(live[0] ?? [])
        try find(live, before: start)
        var way = fold
        try way.advance(to: settled) { step in
            find(live, of: step)
            note(step.entry)
        }
        fold = way
        report.replayedSteps = settled - start
        // Not in the order they were found in, but as they came to their queues.
        past.found.sort { $0.record.key < $1.record.key }
        past.orphaned.sort { $0.key < $1.key }
        try refuseDifferences()
        park(caution)
        tellWhatWasReduced()
    }

    /// Decides how careful the opening has to be, and parks the effect that seems to have brought the last one down.
    private mutating func park(_ text: String?) {
        let earlier = text.flatMap { try? program.records.decode(Caution.self, from: $0) }
        guard earlier != nil || !past.found.isEmpty else { return }
        let journal = stream.journal
        let plan = Caution.plan(
            after: earlier, lastSeen: journal.writer.remains.lastSeen, now: journal.options.clock(),
            tolerated: options.carefulAfter)
        past.watch = plan
        report.isCareful = plan.hold != nil
        if let hold = plan.hold { tellOfCare(plan.caution.openings - 1, hold) }
        for index in past.found.indices where past.found[index].record.key == plan.parked {
            past.found[index].record.status = .parked
            past.found[index].record.error = "The process ended right behind its start, and had not before that."
            past.found[index].isNews = true
        }
    }

    private func tellOfCare(_ count: Int, _ hold: Duration) {
        stream.journal.options.report(
            Notice(
                kind: .carefulOpening,
                error: JournalError(
                    .notInThatState,
                    "\(count) openings in a row ended within ten seconds: effects that come back start one after the other, "
                        + "the first in \(hold.inMicroseconds / 1000) ms.",
                    advice: "See the documentation of `OpenOptions.carefulAfter`.", file: reader.file,
                    stream: stream.name)))
    }

    /// The process before this one ended while it reduced a step: the reducer may bring this one down as well.
    private mutating func tellWhatWasReduced() {
        let mark = stream.journal.writer.remains.reducing.first { $0.stream == stream.id }
        guard let mark, mark.step > stream.info.settledStep, !fold.skippedSteps.contains(mark.step) else { return }
        report.diedReducing = mark.step
        stream.journal.options.report(
            Notice(
                kind: .diedReducing,
                error: JournalError(
                    .notInThatState, "The last process ended while it reduced this step.",
                    advice: "Should this one do so too: mend the reducer, or pass over the step with "
                        + "`journal-replay skip \(reader.file ?? "FILE") \(mark.step) --stream \(stream.name)`.",
                    file: reader.file, stream: stream.name, step: mark.step)))
    }

    /// Counts what another version wrote, and tells how far it is.
    private mutating func note(_ entry: Entry) {
        if entry.version < program.version { report.olderSteps += 1 }
        if entry.step % 1024 == 0 {
            options.progress(OpenOptions.Progress(step: entry.step, last: stream.info.headStep))
        }
    }

    private func refuseDifferences() throws(JournalError) {
        guard options.differences == .refuse else { return }
        if let orphan = past.orphaned.first {
            throw JournalError(
                .otherEffects,
                orphan.described == nil
                    ? "The code does not return the effect '\(orphan.name)' of this step any more."
                    : "The code has no handler for the described effect '\(orphan.name)' any more.",
                advice: "Open it with the code that does, or with `differences = .report`.", file: reader.file,
                stream: stream.name, step: orphan.step)
        }
        if let twin = past.found.first(where: \.isAmbiguous) {
            throw JournalError(
                .otherEffects, "The step returns several effects '\(twin.record.name)' that cannot be told apart.",
                advice: "Give each a name or an ID of its own, or open with `differences = .report`.",
                file: reader.file, stream: stream.name, step: twin.record.step)
        }
    }

    /// Makes described effects of their records.
    private mutating func find(_ described: [EffectRun]) throws(JournalError) {
        let rules = program.rules(past.queues)
        for record in described {
            let place = Place(file: reader.file, stream: stream.name, step: record.step)
            if let found = try program.found(record, rules, place) {
                past.found.append(found)
            } else {
                past.orphaned.append(record)
            }
        }
    }

    /// What the machine began with, or begins with now.
    private mutating func findInitial(_ live: [EffectRun]) throws(JournalError) {
        take(program.found(live, in: program.initialEffect, stream.info.birth))
        // Nothing is settled before what it begins with is: also where another machine has sent it something by now.
        guard stream.info.settledStep == 0, !program.initialEffect.effects.isEmpty else { return }
        past.begins = try reader.effectRuns(of: stream.name).first?.step != 0
    }

    /// Folds those stretches of history again that running effects come from and that lie before the snapshot: each once, from the
    /// newest snapshot before it.
    private mutating func find(_ live: [Int: [EffectRun]], before start: Int) throws(JournalError) {
        var past: Fold<Action, State>?
        for step in live.keys.sorted() where step > 0 && step <= start {
            let newest = fold.marks.last { $0.step < step }?.step ?? 0
            var way =
                if let past, past.step >= newest { past } else { try fold.begun(atOrBefore: step - 1) }
            past = nil
            try way.advance(to: step - 1)
            if let folded = try way.next() { find(live, of: folded) }
            past = way
        }
    }

    /// Takes from what a step returns the effects that have not ended.
    private mutating func find(_ live: [Int: [EffectRun]], of step: FoldedStep<Action, State>) {
        guard let records = live[step.entry.step] else { return }
        take(program.found(records, in: step.reduction, step.entry.stamp))
    }

    private mutating func take(_ runs: (found: [Found], orphaned: [EffectRun])) {
        past.found += runs.found
        past.orphaned += runs.orphaned
    }

    // MARK: Carrying it out

    /// Settles what is not, and has the effects go on.
    mutating func carryOut(on core: Core<Action, State>) async throws(JournalError) -> RecoveryReport {
        let (past, found) = (past, past.found)
        try await core.asking { .restore(past, $0) }
        while let page = try nextUnsettled() {
            report.unsettledSteps += page.count
            try await core.asking { .resettle(page, $0) }
        }
        report.replayedSteps += report.unsettledSteps
        if isNewVersion { await writeBase(core) }
        // What was settled meanwhile may have ended some.
        let effects = try await core.effects()
        let live = Set(effects.map(\.key))
        let fates = found.filter { live.contains($0.record.key) }.map { ($0, $0.fate(options.restart)) }
        for (found, fate) in fates { report.add(found.record, fate.word) }
        // What steps have started that were settled only now, and that another journal has as well.
        let known = Set(fates.map(\.0.record.key))
        for run in effects where run.status == .asked && !known.contains(run.key) { report.add(run, .asked) }
        report.orphaned = past.orphaned
        try await core.asking { .resume(fates, orphaned: past.orphaned, $0) }
        return report
    }

    /// From here on the present is what it is now, whatever later code would make of the steps before.
    private mutating func writeBase(_ core: Core<Action, State>) async {
        let (state, step) = core.published.newest
        let place = Place(file: reader.file, stream: stream.name, step: step)
        do throws(JournalError) {
            try await stream.saveSnapshot(
                try program.encode(state, place), at: step, version: program.version, isBase: true)
            report.baseStep = step
        } catch {
            stream.journal.options.report(Notice(kind: .snapshotFailed, error: error))
        }
    }

    private mutating func nextUnsettled() throws(JournalError) -> [Unsettled]? {
        let from = stream.info.settledStep + report.unsettledSteps + 1
        var page: [Unsettled] = []
        for entry in try reader.entries(in: stream.name, from: from, limit: 512) {
            let place = Place(file: reader.file, stream: stream.name, step: entry.step)
            note(entry)
            var root = entry.step
            var cancelID = entry.cancelID
            if let step = entry.causeStep, entry.causeStream == nil {
                let run = try entry.causeRun.flatMap { run throws(JournalError) in
                    try reader.effectRun(RunKey(step: step, ordinal: run), of: stream.name)
                }
                root = run?.rootStep ?? step
                cancelID = run?.cancelID
            }
            page.append(
                Unsettled(
                    entry: entry, action: try program.action(entry.action, version: entry.version, place), root: root,
                    cancelID: cancelID, isSkipped: fold.skippedSteps.contains(entry.step)))
        }
        return page.isEmpty ? nil : page
    }
}
