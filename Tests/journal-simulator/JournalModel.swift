import JournalStore

/// A journal as plain values: what each call of an engine has to answer, and what it leaves. An engine is what stores
/// batches and returns rows; SQLite is the first.
struct JournalModel {
    struct Stream: Equatable {
        var id: StreamID
        var name: String
        var machine: String
        var isOpen = true
        /// By step; nil for those that were pruned.
        var entries: [Entry?] = []
        var head: Int { entries.count }
        /// The digest of the newest entry.
        var digest: Digest
        /// The settlement watermark; -1 before the initial effect is settled.
        var watermark = -1
        var pruned = 0
        /// The first step of each dispatch ID, and its action.
        var dispatches: [String: Dispatch] = [:]
        var steps: [Int: StepRecord] = [:]
        var runs: [RunKey: EffectRun] = [:]
        var attempts: [RunKey: [Int: EffectAttempt]] = [:]

        /// Records what is noted of an attempt, with what was noted of it before. An attempt ends once.
        mutating func note(_ note: EffectAttempt, of key: RunKey) {
            let older = attempts[key]?[note.number]
            let hasEnded = older?.ended != nil
            attempts[key, default: [:]][note.number] = EffectAttempt(
                number: note.number, started: note.started ?? older?.started, ended: older?.ended ?? note.ended,
                error: hasEnded ? older?.error : note.error ?? older?.error)
        }

        var remembered: [RememberedStep] = []
        /// By their texts.
        var queues: [String: QueueMemory] = [:]
        var snapshots: [Int: NewSnapshot] = [:]
        var interventions: [Act] = []

        /// The steps of live runs that are found again by reducing their step.
        var liveSteps: [Int] {
            Set(runs.values.filter { $0.step > 0 && $0.described == nil && !$0.status.isFinal }.map(\.step)).sorted()
        }
    }

    struct Entry: Equatable {
        var position: Int
        var stream: String
        var step: Int
        var time: Timestamp
        var origin: Origin
        var cause: Cause?
        /// The name of the cause's stream.
        var sender: String?
        var version: Int
        var action: String
        var cancelID: String?
        var digest: Digest
    }

    /// What an operator did: the act, the step, the effect, the time, and the effect's status before.
    typealias Act = String

    struct Dispatch: Equatable {
        var step: Int
        var action: String
    }

    /// Refused, with this code.
    struct Refusal: Error, Equatable {
        var code: JournalError.Code
    }

    private(set) var streams: [String: Stream] = [:]
    /// The stream and the step of each position.
    private var order: [(stream: String, step: Int)] = []
    private var names: [StreamID: String] = [:]
    var position: Int { order.count }
    private let retained: Int

    /// - Parameter retained: how many snapshots are kept.
    init(retained: Int) { self.retained = retained }

    // MARK: Streams

    func checkOpening(_ name: String, machine: String) throws(Refusal) {
        guard let stream = streams[name] else { return }
        guard stream.machine == machine else { throw Refusal(code: .otherMachine) }
        guard !stream.isOpen else { throw Refusal(code: .streamOpen) }
    }

    mutating func opened(_ name: String, machine: String, _ info: StreamInfo) {
        if streams[name] == nil {
            let digest = Digest.genesis(name: name, machine: machine, seed: info.seed.bytes)
            streams[name] = Stream(id: info.id, name: name, machine: machine, digest: digest)
            names[info.id] = name
        }
        streams[name]?.isOpen = true
    }

    mutating func closed(_ name: String) { streams[name]?.isOpen = false }

    private func name(of id: StreamID) -> String? { names[id] }

    // MARK: Committing

    /// The answer to a batch. It is stored as a whole or not at all.
    mutating func commit(_ batch: Batch, at time: Timestamp) throws(Refusal) -> [(
        step: Int, position: Int?, isNew: Bool
    )] {
        let before = self
        do {
            return try store(batch, at: time)
        } catch {
            self = before
            throw error
        }
    }

