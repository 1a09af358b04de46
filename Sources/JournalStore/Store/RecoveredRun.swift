/// A recorded run that has not ended, with the effect that the code returns for it.
struct RecoveredRun<Action: Sendable>: Sendable {
    var record: EffectRun
    let run: Effect<Action>.Run
    /// The time and digest of its step's entry.
    let entry: Appended.Stamp
    /// Whether its step has several effects with the same name and ID, so that this can be another one of them.
    let isAmbiguous: Bool
    /// Whether the step has recorded another number of them than the code returns: then their order says nothing.
    let isMiscounted: Bool
    /// Whether an operator has decided that it runs, and it was not started since.
    var isReleased = false
    /// Whether the record must be written, because the recovery changed it.
    var isChanged = false

    init(
        _ record: EffectRun, _ run: Effect<Action>.Run, _ entry: Appended.Stamp, isAmbiguous: Bool = false,
        isMiscounted: Bool = false
    ) {
        (self.record, self.run, self.entry) = (record, run, entry)
        (self.isAmbiguous, self.isMiscounted) = (isAmbiguous, isMiscounted)
    }

    func with(_ record: EffectRun) -> RecoveredRun {
        changed(self) { ($0.record, $0.isChanged) = (record, true) }
    }

    /// Whether its body was started, so that its restart policy applies.
    var wasStarted: Bool { record.status == .running || record.status == .delayed && record.attempts > 0 }

    /// Whether it has a body that an opening may start, and so can crash the process: then openings are counted, and a
    /// crash loop holds it back. What its restart policy decides comes later.
    var canCrashProcess: Bool { run.work.hasBody && record.status.continuesAfterRestart }

    /// What this restart does with it.
    func decision(_ override: OpenOptions.RestartOverride) -> RestartDecision<Action> {
        if record.status == .asked || record.status == .parked { return .stay }
        if isAmbiguous && !isReleased { return .ask }
        guard wasStarted else { return .resume }
        switch override {
        case .resume: return .resume
        case .cancel: return .cancel
        case .ask: return .ask
        case .asWritten:
            switch run.restart {
            case .resume: return .resume
            case .cancel: return .cancel
            case .ask: return .ask
            case .dispatch(let action): return .send(action)
            }
        }
    }
}

/// What a restart does with a run.
enum RestartDecision<Action: Sendable>: Sendable {
    /// It runs again or continues to wait.
    case resume
    case cancel
    case ask
    /// An action is sent instead.
    case send(Action)
    /// It stays set aside.
    case stay

    var kind: RecoveryReport.Decision {
        switch self {
        case .resume: .resumed
        case .cancel, .send: .cancelled
        case .ask, .stay: .asked
        }
    }
}

// MARK: - Finding the effects of records

extension Program {
    /// What is stored of a queue; nil if it cannot be decoded.
    func record(of queue: QueueMemory, headStep: Int) -> QueueRecord? {
        guard var record = try? records.decode(QueueRecord.self, from: queue.policy) else { return nil }
        // In a fork, the rule can be that of a later step of the original: each instance that is restored is newer
        // then.
        if record.since.step > headStep { record.since = RunKey(step: 0) }
        return record
    }

    /// The rules of stored queues, by their keys.
    func rules(of queues: [QueueMemory], headStep: Int) -> [String: QueueRule] {
        let rules = queues.compactMap { row in record(of: row, headStep: headStep).map { (row.key, $0.rule) } }
        return Dictionary(rules) { first, _ in first }
    }

    /// Restores a described effect from its record; nil if there is no handler for it any more.
    ///
    /// - Throws: the value, or one of its actions, cannot be decoded.
    func restoreDescribed(
        _ record: EffectRun, _ rules: [String: QueueRule], _ location: ErrorLocation
    ) throws(JournalError) -> RecoveredRun<Action>? {
        do {
            guard let entry = record.entry, let run = try run(record, queues: rules, location) else { return nil }
            return RecoveredRun(record.notOrphaned, run, entry)
        } catch {
            var reported = location.notDecodable(
                "described effect", record.version, version, error, isUpcast: false)
            reported.advice =
                "Change its type so that it decodes the stored value, for example with an `init(from:)` with defaults."
            if let error = error as? JournalError { reported = error }
            reported.message = "The effect '\(record.name)' (\(record.key)) cannot be decoded. " + reported.message
            reported.advice += location.adviceToCancel(record)
            throw reported
        }
    }

    /// Matches the records of a step's closure effects with what the step returns, by name and ID.
    ///
    /// If several have the same name and ID, the ordinals decide, and the match is ambiguous. None is matched twice.
    ///
    /// - Parameters:
    ///   - all: the records of all effects of the step. One that has ended can be the one that the code still returns.
    ///   - trustsOrdinals: whether the same code has made the records in this process: then the ordinals are right.
    /// - Returns: the matched runs, and the records that the step returns no effect for.
    func match(
        _ records: [EffectRun], among all: [EffectRun], with reduction: Reduction<Action>, _ entry: Appended.Stamp,
        trustsOrdinals: Bool = false
    ) -> (found: [RecoveredRun<Action>], orphaned: [EffectRun]) {
        var returned = returned(by: reduction, among: all, entry)
        var (found, orphaned): ([RecoveredRun<Action>], [EffectRun]) = ([], [])
        // Records whose ordinal matches go first.
        let first = records.filter { returned.hasOrdinal(of: $0) }
        let others = records.filter { !returned.hasOrdinal(of: $0) }
        for record in first + others {
            if let run = returned.take(record, trustsOrdinals: trustsOrdinals) {
                found.append(run)
            } else {
                orphaned.append(record)
            }
        }
        return (found, orphaned)
    }

