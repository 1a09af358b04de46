/// The way back: what a stream's journal says, made into a machine at work.
///
/// In this order: the newest snapshot that is not after the last settled step; the fold up to there; the steps after it reduced
/// again, their outcomes committed; only then what restarts mean for the effects that were running; only then their bodies.
/// A crash in the middle of it changes nothing: the next opening does the same.
struct Recovery<Action: Sendable, State: Sendable> {
    /// A recorded run that has not ended, with what the code returns for it.
    struct Found: Sendable {
        let record: EffectRun
        let run: Effect<Action>.Run
        /// Of its step's entry.
        let entry: Appended.Stamp

        init(_ record: EffectRun, _ run: Effect<Action>.Run, _ entry: Appended.Stamp) {
            self.record = record
            self.run = run
            self.entry = entry
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
    }

    /// A step whose outcome is not recorded.
    struct Unsettled: Sendable {
        let entry: Entry
        let action: Action
        let root: Int
        let cancelID: String?
    }

    private let program: Program<Action, State>
    private let stream: JournalStream
    private let reader: JournalReader
    private var past = Past()
    private var report = RecoveryReport()
    /// The state after the last settled step.
    private(set) var fold: Fold<Action, State>

    /// Reads and folds; nothing is written.
    init(_ program: Program<Action, State>, _ stream: JournalStream) throws(JournalError) {
        self.program = program
        self.stream = stream
        reader = stream.journal.reader
        let place = Place(file: reader.file, stream: stream.name)
        guard program.version > 0 else {
            throw JournalError(
                .badArgument, "The machine's version is \(program.version).", advice: "Begin with 1.",
                file: reader.file, stream: stream.name)
        }
        if let newest = try reader.entries(in: stream.name, limit: 1, .backwards).first,
            newest.version > program.version
        {
            _ = try program.action(newest.action, version: newest.version, place.at(newest.step))
        }
        guard program.ambiguousHandlers.isEmpty else {
            throw JournalError(
                .badArgument, "There are two handlers for \(program.ambiguousHandlers.joined(separator: ", ")).",
                advice: "Give each use of a reducer a scope: `contramap(action:scope:)`.", file: reader.file,
                stream: stream.name)
        }
        (past.cancelIDs, past.queues) = try reader.read("reading the effects", stream: stream.name) {
            [id = stream.id] database throws(DatabaseError) in
            (try database.liveCancelIDs(of: id), try database.queues(of: id))
        }
        let runs = try reader.liveRuns(of: stream.name)
        let live = Dictionary(grouping: runs.filter { $0.described == nil }, by: \.step)
        let settled = stream.info.settledStep
        var skipped: [JournalError] = []
        fold = try Fold(program, reader, stream.info, atOrBefore: settled) { skipped.append($0) }
        report.skippedSnapshots = skipped
        report.snapshotStep = fold.step
        let start = fold.step
        find(runs.filter { $0.described != nil })
        try find(live, before: start)
        var way = fold
        try way.advance(to: settled) { step in find(live, of: step) }
        fold = way
        report.replayedSteps = settled - start
    }

    /// Makes described effects of their records.
    private mutating func find(_ described: [EffectRun]) {
        var rules: [String: QueueRule] = [:]
        for queue in past.queues { rules[queue.key] = try? program.records.decode(QueueRule.self, from: queue.policy) }
        for record in described {
            let place = Place(file: reader.file, stream: stream.name, step: record.step)
            guard let entry = record.entry, let run = try? program.run(record, queues: rules, place) else {
                past.orphaned.append(record)
                continue
            }
            past.found.append(Found(record.foundAgain, run, entry))
        }
    }