    private mutating func store(
        _ batch: Batch, at time: Timestamp
    ) throws(Refusal) -> [(step: Int, position: Int?, isNew: Bool)] {
        var answers: [(step: Int, position: Int?, isNew: Bool)] = []
        for entry in batch.entries { answers.append(try append(entry, at: time)) }
        for (id, step) in batch.settled {
            change(id) { $0.watermark = max($0.watermark, step) }
        }
        for step in batch.steps { change(step.stream) { $0.steps[step.step] = step } }
        for run in batch.runs {
            change(run.stream) { stream in
                stream.runs[run.key] = run
                stream.runs[run.key]?.notes = []
                for note in run.notes { stream.note(note, of: run.key) }
            }
        }
        for step in batch.remembered { change(step.stream) { $0.remembered.append(step) } }
        for queue in batch.queues { change(queue.stream) { $0.queues[queue.key] = queue.isForgotten ? nil : queue } }
        for snapshot in batch.snapshots {
            guard let name = name(of: snapshot.stream) else { continue }
            guard (0...(streams[name]?.head ?? 0)).contains(snapshot.step) else { throw Refusal(code: .noSuchStep) }
        }
        for snapshot in batch.snapshots { change(snapshot.stream) { [retained] in $0.take(snapshot, retained) } }
        return answers
    }

    private mutating func change(_ id: StreamID, _ change: (inout Stream) -> Void) {
        guard let name = name(of: id), var stream = streams[name] else { return }
        change(&stream)
        streams[name] = stream
    }

    private mutating func append(
        _ entry: NewEntry, at time: Timestamp
    ) throws(Refusal) -> (step: Int, position: Int?, isNew: Bool) {
        guard let name = name(of: entry.stream), var stream = streams[name], stream.isOpen else {
            throw Refusal(code: .closed)
        }
        if let id = entry.dispatchID, let first = stream.dispatches[id] {
            guard first.action == entry.action else { throw Refusal(code: .dispatchIDReused) }
            return (first.step, stream.entries[first.step - 1]?.position, false)
        }
        if let cause = entry.cause, cause.stream != nil,
            let first = stream.entries.lazy.compactMap(\.self).first(where: { $0.cause == cause })
        {
            return (first.step, first.position, false)
        }
        let (step, position) = (stream.head + 1, position + 1)
        stream.digest = Digest(after: stream.digest, entry, position: position, time: time)
        stream.entries.append(
            Entry(
                position: position, stream: name, step: step, time: time, origin: entry.origin, cause: entry.cause,
                sender: entry.cause?.stream.flatMap { self.name(of: $0) }, version: entry.version,
                action: entry.action, cancelID: entry.cancelID, digest: stream.digest))
        order.append((name, step))
        if let id = entry.dispatchID { stream.dispatches[id] = Dispatch(step: step, action: entry.action) }
        streams[name] = stream
        return (step, position, true)
    }

    // MARK: Upkeep

    /// The answer to a pruning: the base, how many entries it removes, and how many it keeps before the base.
    mutating func prune(_ name: String, before step: Int) throws(Refusal) -> String {
        guard var stream = streams[name] else { throw Refusal(code: .unknownStream) }
        guard step > 0 else { throw Refusal(code: .badArgument) }
        guard stream.head > 0 else { throw Refusal(code: .noSuchStep) }
        let limit = max(min(step, stream.head), stream.pruned + 1)
        let snapshots = stream.snapshots.keys.sorted()
        guard let base = snapshots.last(where: { $0 < limit && $0 <= max(0, stream.watermark) }) else {
            throw Refusal(code: .noUsableSnapshot)
        }
        // What a live run needs stays: the entries up to its step, from the newest snapshot before it that is a base or of
        // the version of the new base.
        var kept: Set<Int> = []
        var anchors: Set<Int> = [base]
        let version = stream.snapshots[base]?.version ?? 1
        func mayBegin(_ snapshot: NewSnapshot?) -> Bool {
            snapshot.map { $0.isBase || $0.version >= version } ?? false
        }
        for live in stream.liveSteps where live <= base {
            let anchor = snapshots.last { $0 < live && mayBegin(stream.snapshots[$0]) } ?? 0
            anchors.formUnion([anchor] + snapshots.filter { $0 > anchor && $0 < live })
            kept.formUnion(anchor + 1...live)
        }
        let removed = Set(1...max(1, base)).subtracting(kept).filter { $0 <= base }
        let keptCount = kept.filter { stream.entries[$0 - 1] != nil }.count
        let count = removed.filter { stream.entries[$0 - 1] != nil }.count
        // Without an entry to remove, nothing changes. Nor if the step that must stay is not after the last base.
        guard count > 0, min(step, stream.head) > stream.pruned else {
            return "base \(base), 0 removed, \(keptCount) kept"
        }
        for step in removed {
            stream.entries[step - 1] = nil
            stream.steps[step] = nil
        }
        // What ended after the base can be the cause of later entries, and is live in a fork.
        let next = base < stream.head ? stream.entries[base]?.time : nil
        let causes = Set(
            stream.entries[base..<min(stream.head, base + 10_000)].compactMap { entry -> RunKey? in
                guard let entry, entry.sender ?? name == name, let cause = entry.cause else { return nil }
                return cause.run.map { RunKey(step: cause.step, ordinal: $0) }
            })
        func hasEnded(_ run: EffectRun) -> Bool {
            guard run.status.isFinal, !causes.contains(run.key) else { return false }
            if let next, let ended = run.ended { return ended < next }
            return true
        }
        let ended = stream.runs.filter { removed.contains($0.key.step) && hasEnded($0.value) }
        let isGone = { [runs = stream.runs] (step: RememberedStep) in
            guard removed.contains(step.step) else { return false }
            return runs[RunKey(step: step.step, ordinal: step.ordinal)].map(hasEnded) ?? true
        }
        stream.remembered.removeAll(where: isGone)
        for key in ended.keys { (stream.runs[key], stream.attempts[key]) = (nil, nil) }
        for step in snapshots where step < base && !anchors.contains(step) { stream.snapshots[step] = nil }
        stream.snapshots[base]?.isBase = true
        stream.pruned = base
        streams[name] = stream
        return "base \(base), \(count) removed, \(keptCount) kept"
    }