    /// The closure effects that a step returns.
    ///
    /// - Parameter all: the records of all effects of the step.
    func returned(
        by reduction: Reduction<Action>, among all: [EffectRun], _ entry: Appended.Stamp
    ) -> ReturnedEffects<Action> {
        ReturnedEffects(reduction, among: all, entry) { try? ids.encode($0) }
    }
}

/// The closure effects that a step returns, by name and ID.
struct ReturnedEffects<Action: Sendable>: Sendable {
    private var returned: [MatchKey: LookAlikes<Action>] = [:]
    /// How many are recorded.
    private let recorded: [MatchKey: Int]
    private let entry: Appended.Stamp

    fileprivate init(
        _ reduction: Reduction<Action>, among all: [EffectRun], _ entry: Appended.Stamp,
        _ encode: (AnyEffectID) -> String?
    ) {
        self.entry = entry
        recorded = Dictionary(grouping: all.lazy.filter { $0.described == nil }) { MatchKey($0) }.mapValues(\.count)
        for (ordinal, run, id) in reduction.closures(encode) {
            returned[MatchKey(name: run.name, id: id), default: LookAlikes()].add(run, ordinal)
        }
    }

    /// The effect of a single record; nil if the step does not return it.
    func find(_ record: EffectRun) -> RecoveredRun<Action>? {
        guard let found = returned[MatchKey(record)]?.find(record.ordinal) else { return nil }
        return recovered(record, found.run, isKnown: false)
    }

    /// The effect of a record, which is not taken for another one; nil if none is left.
    fileprivate mutating func take(_ record: EffectRun, trustsOrdinals: Bool) -> RecoveredRun<Action>? {
        guard let found = returned[MatchKey(record)]?.take(record.ordinal) else { return nil }
        return recovered(record, found.run, isKnown: trustsOrdinals && found.ordinal == record.ordinal)
    }

    fileprivate func hasOrdinal(of record: EffectRun) -> Bool {
        returned[MatchKey(record)]?.contains(record.ordinal) ?? false
    }

    private func recovered(_ record: EffectRun, _ run: Effect<Action>.Run, isKnown: Bool) -> RecoveredRun<Action> {
        let key = MatchKey(record)
        let (now, before) = (returned[key]?.count ?? 0, recorded[key, default: 0])
        return RecoveredRun(
            record.notOrphaned, run, entry, isAmbiguous: !isKnown && max(now, before) > 1,
            isMiscounted: !isKnown && now != before)
    }
}

/// The effects of one step with the same name and ID, in their order. Each is taken once.
private struct LookAlikes<Action: Sendable> {
    private var runs: [Int: Effect<Action>.Run] = [:]
    private var ordinals: [Int] = []
    /// All ordinals before this index were taken.
    private var next = 0

    /// How many there were.
    var count: Int { ordinals.count }

    mutating func add(_ run: Effect<Action>.Run, _ ordinal: Int) {
        runs[ordinal] = run
        ordinals.append(ordinal)
    }

    func contains(_ ordinal: Int) -> Bool { runs[ordinal] != nil }

    /// The effect with an ordinal, or else the first that is left.
    func find(_ ordinal: Int) -> (ordinal: Int, run: Effect<Action>.Run)? {
        if let run = runs[ordinal] { return (ordinal, run) }
        for other in ordinals[next...] {
            if let run = runs[other] { return (other, run) }
        }
        return nil
    }

    /// Takes the effect that ``find(_:)`` returns.
    mutating func take(_ ordinal: Int) -> (ordinal: Int, run: Effect<Action>.Run)? {
        guard let found = find(ordinal) else { return nil }
        runs[found.ordinal] = nil
        while next < ordinals.count, runs[ordinals[next]] == nil { next += 1 }
        return found
    }
}

/// Distinguishes the closure effects of one step.
private struct MatchKey: Hashable {
    var name: String?
    var id: String?

    init(name: String?, id: String?) {
        (self.name, self.id) = (name, id)
    }

    init(_ record: EffectRun) {
        (name, id) = (record.name, record.effectIDText)
    }
}

extension Reduction {
    /// The closure effects, each with its ordinal and its ID as it is stored.
    ///
    /// Without the ephemeral ones: they have no record.
    func closures(_ encode: (AnyEffectID) -> String?) -> [(ordinal: Int, run: Effect<Action>.Run, id: String?)] {
        var found: [(ordinal: Int, run: Effect<Action>.Run, id: String?)] = []
        var ordinal = 0
        for case .run(let run) in effects {
            if case .closure = run.work, !run.isEphemeral { found.append((ordinal, run, run.id.flatMap(encode))) }
            ordinal += 1
        }
        return found
    }
}

extension EffectRun {
    /// The record for a run whose effect was found: an orphan is running again, or waiting if its body had not started.
    fileprivate var notOrphaned: EffectRun {
        changed(self) { if $0.status == .orphaned { $0.status = $0.attempts > 0 ? .running : .waiting } }
    }
}
