import JournalStore
import JournalTesting

/// Random operations on a journal and on its model. Each answer, error and row must be equal.
final class Operations: @unchecked Sendable {
    // `@unchecked`: all jobs run on one thread.
    private static let retained = 2
    private static let names = ["a", "b", "c"]

    let choices: Choices
    private let clock = ManualClock()
    private let journal: Journal
    private var model = JournalModel(retained: retained)
    private var open: [String: JournalStream] = [:]
    private(set) var finding: String?
    private(set) var count = 0
    private(set) var lines: [String] = []
    private let keepsLines: Bool

    init(_ choices: Choices, keepsLines: Bool) throws {
        (self.choices, self.keepsLines) = (choices, keepsLines)
        var options = Journal.Options()
        options.wallClock = clock.wallClock
        options.sleep = { [clock] in try await clock.sleep(for: $0) }
        options.snapshots = .never
        options.retention = Retention(last: Operations.retained, everySteps: nil)
        journal = try Journal.inMemory(options: options)
    }

    /// Runs until the first difference, or this many operations.
    func run(_ limit: Int) async {
        while count < limit, finding == nil, choices.next(300) != 0 {
            count += 1
            await operation()
        }
        if finding == nil { verify() }
        open = [:]
        try? await journal.close()
    }

    private func note(_ line: @autoclosure () -> String) {
        if keepsLines { lines.append(line()) }
    }

    private func compare<Value: Equatable>(_ what: String, _ answer: Value, _ expected: Value) {
        guard answer != expected, finding == nil else { return }
        finding = "\(what): the answer is \(answer), and not \(expected)"
        note("FINDING: \(finding ?? "")")
    }

    /// What a call returned or threw.
    private enum Outcome<Value: Equatable>: Equatable {
        case value(Value)
        case refused(JournalError.Code)
    }

    private func outcome<Value: Equatable>(_ body: () async throws(JournalError) -> Value) async -> Outcome<Value> {
        do throws(JournalError) { return .value(try await body()) } catch { return .refused(error.code) }
    }

    private func expected<Value: Equatable>(_ body: () throws(JournalModel.Refusal) -> Value) -> Outcome<Value> {
        do throws(JournalModel.Refusal) { return .value(try body()) } catch { return .refused(error.code) }
    }

    // MARK: The operations

    private func operation() async {
        let name = choices.pick(Operations.names)
        switch choices.next(20) {
        case 0..<9: await commit()
        case 9: await openOrClose(name)
        case 10..<13: readEntries(name)
        case 13, 14: readRecords(name)
        case 15: await prune(name)
        case 16: await dropSnapshot(name)
        case 17: await intervene(name)
        case 18: clock.move(by: .seconds(choices.pick([1, 60, 3_600])))
        default: readInfo(name)
        }
    }

    private func openOrClose(_ name: String) async {
        if let stream = open[name], choices.isOne(in: 2) {
            note("close \(name)")
            open[name] = nil
            compare(
                "close \(name)",
                await outcome { () async throws(JournalError) in
                    try await stream.close(); return 0
                }, .value(0))
            return model.closed(name)
        }
        let machine = choices.isOne(in: 8) ? "other" : "machine"
        note("open \(name) as \(machine)")
        let answer = expected { () throws(JournalModel.Refusal) in
            try model.checkOpening(name, machine: machine)
            return 0
        }
        let result = await outcome { () async throws(JournalError) in
            let stream = try await journal.openStream(name, machine: machine)
            model.opened(name, machine: machine, stream.info)
            open[name] = stream
            return 0
        }
        compare("open \(name)", result, answer)
    }

    private func commit() async {
        let batch = invent()
        guard !batch.isEmpty || !batch.snapshots.isEmpty else { return }
        note(
            "commit \(batch.entries.map { "\($0.stream.rawValue) \($0.action) \($0.dispatchID ?? "")" }), \(batch.runs.count) runs"
        )
        let answer = expected { () throws(JournalModel.Refusal) in
            try model.commit(batch, at: clock.wallClock()).map { "\($0.step) \($0.position ?? 0) \($0.isNew)" }
        }
        let result = await outcome { () async throws(JournalError) in
            try await journal.commit(batch).map { "\($0.step) \($0.position ?? 0) \(!$0.isRepeat)" }
        }
        compare("commit", result, answer)
    }