    mutating func dropSnapshot(of name: String, at step: Int) throws(Refusal) {
        guard let stream = streams[name] else { throw Refusal(code: .unknownStream) }
        guard let snapshot = stream.snapshots[step] else { throw Refusal(code: .noSuchStep) }
        guard !snapshot.isBase, step > stream.pruned else { throw Refusal(code: .notInThatState) }
        streams[name]?.snapshots[step] = nil
    }

    mutating func intervene(
        _ act: Intervention.Act, _ key: RunKey, in name: String, at time: Timestamp
    ) throws(Refusal) -> EffectRun {
        guard let stream = streams[name] else { throw Refusal(code: .unknownStream) }
        guard !stream.isOpen else { throw Refusal(code: .streamOpen) }
        guard var run = stream.runs[key] else { throw Refusal(code: .noSuchStep) }
        let before = run.status
        var noted: [EffectAttempt] = []
        if act == .retry, let ended = run.ended, run.attempts > 0 {
            noted = [
                EffectAttempt(
                    number: run.attempts, started: run.attempts == 1 ? run.started : nil, ended: ended,
                    error: before == .failed ? run.error : nil)
            ]
        }
        let isAllowed: Bool =
            switch act {
            case .cancel: !run.status.isFinal && run.status != .cancelling
            case .release: run.status == .asked || run.status == .parked
            case .retry: run.status != .completed && run.status != .orphaned && run.status != .cancelling
            case .skip: false
            }
        guard isAllowed else { throw Refusal(code: .notInThatState) }
        let isFoundByEntry = run.described == nil && (1...max(1, stream.head)).contains(key.step)
        if act == .retry, before.isFinal, isFoundByEntry, stream.entries[key.step - 1] == nil {
            throw Refusal(code: .noUsableSnapshot)
        }
        run.status = act != .cancel ? .waiting : run.onCancel == nil ? .cancelled : .cancelling
        if act != .release { run.ended = run.status == .cancelled ? time : nil }
        run.notBefore = nil
        streams[name]?.runs[key] = run
        for note in noted { streams[name]?.note(note, of: key) }
        streams[name]?.interventions.append(
            "\(act) \(key) \(time.microseconds) \(before)")
        run.notes = noted
        return run
    }