    /// Folds those stretches of history again that running effects come from and that lie before the snapshot: each once, from the
    /// newest snapshot before it.
    private mutating func find(_ live: [Int: [EffectRun]], before start: Int) throws(JournalError) {
        let snapshots = try reader.snapshotSteps(of: stream.name)
        var past: Fold<Action, State>?
        for step in live.keys.sorted() where step <= start {
            let newest = snapshots.last { $0 < step } ?? 0
            var fold =
                if let past, past.step >= newest { past } else {
                    try Fold(program, reader, stream.info, atOrBefore: step - 1)
                }
            try fold.advance(to: step - 1)
            if let folded = try fold.next() { find(live, of: folded) }
            past = fold
        }
    }

    /// Takes from what a step returns the effects that have not ended. They are matched by name and ID; the place decides only among
    /// equals.
    private mutating func find(_ live: [Int: [EffectRun]], of step: FoldedStep<Action, State>) {
        guard var records = live[step.entry.step] else { return }
        let entry = Appended.Stamp(time: step.entry.time, digest: step.entry.digest)
        var runs: [(ordinal: Int, run: Effect<Action>.Run, id: String?)] = []
        var ordinal = 0
        for case .run(let run) in step.reduction.effects {
            if case .closure = run.work {
                runs.append((ordinal, run, run.id.flatMap { try? program.records.encode($0) }))
            }
            ordinal += 1
        }
        func match(_ record: EffectRun, sameOrdinal: Bool) -> Int? {
            runs.firstIndex {
                $0.run.name == record.name && $0.id == record.effectID && (!sameOrdinal || $0.ordinal == record.ordinal)
            }
        }
        for sameOrdinal in [true, false] {
            for record in records {
                guard let index = match(record, sameOrdinal: sameOrdinal) else { continue }
                past.found.append(Found(record.foundAgain, runs.remove(at: index).run, entry))
                records.removeAll { $0 == record }
            }
        }
        past.orphaned += records
    }

    // MARK: Carrying it out

    /// Settles what is not, and has the effects go on.
    mutating func carryOut(on core: Core<Action, State>) async throws(JournalError) -> RecoveryReport {
        // Not in the order they were found in, but as they came to their queues.
        past.found.sort { ($0.record.step, $0.record.ordinal) < ($1.record.step, $1.record.ordinal) }
        let (past, found) = (past, past.found)
        try await core.asking { .restore(past, $0) }
        while let page = try nextUnsettled() {
            report.unsettledSteps += page.count
            try await core.asking { .resettle(page, $0) }
        }
        report.replayedSteps += report.unsettledSteps
        for found in found {
            if found.record.status == .asked || found.record.status == .parked {
                report.asked.append(found.record)
                continue
            }
            switch found.run.restart {
            case .ask where found.wasStarted: report.asked.append(found.record)
            case .cancel where found.wasStarted, .dispatch where found.wasStarted: report.cancelled.append(found.record)
            default: report.resumed.append(found.record)
            }
        }
        report.orphaned = past.orphaned
        try await core.asking { .resume(found, orphaned: past.orphaned, $0) }
        return report
    }

    private mutating func nextUnsettled() throws(JournalError) -> [Unsettled]? {
        let from = stream.info.settledStep + report.unsettledSteps + 1
        var page: [Unsettled] = []
        for entry in try reader.entries(in: stream.name, from: from, limit: 512) {
            let place = Place(file: reader.file, stream: stream.name, step: entry.step)
            var root = entry.step
            var cancelID = entry.cancelID
            if let step = entry.causeStep, entry.causeStream == nil {
                let run = try entry.causeRun.flatMap { run throws(JournalError) in
                    try reader.effectRun(of: stream.name, step: step, ordinal: run)
                }
                root = run?.rootStep ?? step
                cancelID = run?.cancelID
            }
            page.append(
                Unsettled(
                    entry: entry, action: try program.action(entry.action, version: entry.version, place), root: root,
                    cancelID: cancelID))
        }
        return page.isEmpty ? nil : page
    }
}

extension EffectRun {
    /// The same, where the code has it: one that was orphaned is so no more. Where it had not started, it still waits.
    fileprivate var foundAgain: EffectRun {
        var found = self
        if found.status == .orphaned { found.status = found.attempts > 0 ? .running : .waiting }
        return found
    }
}