    private func readEntries(_ name: String) {
        guard let stream = model.streams[name] else { return }
        let reader = journal.reader
        do {
            switch choices.next(6) {
            case 0, 1, 2:
                let backwards = choices.isOne(in: 2)
                let step = choices.isOne(in: 2) ? nil : choices.next(stream.head + 3)
                let limit = choices.pick([100, 1, 3, 0])
                compare(
                    "entries of \(name) from \(step ?? -1)",
                    try reader.entries(
                        in: name, from: step, limit: limit, direction: backwards ? .backwards : .forwards
                    ).map(
                        JournalModel.Entry.init),
                    model.entries(in: name, from: step, limit: limit, backwards: backwards))
            case 3:
                let (position, limit) = (choices.next(model.position + 2), choices.pick([100, 1, 3]))
                compare(
                    "entries after \(position)",
                    try reader.entries(after: position, limit: limit).map(JournalModel.Entry.init),
                    model.entries(after: position, limit: limit))
                compare(
                    "entries before \(position)",
                    try reader.entries(before: position, limit: limit).map(JournalModel.Entry.init),
                    model.entries(before: position, limit: limit))
            case 4:
                let time = Timestamp(
                    microseconds: clock.wallClock().microseconds - Int64(choices.next(5_000)) * 1_000_000)
                compare(
                    "the last step of \(name)", try reader.lastStep(in: name, atOrBefore: time),
                    model.lastStep(in: name, atOrBefore: time))
            default:
                compare("the last position", try reader.lastPosition(), model.position)
            }
        } catch {
            compare("reading entries", "\(error)", "")
        }
    }

    private func readRecords(_ name: String) {
        guard let stream = model.streams[name] else { return }
        let reader = journal.reader
        let runs = stream.runs.values.sorted { $0.key < $1.key }
        do {
            switch choices.next(8) {
            case 0: compare("runs", try reader.effectRuns(in: name), runs)
            case 1:
                let status = choices.pick(EffectRun.Status.allCases)
                compare(
                    "runs that are \(status)", try reader.effectRuns(in: name, status: status),
                    runs.filter { $0.status == status })
            case 2: compare("live runs", try reader.liveRuns(in: name), runs.filter { !$0.status.isFinal })
            case 3:
                let key = RunKey(step: choices.next(stream.head + 1), ordinal: choices.next(3))
                compare("run \(key)", try reader.effectRun(key, in: name), stream.runs[key])
                compare(
                    "attempts of \(key)", try reader.attempts(of: name, step: key.step, ordinal: key.ordinal),
                    (stream.attempts[key] ?? [:]).values.sorted { $0.number < $1.number })
                compare(
                    "remembered steps of \(key)",
                    try reader.remembered(of: name, step: key.step, ordinal: key.ordinal),
                    stream.remembered.filter { $0.step == key.step && $0.ordinal == key.ordinal }
                        .sorted { ($0.path, $0.name, $0.use) < ($1.path, $1.name, $1.use) })
            case 4:
                compare("snapshots", try reader.snapshotSteps(in: name), stream.snapshots.keys.sorted())
                let step = choices.next(stream.head + 2)
                let (found, known) = (
                    try reader.snapshot(in: name, atOrBefore: step), model.snapshot(in: name, atOrBefore: step)
                )
                compare(
                    "the snapshot at \(step)", found.map { "\($0.step) \($0.version) \($0.isBase) \($0.state)" },
                    known.map { "\($0.step) \($0.version) \($0.isBase) \($0.state)" })
            case 5:
                let step = choices.next(stream.head + 1)
                compare(
                    "step records", try reader.stepRecords(of: name, from: step, limit: 100),
                    stream.steps.values.filter { $0.step >= step }.sorted { $0.step < $1.step })
                compare(
                    "skipped steps", try reader.skippedSteps(of: reader.stream(name)),
                    Set(stream.steps.values.filter { $0.outcome == .skipped }.map(\.step)))
            case 6: compare("queues", try reader.queues(of: name), stream.queues.values.sorted { $0.key < $1.key })
            default:
                compare(
                    "interventions",
                    try reader.interventions(in: name).map { act in
                        let run = act.ordinal.map { ".\($0)" } ?? ""
                        let before = act.before.map { " \($0)" } ?? ""
                        return "\(act.act) \(act.step)\(run) \(act.time.microseconds)\(before)"
                    }, stream.interventions)
            }
        } catch {
            compare("reading records", "\(error)", "")
        }
    }