    mutating func skip(_ step: Int, in name: String, at time: Timestamp) throws(Refusal) {
        guard let stream = streams[name] else { throw Refusal(code: .unknownStream) }
        guard !stream.isOpen else { throw Refusal(code: .streamOpen) }
        guard step > stream.pruned, step >= 1, step <= stream.head else { throw Refusal(code: .noSuchStep) }
        guard step > max(0, stream.watermark), stream.steps[step]?.outcome != .skipped else {
            throw Refusal(code: .notInThatState)
        }
        streams[name]?.steps[step] = StepRecord(stream: stream.id, step: step, outcome: .skipped)
        for snapshot in stream.snapshots.keys where snapshot >= step { streams[name]?.snapshots[snapshot] = nil }
        streams[name]?.interventions.append(
            "skip \(step) \(time.microseconds)")
    }

    // MARK: Reading

    func entries(in name: String, from step: Int?, limit: Int, backwards: Bool) -> [Entry] {
        guard let stream = streams[name], stream.head > 0 else { return [] }
        let steps =
            backwards
            ? Array((0..<max(0, min(stream.head, step ?? stream.head))).reversed())
            : Array(min(stream.head, max(0, (step ?? 1) - 1))..<stream.head)
        return Array(steps.lazy.compactMap { stream.entries[$0] }.prefix(limit))
    }

    /// The entries of all streams that follow a position.
    func entries(after position: Int, limit: Int) -> [Entry] {
        Array(order.dropFirst(position).lazy.compactMap(entry).prefix(limit))
    }

    /// The entries of all streams before a position, from newer to older.
    func entries(before position: Int, limit: Int) -> [Entry] {
        Array(order.prefix(max(0, position - 1)).reversed().lazy.compactMap(entry).prefix(limit))
    }

    private func entry(_ place: (stream: String, step: Int)) -> Entry? {
        streams[place.stream]?.entries[place.step - 1]
    }

    func lastStep(in name: String, atOrBefore time: Timestamp) -> Int {
        streams[name]?.entries.last { $0.map { $0.time <= time } ?? false }??.step ?? 0
    }

    func snapshot(in name: String, atOrBefore step: Int) -> NewSnapshot? {
        streams[name]?.snapshots.values.filter { $0.step <= step }.max { $0.step < $1.step }
    }
}

extension JournalModel.Stream {
    /// Stores a snapshot, and drops those that retention does not keep, and those after a new base.
    mutating func take(_ snapshot: NewSnapshot, _ retained: Int) {
        // A base stays a base.
        if snapshots[snapshot.step]?.isBase != true || snapshot.isBase { snapshots[snapshot.step] = snapshot }
        if snapshot.isBase {
            for (step, later) in snapshots where step > snapshot.step && !later.isBase { snapshots[step] = nil }
        }
        let all = snapshots.keys.sorted()
        var kept = Set(all.suffix(retained))
        kept.formUnion(all.filter { snapshots[$0]?.isBase == true || $0 <= pruned })
        for step in liveSteps { if let before = all.last(where: { $0 < step }) { kept.insert(before) } }
        for step in all where !kept.contains(step) { snapshots[step] = nil }
    }
}

extension JournalModel.Entry {
    init(_ row: Entry) {
        self.init(
            position: row.position, stream: row.stream, step: row.step, time: row.time, origin: row.origin,
            cause: row.cause, sender: row.causeStream, version: row.version, action: row.action,
            cancelID: row.cancelID, digest: row.digest)
    }
}

extension Digest {
    /// The digest of an entry, as docs/decisions/digest-chain.md specifies it.
    init(after last: Digest, _ entry: NewEntry, position: Int, time: Timestamp) {
        let cause = entry.cause
        let words: [String] = [
            "\(entry.origin.rawValue)", "\(entry.version)", cause?.stream.map { "\($0.rawValue)" } ?? "",
            (cause?.step).map(String.init) ?? "", (cause?.run).map(String.init) ?? "", entry.action,
        ]
        let id = entry.cancelID.map { "\($0.utf8.count):\($0)|" } ?? ""
        let body = Digest(of: id + words.joined(separator: "|"))
        var message: [UInt8] = []
        for digest in [last, body] {
            let digits = digest.description
            for half in [digits.prefix(16), digits.suffix(16)] {
                withUnsafeBytes(of: (UInt64(half, radix: 16) ?? 0).bigEndian) { message += $0 }
            }
        }
        for number in [Int64(position), time.microseconds] {
            withUnsafeBytes(of: number.bigEndian) { message += $0 }
        }
        self = message.withUnsafeBytes { Digest(of: $0) }
    }
}