    private func readInfo(_ name: String) {
        do {
            compare("streams", try journal.reader.streams().map(\.name).sorted(), model.streams.keys.sorted())
            guard let stream = model.streams[name] else { return }
            let info = try journal.reader.stream(name)
            compare(
                "stream \(name)",
                "\(info.machine) \(info.headStep) \(info.headDigest) \(info.settledStep) \(info.prunedStep) \(info.hasBegun)",
                "\(stream.machine) \(stream.head) \(stream.digest) \(max(0, stream.watermark)) \(stream.pruned) \(stream.watermark >= 0)"
            )
        } catch {
            compare("reading a stream", "\(error)", "")
        }
    }

    private func prune(_ name: String) async {
        guard let head = model.streams[name]?.head else { return }
        let step = choices.next(head + 3)
        note("prune \(name) before \(step)")
        let answer = expected { () throws(JournalModel.Refusal) in try model.prune(name, before: step) }
        let result = await outcome { () async throws(JournalError) in
            let report = try await journal.prune(name, before: step)
            return "base \(report.base), \(report.removedEntries) removed, \(report.keptEntries) kept"
        }
        compare("prune \(name) before \(step)", result, answer)
    }

    private func dropSnapshot(_ name: String) async {
        guard let stream = model.streams[name] else { return }
        let step = choices.next(stream.head + 1)
        note("drop the snapshot \(step) of \(name)")
        let answer = expected { () throws(JournalModel.Refusal) in
            try model.dropSnapshot(of: name, at: step)
            return 0
        }
        let result = await outcome { () async throws(JournalError) in
            try await journal.dropSnapshot(of: name, at: step)
            return 0
        }
        compare("drop the snapshot \(step) of \(name)", result, answer)
    }

    private func intervene(_ name: String) async {
        guard let stream = model.streams[name] else { return }
        let now = clock.wallClock()
        if choices.isOne(in: 3) {
            let step = choices.next(stream.head + 2)
            note("skip \(step) of \(name)")
            let answer = expected { () throws(JournalModel.Refusal) in
                try model.skip(step, in: name, at: now)
                return 0
            }
            let result = await outcome { () async throws(JournalError) in
                try await journal.skip(step, in: name)
                return 0
            }
            return compare("skip \(step) of \(name)", result, answer)
        }
        let act = choices.pick(Intervention.Act.allCases)
        let key = stream.runs.keys.sorted().last ?? RunKey(step: 1)
        note("\(act) \(key) of \(name)")
        let answer = expected { () throws(JournalModel.Refusal) in try model.intervene(act, key, in: name, at: now) }
        let result = await outcome { () async throws(JournalError) in
            try await journal.intervene(act, key, in: name)
        }
        compare("\(act) \(key) of \(name)", result, answer)
    }

    private func verify() {
        do {
            compare("verify", try journal.reader.verify().problems.map(\.description), [])
        } catch {
            compare("verify", "\(error)", "")
        }
    }

    // MARK: Inventing

    private func text() -> String { choices.pick([#""plain""#, #"{"a":1}"#, #""é\u0000😀""#, "[]"]) }

    /// The row of a queue, or its end.
    private func inventQueue(of stream: JournalModel.Stream) -> QueueMemory {
        let key = choices.pick(["q", "r"])
        if choices.isOne(in: 2) { return .forgotten(stream: stream.id, key: key) }
        let lastStart = choices.isOne(in: 2) ? clock.wallClock() : nil
        return QueueMemory(stream: stream.id, key: key, policy: text(), lastStart: lastStart)
    }

    private func invent() -> Batch {
        var batch = Batch()
        let known = model.streams.values.sorted { $0.name < $1.name }
        guard !known.isEmpty else { return batch }
        for _ in 0..<choices.next(4) {
            let stream = choices.pick(known)
            var cause: Cause?
            var origin = Origin.dispatched
            if choices.isOne(in: 4), stream.head > 0 {
                origin = choices.pick([.effect, .restart, .machine])
                let sender = origin == .machine ? choices.pick(known).id : nil
                cause = Cause(stream: sender, step: 1 + choices.next(stream.head), run: choices.next(2))
            }
            batch.entries.append(
                NewEntry(
                    stream: stream.id, action: text(), version: 1 + choices.next(2), origin: origin, cause: cause,
                    dispatchID: choices.isOne(in: 4) ? choices.pick(["i", "j", "k"]) : nil,
                    cancelID: choices.isOne(in: 6) ? text() : nil))
        }
        // Records belong to streams that are open, as a store writes them.
        guard choices.isOne(in: 2), let stream = known.first(where: { $0.isOpen && $0.head > 0 }) else { return batch }
        let step = 1 + choices.next(stream.head)
        if choices.isOne(in: 2) { batch.settled[stream.id] = step }
        if choices.isOne(in: 3) { batch.queues = [inventQueue(of: stream)] }
        // What was pruned is not recorded again.
        guard step > stream.pruned else { return batch }
        // An outcome is recorded with its settlement, and a skipped step has none.
        if choices.isOne(in: 2), stream.steps[step]?.outcome != .skipped {
            batch.settled[stream.id] = step
            batch.steps = [
                StepRecord(
                    stream: stream.id, step: step, outcome: choices.pick([.reduced, .rejected]),
                    reason: choices.isOne(in: 2) ? "no" : nil, effects: choices.isOne(in: 2) ? "[]" : nil)
            ]
        }
        if choices.isOne(in: 2) {
            var run = EffectRun(
                stream: stream.id, step: step, ordinal: choices.next(3), rootStep: step, name: "run",
                effectID: choices.isOne(in: 2) ? text() : nil, status: choices.pick(EffectRun.Status.allCases),
                attempts: choices.next(3), restart: choices.pick(EffectRun.Restart.allCases))
            if choices.isOne(in: 3) { run.notBefore = clock.wallClock() }
            if choices.isOne(in: 3) { run.error = "é" }
            if choices.isOne(in: 3) { run.onCancel = text() }
            let known = stream.attempts[run.key]?.keys.max() ?? 0
            if choices.isOne(in: 3) || known > run.attempts {
                run.attempts = max(known, choices.next(3) + 1)
                run.notes = [
                    EffectAttempt(
                        number: choices.next(run.attempts) + 1, started: choices.isOne(in: 2) ? clock.wallClock() : nil,
                        ended: choices.isOne(in: 2) ? clock.wallClock() : nil, error: choices.isOne(in: 2) ? "ü" : nil)
                ]
            }
            batch.runs = [run]
            if choices.isOne(in: 3) {
                batch.remembered = [
                    RememberedStep(
                        stream: stream.id, step: step, ordinal: run.ordinal, path: "", name: "r",
                        use: count, result: text())
                ]
            }
        }
        if choices.isOne(in: 3) {
            batch.snapshots = [
                NewSnapshot(
                    stream: stream.id, step: choices.isOne(in: 8) ? stream.head + 9 : step, version: 1,
                    isBase: choices.isOne(in: 5), state: text())
            ]
        }
        return batch
    }
}
